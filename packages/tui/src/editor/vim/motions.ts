/** The targets of vim's motions, and the range that an operator applies to. */
import { nextEdge, previousEdge } from "../clusters.ts";
import type { Position } from "../position.ts";
import type { Command } from "./command.ts";
import { after, before, firstOnLine, isEmptyLine, kindAt, type Lines } from "./walk.ts";

/** `inclusive`: including the character at the target. `lines`: whole lines. */
export interface Target {
	to: Position;
	reach: "exclusive" | "inclusive" | "lines";
}

/** The last search in a line, for `;` and `,`. */
export interface Find {
	key: string;
	character: string;
}

export function motion(
	lines: Lines,
	from: Position,
	command: Command,
	find: Find | undefined,
): Target | undefined {
	const { what, count } = command;
	const simple = simpleMotion(lines, from, command);
	if (simple !== undefined) return simple;
	const isAgain = what === ";" || what === ",";
	const search = isAgain ? reversed(find, what === ",") : findOf(what);
	if (search !== undefined) return findInLine(lines, from, search, count, isAgain);
	const step = steps.get(what);
	if (step === undefined) return undefined;
	let to = from;
	for (let done = 0; done < count; done++) to = step.run(lines, to) ?? to;
	return { to, reach: step.reach };
}

/** The search of a motion such as `fx`. */
export function findOf(what: string): Find | undefined {
	const character = what.slice(1);
	return /^[fFtT]/.test(what) && character !== "" ? { key: what.charAt(0), character } : undefined;
}

function simpleMotion(lines: Lines, from: Position, { what, count, isCounted }: Command): Target | undefined {
	const { line } = from;
	const last = lines.length - 1;
	const text = lines[line] ?? "";
	switch (what) {
		case "0":
			return { to: { line, col: 0 }, reach: "exclusive" };
		case "^":
		case "_":
			return { to: firstOnLine(lines, line), reach: "exclusive" };
		case "$": {
			const end = Math.min(last, line + count - 1);
			return { to: { line: end, col: (lines[end] ?? "").length }, reach: "exclusive" };
		}
		case "gg":
			return { to: firstOnLine(lines, isCounted ? Math.min(last, count - 1) : 0), reach: "lines" };
		case "G":
			return { to: firstOnLine(lines, isCounted ? Math.min(last, count - 1) : last), reach: "lines" };
		case "j":
			return { to: { line: Math.min(last, line + count), col: from.col }, reach: "lines" };
		case "k":
			return { to: { line: Math.max(0, line - count), col: from.col }, reach: "lines" };
		case "h":
			return {
				to: { line, col: repeat(from.col, count, (col) => previousEdge(text, col)) },
				reach: "exclusive",
			};
		case "l":
			return { to: { line, col: repeat(from.col, count, (col) => nextEdge(text, col)) }, reach: "exclusive" };
		default:
			return undefined;
	}
}

function repeat(start: number, count: number, step: (col: number) => number): number {
	let col = start;
	for (let done = 0; done < count; done++) {
		const next = step(col);
		if (next === col) break;
		col = next;
	}
	return col;
}

type Step = (lines: Lines, from: Position) => Position | undefined;

const steps: ReadonlyMap<string, { run: Step; reach: Target["reach"] }> = new Map([
	["w", { run: (lines: Lines, from: Position) => wordStart(lines, from, false), reach: "exclusive" }],
	["W", { run: (lines: Lines, from: Position) => wordStart(lines, from, true), reach: "exclusive" }],
	["b", { run: (lines: Lines, from: Position) => wordBack(lines, from, false), reach: "exclusive" }],
	["B", { run: (lines: Lines, from: Position) => wordBack(lines, from, true), reach: "exclusive" }],
	["e", { run: (lines: Lines, from: Position) => wordEnd(lines, from, false), reach: "inclusive" }],
	["E", { run: (lines: Lines, from: Position) => wordEnd(lines, from, true), reach: "inclusive" }],
	["}", { run: (lines: Lines, from: Position) => paragraph(lines, from, 1), reach: "exclusive" }],
	["{", { run: (lines: Lines, from: Position) => paragraph(lines, from, -1), reach: "exclusive" }],
]);

function wordStart(lines: Lines, from: Position, isBig: boolean): Position {
	const kind = kindAt(lines, from, isBig);
	let at: Position | undefined = from;
	if (kind !== "space") {
		while (at !== undefined && kindAt(lines, at, isBig) === kind) at = after(lines, at);
	}
	while (at !== undefined && kindAt(lines, at, isBig) === "space") {
		const next = after(lines, at);
		if (next === undefined) return at;
		at = next;
		if (isEmptyLine(lines, at)) break;
	}
	return at ?? from;
}

function wordBack(lines: Lines, from: Position, isBig: boolean): Position {
	let at = before(lines, from);
	while (at !== undefined && kindAt(lines, at, isBig) === "space" && !isEmptyLine(lines, at))
		at = before(lines, at);
	if (at === undefined) return { line: 0, col: 0 };
	const kind = kindAt(lines, at, isBig);
	for (;;) {
		const previous = before(lines, at);
		if (previous === undefined || previous.line !== at.line) return at;
		if (kindAt(lines, previous, isBig) !== kind) return at;
		at = previous;
	}
}

function wordEnd(lines: Lines, from: Position, isBig: boolean): Position {
	let at = after(lines, from);
	while (at !== undefined && kindAt(lines, at, isBig) === "space") at = after(lines, at);
	if (at === undefined) return from;
	const kind = kindAt(lines, at, isBig);
	for (;;) {
		const next = after(lines, at);
		if (next === undefined || kindAt(lines, next, isBig) !== kind) return at;
		at = next;
	}
}

function paragraph(lines: Lines, from: Position, step: 1 | -1): Position {
	let line = from.line + step;
	while (line > 0 && line < lines.length - 1 && lines[line] !== "") line += step;
	if (line < 0) return { line: 0, col: 0 };
	if (line >= lines.length) return { line: lines.length - 1, col: (lines.at(-1) ?? "").length };
	const isEnd = step > 0 && line === lines.length - 1;
	return { line, col: isEnd ? (lines[line] ?? "").length : 0 };
}

function reversed(find: Find | undefined, isBackward: boolean): Find | undefined {
	if (find === undefined || !isBackward) return find;
	const key = find.key === find.key.toLowerCase() ? find.key.toUpperCase() : find.key.toLowerCase();
	return { ...find, key };
}

function findInLine(
	lines: Lines,
	from: Position,
	{ key, character }: Find,
	count: number,
	isAgain: boolean,
): Target | undefined {
	const text = lines[from.line] ?? "";
	const isForward = key === "f" || key === "t";
	let col = from.col;
	// A repeated till would find the character that it stopped before.
	if (isAgain && key === "t") col = nextEdge(text, col);
	if (isAgain && key === "T") col = previousEdge(text, col);
	for (let seen = 0; seen < count; seen++) {
		col = isForward
			? text.indexOf(character, col + 1)
			: col === 0
				? -1
				: text.lastIndexOf(character, col - 1);
		if (col < 0) return undefined;
	}
	if (key === "t") col = previousEdge(text, col);
	if (key === "T") col = nextEdge(text, col);
	return { to: { line: from.line, col }, reach: isForward ? "inclusive" : "exclusive" };
}
