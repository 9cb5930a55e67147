/** Kitty's graphics protocol: an image is sent once, placed any number of times, and deleted by its id. */

/** The maximum that terminals accept in one chunk. */
const chunkChars = 4096;

/** The character for a cell of an image. */
const placeholder = "\u{10EEEE}";

/** The combining marks that number the rows of an image, from the protocol's table. */
const rowMarks = [
	0x0305, 0x030d, 0x030e, 0x0310, 0x0312, 0x033d, 0x033e, 0x033f, 0x0346, 0x034a, 0x034b, 0x034c, 0x0350,
	0x0351, 0x0352, 0x0357, 0x035b, 0x0363, 0x0364, 0x0365, 0x0366, 0x0367, 0x0368, 0x0369, 0x036a, 0x036b,
	0x036c, 0x036d, 0x036e, 0x036f, 0x0483, 0x0484, 0x0485, 0x0486, 0x0487, 0x0592, 0x0593, 0x0594, 0x0595,
	0x0597, 0x0598, 0x0599, 0x059c, 0x059d, 0x059e, 0x059f, 0x05a0, 0x05a1, 0x05a8, 0x05a9, 0x05ab, 0x05ac,
	0x05af, 0x05c4, 0x0610, 0x0611, 0x0612, 0x0613, 0x0614, 0x0615, 0x0616, 0x0617, 0x0657, 0x0658, 0x0659,
	0x065a, 0x065b, 0x065d, 0x065e, 0x06d6, 0x06d7, 0x06d8,
];

/**
 * Random, so that two programs in one terminal hardly ever use the same id; three bytes, as a color can encode it.
 */
export function allocateImageId(): number {
	return 1 + Math.floor(Math.random() * 0xfffffe);
}

/** Sends and shows it at once, for components written for pi. */
export function encodeKitty(
	base64Data: string,
	options: { columns?: number; rows?: number; imageId?: number; moveCursor?: boolean } = {},
): string {
	const { columns, rows, imageId, moveCursor = true } = options;
	const keys = ["a=T", "f=100", "q=2"];
	if (columns !== undefined) keys.push(`c=${columns}`);
	if (rows !== undefined) keys.push(`r=${rows}`);
	if (imageId !== undefined) keys.push(`i=${imageId}`);
	if (!moveCursor) keys.push("C=1");
	return inChunks(keys.join(","), base64Data);
}

/** Sends a PNG without showing it. */
export function transmitKitty(imageId: number, base64Data: string): string {
	return inChunks(`a=t,f=100,q=2,i=${imageId}`, base64Data);
}

/** Shows it at the cursor, which does not move; the same id moves it. */
export function placeKitty(imageId: number, columns: number, rows: number): string {
	return `\x1b_Ga=p,q=2,i=${imageId},p=1,c=${columns},r=${rows},C=1\x1b\\`;
}

/** Removes it from the screen and keeps its data. */
export function unplaceKitty(imageId: number): string {
	return `\x1b_Ga=d,d=i,q=2,i=${imageId},p=1\x1b\\`;
}

/** Lets placeholders of this size show it. */
export function placeVirtualKitty(imageId: number, columns: number, rows: number): string {
	return `\x1b_Ga=p,U=1,q=2,i=${imageId},c=${columns},r=${rows}\x1b\\`;
}

/** The cells of the image as rows of text: the color is its id, the first mark of a row is the row's number. */
export function placeholderRows(imageId: number, columns: number, rows: number): string[] {
	const color = `\x1b[38;2;${(imageId >> 16) & 255};${(imageId >> 8) & 255};${imageId & 255}m`;
	return Array.from({ length: Math.min(rows, rowMarks.length) }, (_, row) => {
		const marks = String.fromCodePoint(rowMarks[row] ?? 0, rowMarks[0] ?? 0);
		return `${color}${placeholder}${marks}${placeholder.repeat(columns - 1)}\x1b[39m`;
	});
}

export function deleteKittyImage(imageId: number): string {
	return `\x1b_Ga=d,d=I,q=2,i=${imageId}\x1b\\`;
}

export function deleteAllKittyImages(): string {
	return "\x1b_Ga=d,d=A,q=2\x1b\\";
}

/** The same for the terminal around tmux: each sequence within one of tmux's, its escapes doubled. */
export function throughTmux(sequences: string): string {
	return sequences
		.split("\x1b\\")
		.filter((sequence) => sequence !== "")
		.map((sequence) => `\x1bPtmux;${`${sequence}\x1b\\`.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`)
		.join("");
}

function inChunks(keys: string, data: string): string {
	if (data.length <= chunkChars) return `\x1b_G${keys};${data}\x1b\\`;
	const pieces: string[] = [];
	for (let at = 0; at < data.length; at += chunkChars) {
		const more = at + chunkChars < data.length ? 1 : 0;
		const head = at === 0 ? `${keys},m=${more}` : `m=${more}`;
		pieces.push(`\x1b_G${head};${data.slice(at, at + chunkChars)}\x1b\\`);
	}
	return pieces.join("");
}
