/** Cuts text as a stream of tokens does: anywhere, but never inside a code point. */

const surrogates = /[\ud800-\udfff]/;

/** Returns `count` pieces of nearly equal length, fewer when there are fewer code points, none for an empty text. */
export function cut(text: string, count = 1): string[] {
	if (text === "") return [];
	if (count <= 1) return [text];
	// Splitting a long text into code points is slow; most texts have one unit for each.
	if (!surrogates.test(text)) return slices(text.length, count, (from, to) => text.slice(from, to));
	const points = Array.from(text);
	return slices(points.length, count, (from, to) => points.slice(from, to).join(""));
}

function slices(length: number, count: number, slice: (from: number, to: number) => string): string[] {
	const pieces = Math.min(count, length);
	const border = (piece: number) => Math.floor((piece * length) / pieces);
	return Array.from({ length: pieces }, (_, piece) => slice(border(piece), border(piece + 1)));
}
