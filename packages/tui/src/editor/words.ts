/** The starts and ends of words in a line, for motions and cuts by word. */
import { isMarkerAt, snapForward } from "./clusters.ts";
import { limits } from "./limits.ts";

type Kind = "space" | "word" | "mark" | "marker";

interface Piece {
	from: number;
	to: number;
	kind: Kind;
}

let segmenter: Intl.Segmenter | undefined;

/** Skips spaces, then one word or one run of punctuation, to the left. */
export function wordLeft(line: string, col: number): number {
	const from = snapForward(line, Math.max(0, col - limits.windowChars));
	const pieces = piecesOf(line, from < col ? from : 0, col);
	let index = pieces.length - 1;
	while (pieces[index]?.kind === "space") index--;
	const kind = pieces[index]?.kind;
	if (kind === "mark") while (pieces[index - 1]?.kind === "mark") index--;
	return pieces[index]?.from ?? pieces[0]?.from ?? 0;
}

/** Skips spaces, then one word or one run of punctuation, to the right. */
export function wordRight(line: string, col: number): number {
	const to = snapForward(line, Math.min(line.length, col + limits.windowChars));
	const pieces = piecesOf(line, col, to);
	let index = 0;
	while (pieces[index]?.kind === "space") index++;
	if (pieces[index]?.kind === "mark") while (pieces[index + 1]?.kind === "mark") index++;
	return pieces[index]?.to ?? to;
}

function piecesOf(line: string, from: number, to: number): Piece[] {
	// Creating it takes milliseconds, and most runs end before a word motion.
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
	const pieces: Piece[] = [];
	for (const { segment, index, isWordLike } of segmenter.segment(line.slice(from, to))) {
		const at = from + index;
		if (isMarkerAt(line, at)) pieces.push({ from: at, to: at + 1, kind: "marker" });
		else if (/^\s/.test(segment)) pieces.push({ from: at, to: at + segment.length, kind: "space" });
		else if (isWordLike) pieces.push(...partsOf(segment, at));
		else pieces.push({ from: at, to: at + segment.length, kind: "mark" });
	}
	return pieces;
}

/** Unicode treats `file.name` and `a:b` as one word; programmers do not. */
function partsOf(word: string, at: number): Piece[] {
	const parts: Piece[] = [];
	for (const { 0: text, index } of word.matchAll(/[^.:]+|[.:]+/g)) {
		const kind = /^[.:]/.test(text) ? "mark" : "word";
		parts.push({ from: at + index, to: at + index + text.length, kind });
	}
	return parts;
}
