/** Cuts text as a stream of tokens does: anywhere, but never inside a code point. */

const surrogates = /[\ud800-\udfff]/;

/** Gives `count` pieces of nearly equal length, fewer when there are fewer code points, none for no text. */
export function* cut(text: string, count = 1): Generator<string> {
	if (count <= 1 || text.length <= 1) {
		if (text !== "") yield text;
		return;
	}
	// Spelling out the code points of a long text is slow; most texts have one unit for each.
	if (surrogates.test(text)) {
		const points = Array.from(text);
		for (const [from, to] of ranges(points.length, count)) yield points.slice(from, to).join("");
		return;
	}
	for (const [from, to] of ranges(text.length, count)) yield text.slice(from, to);
}

function* ranges(length: number, count: number): Generator<[from: number, to: number]> {
	const pieces = Math.min(count, length);
	let from = 0;
	for (let piece = 1; piece <= pieces; piece++) {
		const to = Math.floor((piece * length) / pieces);
		yield [from, to];
		from = to;
	}
}
