/** Steps through a text of several lines by cluster, for vim's motions. */
import { isMarkerAt, nextEdge, previousEdge } from "../clusters.ts";
import type { Position } from "../position.ts";

export type Lines = readonly string[];
type Kind = "space" | "word" | "mark";

/** The kind of the character at a position; the end of a line counts as space. */
export function kindAt(lines: Lines, { line, col }: Position, isBig: boolean): Kind {
	const text = lines[line] ?? "";
	if (col >= text.length) return "space";
	if (isMarkerAt(text, col)) return "word";
	const character = String.fromCodePoint(text.codePointAt(col) ?? 0);
	if (/\s/.test(character)) return "space";
	return isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "mark";
}

/** The next position, including the ends of lines; undefined at the end of the text. */
export function after(lines: Lines, { line, col }: Position): Position | undefined {
	const text = lines[line] ?? "";
	if (col < text.length) return { line, col: nextEdge(text, col) };
	return line + 1 < lines.length ? { line: line + 1, col: 0 } : undefined;
}

export function before(lines: Lines, { line, col }: Position): Position | undefined {
	if (col > 0) return { line, col: previousEdge(lines[line] ?? "", col) };
	return line > 0 ? { line: line - 1, col: (lines[line - 1] ?? "").length } : undefined;
}

/** An empty line stops every motion by word. */
export function isEmptyLine(lines: Lines, { line }: Position): boolean {
	return lines[line] === "";
}

export function firstOnLine(lines: Lines, line: number): Position {
	return { line, col: /^\s*/.exec(lines[line] ?? "")?.[0].length ?? 0 };
}
