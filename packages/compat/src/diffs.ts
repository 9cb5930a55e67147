/** Compares two texts at once, by pi's functions. */
import { createTwoFilesPatch, diffLines } from "diff";
import { unify } from "@tau/tools/files";

/** As `diff -u` writes it. */
export function generateUnifiedPatch(
	path: string,
	oldContent: string,
	newContent: string,
	contextLines: number = 3,
): string {
	const [before, after] = [unify(oldContent).text, unify(newContent).text];
	return createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: contextLines });
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
	const width = String(Math.max(1, ...rows.map(({ line }) => line))).length;
	const shown: string[] = [];
	let isGap = false;
	for (const [index, { sign, line, text }] of rows.entries()) {
		if (near(index)) shown.push(`${sign}${String(line).padStart(width)} ${text}`);
		else if (!isGap) shown.push(` ${" ".repeat(width)} ...`);
		isGap = !near(index);
	}
	const first = rows.find(({ sign }) => sign !== " ");
	return { diff: first ? shown.join("\n") : "", firstChangedLine: first?.newLine };
}

interface Row {
	sign: " " | "+" | "-";
	/** In the text that it stands in. */
	line: number;
	newLine: number;
	text: string;
}

function rowsOf(oldContent: string, newContent: string): Row[] {
	const rows: Row[] = [];
	let [oldLine, newLine] = [1, 1];
	for (const { value, added, removed } of diffLines(unify(oldContent).text, unify(newContent).text)) {
		for (const text of value.replace(/\n$/, "").split("\n")) {
			const sign = added ? "+" : removed ? "-" : " ";
			rows.push({ sign, line: removed ? oldLine : newLine, newLine, text });
			if (!added) oldLine++;
			if (!removed) newLine++;
		}
	}
	return rows;
}

/** `:10-19`, as a person reads a range of lines; empty where there is none. */
export function formatReadLineRange(offset: unknown, limit: unknown): string {
	const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";
	if (isAbsent(offset) && isAbsent(limit)) return "";
	const start = isAbsent(offset) ? 1 : Number(offset);
	const count = isAbsent(limit) ? undefined : Number(limit);
	if (!Number.isFinite(start) || (count !== undefined && !Number.isFinite(count))) return "";
	return count === undefined ? `:${start}` : `:${start}-${start + count - 1}`;
}
