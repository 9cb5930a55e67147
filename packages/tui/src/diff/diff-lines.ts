/** The lines of a diff, parsed from its text or computed from two texts. */
import { stripControls } from "@tau/utils";
import { editScript } from "@tau/utils/edit-script";

import { expandTabs } from "../text.ts";
import { diffLimits } from "./limits.ts";

export interface ChangedLine {
	kind: "same" | "added" | "removed";
	/** Its number in the old text, and in the new one. */
	before?: number;
	after?: number;
	text: string;
}

/** A line between the lines of code: the name of a file, the position of a hunk, a remark. */
export interface DiffNote {
	kind: "file" | "part" | "note";
	text: string;
}

export type DiffLine = ChangedLine | DiffNote;

/** Two states of a text. */
export interface Change {
	before: string;
	after: string;
	/** Shown above it. */
	path?: string;
}

/** A unified diff, or the lines with numbers that pi writes (`+12 text`). */
export function parseDiff(text: string): DiffLine[] {
	const lines = expandTabs(stripControls(text)).replace(/\n$/, "").split("\n");
	return numberedLines(lines) ?? unifiedLines(lines);
}

/** How many lines a diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
	const kinds = parseDiff(diff).map(({ kind }) => kind);
	return {
		added: kinds.filter((kind) => kind === "added").length,
		removed: kinds.filter((kind) => kind === "removed").length,
	};
}

const numbered = /^([-+ ]) *(\d+) (.*)$/;

function numberedLines(lines: readonly string[]): DiffLine[] | undefined {
	const parsed: DiffLine[] = [];
	for (const line of lines) {
		const [, sign = "", number = "", text = ""] = numbered.exec(line) ?? [];
		if (/^ *\.\.\.$/.test(line)) parsed.push({ kind: "part", text: "" });
		else if (number !== "") parsed.push(lineOf(sign, text, Number(number), Number(number)));
		else return undefined;
	}
	return parsed;
}

function lineOf(sign: string, text: string, before: number, after: number): ChangedLine {
	if (sign === "+") return { kind: "added", after, text };
	if (sign === "-") return { kind: "removed", before, text };
	return { kind: "same", before, after, text };
}

const partHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

function unifiedLines(lines: readonly string[]): DiffLine[] {
	const parsed: DiffLine[] = [];
	// Remaining lines of the hunk, so that a removed `-- x` is not read as the name of a file.
	let [before, after, beforeLeft, afterLeft] = [1, 1, 0, 0];
	for (const line of lines) {
		const sign = line.charAt(0) || " ";
		const isBody = (beforeLeft > 0 || afterLeft > 0) && /[-+ ]/.test(sign);
		if (isBody) {
			parsed.push(lineOf(sign, line.slice(1), before, after));
			if (sign !== "+") [before, beforeLeft] = [before + 1, beforeLeft - 1];
			if (sign !== "-") [after, afterLeft] = [after + 1, afterLeft - 1];
			continue;
		}
		const head = partHead.exec(line);
		if (head) {
			[before, after] = [Number(head[1]), Number(head[3])];
			[beforeLeft, afterLeft] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
			parsed.push({ kind: "part", text: head[5] ?? "" });
		} else parsed.push(...noteOf(line));
	}
	return parsed;
}

function noteOf(line: string): DiffLine[] {
	if (line.startsWith("--- ")) return [];
	if (line.startsWith("+++ ")) return [{ kind: "file", text: line.slice(4).replace(/^b\//, "") }];
	if (/^(?:diff |index |similarity |new file|deleted file|old mode|new mode)/.test(line)) return [];
	const kind = /^[-+]/.test(line) ? (line.startsWith("+") ? "added" : "removed") : undefined;
	// A hunk without its header: only the signs are known.
	if (kind) return [{ kind, text: line.slice(1) }];
	return line === "" ? [] : [{ kind: "note", text: line.replace(/^\\ /, "") }];
}

/** The differences of two texts, with some lines of context. */
export function diffBetween(
	{ before, after, path }: Change,
	context: number = diffLimits.context,
): DiffLine[] {
	const [old, now] = [linesOf(before), linesOf(after)];
	const lines: DiffLine[] = path === undefined ? [] : [{ kind: "file", text: oneLine(path) }];
	const parts = editScript(old, now, diffLimits.lineEdits);
	for (const [at, { isSame, before: left, after: right }] of parts.entries()) {
		if (!isSame) {
			for (let line = left[0]; line < left[1]; line++) {
				lines.push({ kind: "removed", before: line + 1, text: old[line] ?? "" });
			}
			for (let line = right[0]; line < right[1]; line++) {
				lines.push({ kind: "added", after: line + 1, text: now[line] ?? "" });
			}
			continue;
		}
		const count = left[1] - left[0];
		const head = at === 0 ? 0 : context;
		const tail = at === parts.length - 1 ? 0 : context;
		// A marker for one hidden line would take as much space as the line.
		const isGap = count - head - tail > 1;
		for (let line = 0; line < count; line++) {
			if (isGap && line === head && head > 0 && tail > 0) lines.push({ kind: "part", text: "" });
			if (isGap && line >= head && line < count - tail) continue;
			lines.push({
				kind: "same",
				before: left[0] + line + 1,
				after: right[0] + line + 1,
				text: now[right[0] + line] ?? "",
			});
		}
	}
	return lines;
}

function linesOf(text: string): string[] {
	const clean = expandTabs(stripControls(text));
	return clean === "" ? [] : clean.replace(/\n$/, "").split("\n");
}

function oneLine(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
