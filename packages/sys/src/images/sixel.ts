/** Sixel, the images of DEC's terminals: each character is six pixels of one color, one above the other. */

export interface IndexedImage {
	width: number;
	height: number;
	/** At most 256, each from 0 to 255. */
	palette: readonly PaletteColor[];
	/** The number of a color for each pixel, row by row. */
	pixels: Uint8Array;
}

export interface PaletteColor {
	red: number;
	green: number;
	blue: number;
	/** Pixels of this color are not painted. */
	isTransparent: boolean;
}

const bandRows = 6;

/** Shorter runs are as long as their repetition (`!4~`). */
const worthCounting = 4;

/** The sequence that paints it at the cursor. Pixels that it does not paint keep what was there. */
export function encodeSixel({ width, height, palette, pixels }: IndexedImage): string {
	const colors = palette.map(({ red, green, blue }, at) => `#${at};2;${percents([red, green, blue])}`);
	const isPainted = palette.map(({ isTransparent }) => !isTransparent);
	const bands: string[] = [];
	for (let top = 0; top < height; top += bandRows) {
		const rows = pixels.subarray(top * width, Math.min(height, top + bandRows) * width);
		bands.push(encodeBand(rows, width, isPainted));
	}
	return `\x1bP0;1;0q"1;1;${width};${height}${colors.join("")}${bands.join("-")}\x1b\\`;
}

/** The terminal's scale of a color is 0 to 100. */
function percents(color: readonly number[]): string {
	return color.map((value) => Math.round((value * 100) / 255)).join(";");
}

/** Six rows: each color is painted over all of them, from the left. */
function encodeBand(rows: Uint8Array, width: number, isPainted: readonly boolean[]): string {
	const columnsByColor = new Map<number, Uint8Array>();
	for (const [at, color] of rows.entries()) {
		if (isPainted[color] !== true) continue;
		let columns = columnsByColor.get(color);
		if (columns === undefined) columnsByColor.set(color, (columns = new Uint8Array(width)));
		const column = at % width;
		columns[column] = (columns[column] ?? 0) | (1 << Math.floor(at / width));
	}
	return [...columnsByColor].map(([color, columns]) => `#${color}${encodeRuns(columns)}`).join("$");
}

function encodeRuns(columns: Uint8Array): string {
	let text = "";
	// What is not painted at the end of a row needs no characters.
	const end = columns.findLastIndex((bits) => bits !== 0) + 1;
	for (let from = 0, to = 0; from < end; from = to) {
		while (to < end && columns[to] === columns[from]) to++;
		const sixel = String.fromCharCode(0x3f + (columns[from] ?? 0));
		text += to - from < worthCounting ? sixel.repeat(to - from) : `!${to - from}${sixel}`;
	}
	return text;
}
