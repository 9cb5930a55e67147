/** Compares two texts at once, by pi's functions. */
import { unify, limits } from "@tau/tools/files";
import { editScript } from "@tau/utils/edit-script";

/** As `diff -u` writes it, below the heading that pi's has. */
export function generateUnifiedPatch(
	path: string,
	oldContent: string,
	newContent: string,
	contextLines: number = 3,
): string {
	const heading = [`Index: ${path}`, "=".repeat(67), `--- ${path}`, `+++ ${path}`];
	const hunks = hunksOf(rowsOf(oldContent, newContent), contextLines).flatMap(hunkLines);
	return [...heading, ...hunks, ""].join("\n");
}

/** Changed rows with their context; those whose contexts touch are one hunk. */
function hunksOf(rows: readonly Row[], context: number): Row[][] {
	const spans: [from: number, to: number][] = [];
	for (const [index, { sign }] of rows.entries()) {
		if (sign === " ") continue;
		const [from, to] = [Math.max(0, index - context), Math.min(rows.length, index + 1 + context)];
		const last = spans.at(-1);
		if (last && from <= last[1]) last[1] = to;
		else spans.push([from, to]);
	}
	return spans.map((span) => rows.slice(...span));
}

function hunkLines(hunk: readonly Row[]): string[] {
	const [first] = hunk;
	if (!first) return [];
	const olds = hunk.filter(({ sign }) => sign !== "+").length;
	const news = hunk.filter(({ sign }) => sign !== "-").length;
	// A side without lines is named by the line before it.
	const from = (line: number, count: number): string => `${count === 0 ? line - 1 : line},${count}`;
	const head = `@@ -${from(first.oldLine, olds)} +${from(first.newLine, news)} @@`;
	const end = "\\ No newline at end of file";
	return [head, ...hunk.flatMap(({ sign, text, isOpen }) => [sign + text, ...(isOpen ? [end] : [])])];
}

/** Each line with its number, `+` and `-` before what changed, as `renderDiff` takes it. */
export function generateDiffString(
	oldContent: string,
	newContent: string,
	contextLines: number = 4,
): { diff: string; firstChangedLine: number | undefined } {
	const rows = rowsOf(oldContent, newContent);
	const near = (index: number): boolean =>
		rows.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== " ");
	const width = String(rows.reduce((most, row) => Math.max(most, lineIn(row)), 1)).length;
	const shown: string[] = [];
	let isGap = false;
	for (const [index, row] of rows.entries()) {
		if (near(index)) shown.push(`${row.sign}${String(lineIn(row)).padStart(width)} ${row.text}`);
		else if (!isGap) shown.push(` ${" ".repeat(width)} ...`);
		isGap = !near(index);
	}
	const first = rows.find(({ sign }) => sign !== " ");
	return { diff: first ? shown.join("\n") : "", firstChangedLine: first?.newLine };
}

/** Its line number in its text. */
function lineIn({ sign, oldLine, newLine }: Row): number {
	return sign === "-" ? oldLine : newLine;
}

interface Row {
	sign: " " | "+" | "-";
	/** In each text; for one that it is not in, the line before which it would be. */
	oldLine: number;
	newLine: number;
	text: string;
	/** The last line, without a line feed. */
	isOpen: boolean;
}

function rowsOf(oldContent: string, newContent: string): Row[] {
	const [before, after] = [linesOf(oldContent), linesOf(newContent)];
	const row = (sign: Row["sign"], line: string, oldIndex: number, newIndex: number): Row => ({
		sign,
		oldLine: oldIndex + 1,
		newLine: newIndex + 1,
		text: line.replace(/\n$/, ""),
		isOpen: !line.endsWith("\n"),
	});
	return editScript(before, after, limits.diffEdits).flatMap((part) => {
		const [olds, news] = [before.slice(...part.before), after.slice(...part.after)];
		const [oldFrom, newFrom] = [part.before[0], part.after[0]];
		if (part.isSame) return news.map((line, at) => row(" ", line, oldFrom + at, newFrom + at));
		return [
			...olds.map((line, at) => row("-", line, oldFrom + at, newFrom)),
			...news.map((line, at) => row("+", line, part.before[1], newFrom + at)),
		];
	});
}

/** With their ends, so that a last line without one differs from one that has it. */
function linesOf(content: string): string[] {
	const { text } = unify(content);
	return text === "" ? [] : text.split(/(?<=\n)/);
}

/** `:10-19`, a readable range of lines; empty if there is none. */
export function formatReadLineRange(offset: unknown, limit: unknown): string {
	const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";
	if (isAbsent(offset) && isAbsent(limit)) return "";
	const start = isAbsent(offset) ? 1 : Number(offset);
	const count = isAbsent(limit) ? undefined : Number(limit);
	if (!Number.isFinite(start) || (count !== undefined && !Number.isFinite(count))) return "";
	return count === undefined ? `:${start}` : `:${start}-${start + count - 1}`;
}
