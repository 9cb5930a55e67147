/** Reads the diffs of results and previews: each part of a file with its old and its new text. */
import { limits } from "./limits.ts";

export interface DiffPart {
	/** As the diff names it; undefined in a diff that names no file. */
	readonly name?: string;
	/** Undefined for a file that is new. */
	readonly old: string | undefined;
	readonly now: string;
}

interface Hunk {
	readonly name?: string;
	readonly isNew: boolean;
	/** How many lines of the old text are before it. */
	readonly start: number;
	readonly old: string[];
	readonly now: string[];
}

/** Of a text as `diff -u` writes it, or of one with numbers before its lines. */
export function diffParts(diff: string): DiffPart[] {
	return hunksIn(diff).map(({ name, isNew, old, now }) => ({
		...(name === undefined ? {} : { name }),
		old: isNew ? undefined : old.join("\n"),
		now: now.join("\n"),
	}));
}

/** The text after the change; undefined unless the diff is of one file, fits the text, and shows all that it adds. */
export function applyDiff(before: string, diff: string): string | undefined {
	const hunks = hunksIn(diff);
	if (hunks.length === 0 || new Set(hunks.map(({ name }) => name)).size > 1) return undefined;
	const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
	const lines: string[] = [];
	let at = 0;
	for (const hunk of hunks) {
		const fits = hunk.start >= at && hunk.old.every((line, index) => line === old[hunk.start + index]);
		if (!fits || hunk.now.some(isAltered)) return undefined;
		lines.push(...old.slice(at, hunk.start), ...hunk.now);
		at = hunk.start + hunk.old.length;
	}
	lines.push(...old.slice(at));
	const isOpen = before !== "" && !before.endsWith("\n");
	return lines.length === 0 ? "" : lines.join("\n") + (isOpen ? "" : "\n");
}

/** A line of a diff that is not the line of the file: it was cut, or has hidden characters. */
function isAltered(line: string): boolean {
	return line.length > limits.diffLineChars || /<U\+[0-9A-F]{4}>/i.test(line);
}

function hunksIn(diff: string): Hunk[] {
	const named = unified(diff.split("\n"));
	return named.length > 0 ? named : numbered(diff);
}

const range = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function unified(lines: readonly string[]): Hunk[] {
	const hunks: Hunk[] = [];
	let [before, after] = ["", ""];
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		if (line.startsWith("--- ")) before = line.slice(4);
		if (line.startsWith("+++ ")) after = line.slice(4);
		const [head, first, oldCount = "1", newCount = "1"] = range.exec(line) ?? [];
		if (head === undefined) continue;
		const name = after === "/dev/null" ? before : after;
		// A part without old lines names the line that it follows.
		const start = Number(first) - (oldCount === "0" ? 0 : 1);
		const hunk: Hunk = { name, isNew: before === "/dev/null", start, old: [], now: [] };
		// The counts say where it ends: a line of the file may look like the head of another part.
		while (hunk.old.length < Number(oldCount) || hunk.now.length < Number(newCount)) {
			const next = lines[++at];
			if (next === undefined) break;
			add(hunk, next.charAt(0), next.slice(1));
		}
		if (name !== "") hunks.push(hunk);
	}
	return hunks;
}

/** `-10 old`, `+10 new`; a line of dots where some are left out. Removed lines have their old number, others the new one. */
function numbered(diff: string): Hunk[] {
	let moved = 0;
	return diff.split(/^ *\.\.\.$/m).flatMap((part) => {
		const [, sign, number] = /^([-+ ]) *(\d+) /m.exec(part) ?? [];
		const start = Number(number) - 1 - (sign === "-" ? 0 : moved);
		const hunk: Hunk = { isNew: false, start, old: [], now: [] };
		for (const line of part.split("\n")) {
			const [, signOfLine = "", text = ""] = /^([-+ ]) *\d+ (.*)$/.exec(line) ?? [];
			add(hunk, signOfLine, text);
		}
		moved += hunk.now.length - hunk.old.length;
		return hunk.old.length + hunk.now.length > 0 ? [hunk] : [];
	});
}

function add(hunk: Hunk, sign: string, text: string): void {
	if (sign === "-" || sign === " ") hunk.old.push(text);
	if (sign === "+" || sign === " ") hunk.now.push(text);
}
