/** Draws stacks as an SVG: a row for each depth, a rectangle for each function, as wide as its share of the samples. */
interface Box {
	name: string;
	count: number;
	children: Map<string, Box>;
}

const width = 1200;
const rowHeight = 17;
const charWidth = 6.6;
/** A rectangle that is narrower cannot be seen. */
const leastWidth = 0.3;

/** Stacks as `outer;inner`, each with its number of samples. */
export function flameGraph(stacks: readonly (readonly [stack: string, count: number])[]): string {
	const root: Box = { name: "all", count: 0, children: new Map() };
	for (const [stack, count] of stacks) {
		let box = root;
		box.count += count;
		for (const name of stack.split(";")) {
			const next = box.children.get(name) ?? { name, count: 0, children: new Map<string, Box>() };
			box.children.set(name, next);
			box = next;
			box.count += count;
		}
	}
	const boxes: string[] = [];
	const depth = draw(root, 0, 0, width / root.count, root.count, boxes);
	const height = (depth + 1) * rowHeight;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${boxes.join("\n")}
</svg>
`;
}

/** Returns the depth of the deepest row. */
function draw(box: Box, x: number, row: number, scale: number, total: number, boxes: string[]): number {
	const size = box.count * scale;
	if (size < leastWidth) return row;
	const share = ((100 * box.count) / total).toFixed(1);
	const chars = Math.floor((size - 4) / charWidth);
	const label = chars < 3 ? "" : escapeXml(box.name.slice(0, chars));
	const y = row * rowHeight;
	boxes.push(
		`<g><title>${escapeXml(box.name)}: ${box.count} samples, ${share} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${size.toFixed(1)}" height="${rowHeight - 1}" fill="${colorOf(box.name)}" rx="1"/><text x="${(x + 2).toFixed(1)}" y="${y + 12}">${label}</text></g>`,
	);
	let deepest = row;
	let left = x;
	for (const child of [...box.children.values()].toSorted((a, b) => b.count - a.count)) {
		deepest = Math.max(deepest, draw(child, left, row + 1, scale, total, boxes));
		left += child.count * scale;
	}
	return deepest;
}

/** The same color for the same function, from yellow to red. */
function colorOf(name: string): string {
	const hash = Number(BigInt(Bun.hash(name)) % 1000n);
	return `hsl(${Math.round(hash / 20)} 80% ${65 + (hash % 15)}%)`;
}

function escapeXml(text: string): string {
	return text
		.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
		.replace(/[^\t\n\r -\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "?");
}
