/** Vim's text objects: a word, the text between quotes, the text between brackets. */
import { nextEdge, previousEdge } from "../clusters.ts";
import type { Position } from "../position.ts";
import { after, before, kindAt, type Lines } from "./walk.ts";

export interface Range {
	from: Position;
	to: Position;
}

const brackets = ["()", "[]", "{}", "<>"] as const;
const bracketNames: ReadonlyMap<string, string> = new Map([
	...brackets.flatMap((pair) => [...pair].map((key): [string, string] => [key, pair])),
	["b", "()"],
	["B", "{}"],
]);

/** `what` is `iw`, `a"`, `i(` and so on. */
export function textObject(lines: Lines, at: Position, what: string): Range | undefined {
	const isAround = what.startsWith("a");
	const name = what.slice(1);
	if (!/^[ia]/.test(what)) return undefined;
	if (name === "w" || name === "W") return word(lines, at, isAround, name === "W");
	if (name === '"' || name === "'" || name === "`") return quoted(lines, at, name, isAround);
	const pair = bracketNames.get(name);
	return pair === undefined ? undefined : bracketed(lines, at, pair, isAround);
}

function word(lines: Lines, at: Position, isAround: boolean, isBig: boolean): Range | undefined {
	const text = lines[at.line] ?? "";
	if (text === "") return undefined;
	const inside = run(lines, { line: at.line, col: Math.min(at.col, previousEdge(text, text.length)) }, isBig);
	if (!isAround) return inside;
	const behind = inside.to.col < text.length ? run(lines, inside.to, isBig) : undefined;
	const isSpace = kindAt(lines, inside.from, isBig) === "space";
	if (behind !== undefined && (isSpace || kindAt(lines, inside.to, isBig) === "space")) {
		return { from: inside.from, to: behind.to };
	}
	if (inside.from.col === 0) return inside;
	const ahead = run(lines, { line: at.line, col: previousEdge(text, inside.from.col) }, isBig);
	return isSpace || kindAt(lines, ahead.from, isBig) === "space"
		? { from: ahead.from, to: inside.to }
		: inside;
}

/** The run of one kind around the position, within its line. */
function run(lines: Lines, { line, col }: Position, isBig: boolean): Range {
	const text = lines[line] ?? "";
	const kind = kindAt(lines, { line, col }, isBig);
	let from = col;
	while (from > 0 && kindAt(lines, { line, col: previousEdge(text, from) }, isBig) === kind) {
		from = previousEdge(text, from);
	}
	let to = col;
	while (to < text.length && kindAt(lines, { line, col: to }, isBig) === kind) to = nextEdge(text, to);
	return { from: { line, col: from }, to: { line, col: to } };
}

function quoted(lines: Lines, at: Position, quote: string, isAround: boolean): Range | undefined {
	const text = lines[at.line] ?? "";
	const marks = [...text.matchAll(/\\?["'`]/g)].filter(([mark]) => mark === quote).map(({ index }) => index);
	for (let index = 0; index + 1 < marks.length; index += 2) {
		const [open = 0, close = 0] = marks.slice(index, index + 2);
		if (close < at.col) continue;
		const [from, to] = isAround ? [open, close + 1] : [open + 1, close];
		return { from: { line: at.line, col: from }, to: { line: at.line, col: to } };
	}
	return undefined;
}

function bracketed(lines: Lines, at: Position, pair: string, isAround: boolean): Range | undefined {
	const [open, close] = [pair.charAt(0), pair.charAt(1)];
	const isAtClose = characterAt(lines, at) === close;
	const start = isAtClose ? before(lines, at) : at;
	const from = start === undefined ? undefined : seek(lines, start, open, close, before);
	if (from === undefined) return undefined;
	const first = after(lines, from) ?? from;
	const to = seek(lines, first, close, open, after);
	if (to === undefined) return undefined;
	return isAround ? { from, to: after(lines, to) ?? to } : { from: first, to };
}

function characterAt(lines: Lines, { line, col }: Position): string {
	return lines[line]?.charAt(col) ?? "";
}

/** The nearest `wanted` that is not paired with a `nested` on the way, including the position itself. */
function seek(
	lines: Lines,
	start: Position,
	requested: string,
	nested: string,
	step: (lines: Lines, from: Position) => Position | undefined,
): Position | undefined {
	let depth = 0;
	for (let at: Position | undefined = start; at !== undefined; at = step(lines, at)) {
		const here = characterAt(lines, at);
		if (here === requested && depth === 0) return at;
		if (here === requested) depth--;
		else if (here === nested) depth++;
	}
	return undefined;
}
