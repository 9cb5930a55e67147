/** Infers the indentation style of lines: the width of a level, and after which lines a deeper one follows. */
import { limits } from "../limits.ts";

export interface IndentStyle {
	/** One indentation level; undefined when no line is deeper than its neighbor. */
	readonly step: string | undefined;
	/** True when a deeper line follows a line that ends like this one; undefined when the lines do not show it. */
	opens(line: string): boolean | undefined;
}

export function indentOf(line: string): string {
	return /^[ \t]*/.exec(line)?.[0] ?? "";
}

export function isBlank(line: string): boolean {
	return line.trim() === "";
}

export function indentStyleOf(lines: readonly string[]): IndentStyle {
	const steps = new Map<string, number>();
	const endings = new Map<string, { lines: number; deeper: number }>();
	for (const [before, line] of neighbors(lines.slice(0, limits.styleLines))) {
		const [outer, inner] = [indentOf(before), indentOf(line)];
		const step = stepBetween(outer, inner) ?? stepBetween(inner, outer);
		if (step !== undefined) steps.set(step, (steps.get(step) ?? 0) + 1);
		const ending = endings.get(endingOf(before)) ?? { lines: 0, deeper: 0 };
		endings.set(endingOf(before), ending);
		ending.lines++;
		if (inner.length > outer.length) ending.deeper++;
	}
	const [common] = [...steps].toSorted(([a, x], [b, y]) => y - x || a.length - b.length);
	return { step: common?.[0], opens: (line) => opens(line, endings.get(endingOf(line))) };
}

/** Pairs of consecutive lines, without blank lines and inner lines of comments, which are offset by one column. */
function* neighbors(lines: readonly string[]): Generator<[before: string, line: string]> {
	let before: string | undefined;
	for (const line of lines) {
		if (isBlank(line) || line.trimStart().startsWith("*")) continue;
		if (before !== undefined) yield [before, line];
		before = line;
	}
}

function stepBetween(outer: string, inner: string): string | undefined {
	if (!inner.startsWith(outer)) return undefined;
	const step = inner.slice(outer.length);
	return /^(?:\t| +)$/.test(step) ? step : undefined;
}

/** Letters and digits are one kind of ending, every other character is its own. */
function endingOf(line: string): string {
	return line
		.trimEnd()
		.slice(-1)
		.replace(/[\p{L}\p{N}_]/u, "a");
}

function opens(line: string, seen: { lines: number; deeper: number } | undefined): boolean | undefined {
	const ending = endingOf(line);
	if (/[{([:]/.test(ending)) return true;
	if (/[;}\]]/.test(ending)) return false;
	// One line may be an exception.
	return seen !== undefined && seen.lines > 1 && seen.deeper === 0 ? false : undefined;
}
