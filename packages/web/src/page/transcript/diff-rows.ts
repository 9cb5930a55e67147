/** Reads a diff, as `diff -u` or pi writes it, into rows; pairs removed and added lines, and finds the words that differ. */
import { diffWordsWithSpace } from "diff";

import { limits } from "../limits.ts";

export type DiffRow =
	| { readonly kind: "file"; readonly text: string }
	| { readonly kind: "gap"; readonly text: string }
	| {
			readonly kind: "same" | "added" | "removed";
			readonly text: string;
			readonly old?: number;
			readonly now?: number;
	  };

export interface DiffPair {
	readonly left: DiffRow | undefined;
	readonly right: DiffRow | undefined;
}

export interface WordPart {
	readonly text: string;
	readonly isChanged: boolean;
}

export function diffRows(text: string): DiffRow[] {
	const lines = text.replace(/\n$/, "").split("\n");
	return /^@@ -\d/m.test(text) ? unifiedRows(lines) : numberedRows(lines);
}

export function countChanges(text: string): { added: number; removed: number } {
	const rows = diffRows(text);
	const count = (kind: string): number => rows.filter((row) => row.kind === kind).length;
	return { added: count("added"), removed: count("removed") };
}

function unifiedRows(lines: readonly string[]): DiffRow[] {
	const rows: DiffRow[] = [];
	let [old, now, isInHunk] = [0, 0, false];
	for (const [at, line] of lines.entries()) {
		const [, oldStart, nowStart, rest = ""] = /^@@ -(\d+)\S* \+(\d+)\S* @@ ?(.*)$/.exec(line) ?? [];
		if (oldStart !== undefined) {
			[old, now, isInHunk] = [Number(oldStart), Number(nowStart), true];
			rows.push({ kind: "gap", text: rest });
		} else if (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")) {
			rows.push({ kind: "file", text: fileOf(line, lines[at + 1] ?? "") });
			isInHunk = false;
		} else if (!isInHunk || line.startsWith("\\")) {
			continue;
		} else if (line.startsWith("+")) rows.push({ kind: "added", text: line.slice(1), now: now++ });
		else if (line.startsWith("-")) rows.push({ kind: "removed", text: line.slice(1), old: old++ });
		else rows.push({ kind: "same", text: line.slice(1), old: old++, now: now++ });
	}
	return rows;
}

function fileOf(before: string, after: string): string {
	const name = (line: string): string => (line.slice(4).split("\t")[0] ?? "").replace(/^[ab]\//, "");
	return name(after) === "/dev/null" ? `${name(before)} (deleted)` : name(after);
}

/** ` 9 same`, `-10 old`, `+10 new`, with `...` where lines are left out; a line of its own names the file. */
function numberedRows(lines: readonly string[]): DiffRow[] {
	return lines.map((line): DiffRow => {
		const [, sign = "", number = "", text = ""] = /^([-+ ]) *(\d+) (.*)$/s.exec(line) ?? [];
		if (sign === "+") return { kind: "added", text, now: Number(number) };
		if (sign === "-") return { kind: "removed", text, old: Number(number) };
		if (sign === " ") return { kind: "same", text, now: Number(number) };
		if (/^\s*\.\.\.$/.test(line)) return { kind: "gap", text: "" };
		// Without numbers: only the signs are known.
		if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
		if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
		return line.startsWith(" ") ? { kind: "same", text: line.slice(1) } : { kind: "file", text: line };
	});
}

/** Old on the left, new on the right; lines that replace each other stand beside each other. */
export function diffPairs(rows: readonly DiffRow[]): DiffPair[] {
	const pairs: DiffPair[] = [];
	let removed: DiffRow[] = [];
	let added: DiffRow[] = [];
	const flush = (): void => {
		for (let at = 0; at < Math.max(removed.length, added.length); at++)
			pairs.push({ left: removed[at], right: added[at] });
		removed = [];
		added = [];
	};
	for (const row of rows) {
		if (row.kind === "removed") removed.push(row);
		else if (row.kind === "added") added.push(row);
		else {
			flush();
			pairs.push({ left: row, right: row });
		}
	}
	flush();
	return pairs;
}

/** The words of both lines, with those marked that the other does not have. Undefined where nearly everything differs. */
export function changedWords(
	left: string,
	right: string,
): { left: WordPart[]; right: WordPart[] } | undefined {
	if (left.length + right.length > limits.wordDiffChars) return undefined;
	const parts = diffWordsWithSpace(left, right);
	const same = parts.reduce(
		(sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length),
		0,
	);
	if (same * 3 < Math.min(left.trim().length, right.trim().length)) return undefined;
	const side = (without: "added" | "removed", marked: "added" | "removed"): WordPart[] =>
		parts.flatMap((part) => (part[without] ? [] : [{ text: part.value, isChanged: part[marked] === true }]));
	return { left: side("added", "removed"), right: side("removed", "added") };
}
