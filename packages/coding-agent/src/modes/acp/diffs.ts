/** Diffs as clients draw them: each part of a file with its old and its new text. */
import { resolve } from "node:path";

import type { ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { expandHome } from "@tau/utils";

interface Hunk {
	/** Undefined for a file that is new. */
	old: string[] | undefined;
	now: string[];
}

/** Of a text as `diff -u` writes it, or of one with numbers before its lines, which names no file. */
export function diffContents(diff: string, cwd: string, written: readonly string[] = []): ToolCallContent[] {
	const named = unified(diff.split("\n")).map(({ name, hunk }) => ({
		path: resolve(cwd, expandHome(name)),
		hunk,
	}));
	const [path, other] = new Set(written);
	const isOne = path !== undefined && other === undefined;
	const hunks = named.length > 0 || !isOne ? named : numbered(diff).map((hunk) => ({ path, hunk }));
	return hunks.map(({ path: file, hunk: { old, now } }) => ({
		type: "diff",
		path: file,
		oldText: old?.join("\n") ?? null,
		newText: now.join("\n"),
	}));
}

const range = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function unified(lines: readonly string[]): { name: string; hunk: Hunk }[] {
	const found: { name: string; hunk: Hunk }[] = [];
	let [before, after] = ["", ""];
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		if (line.startsWith("--- ")) before = line.slice(4);
		if (line.startsWith("+++ ")) after = line.slice(4);
		const [head, oldCount = "1", newCount = "1"] = range.exec(line) ?? [];
		if (head === undefined) continue;
		const hunk: { old: string[]; now: string[] } = { old: [], now: [] };
		// The counts say where it ends: a line of the file may look like the head of another part.
		while (hunk.old.length < Number(oldCount) || hunk.now.length < Number(newCount)) {
			const next = lines[++at];
			if (next === undefined) break;
			add(hunk, next.charAt(0), next.slice(1));
		}
		const isNew = before === "/dev/null";
		const name = after === "/dev/null" ? before : after;
		if (name !== "") found.push({ name, hunk: isNew ? { old: undefined, now: hunk.now } : hunk });
	}
	return found;
}

/** `-10 old`, `+10 new`; a line of dots where some are left out. */
function numbered(diff: string): Hunk[] {
	return diff.split(/^ *\.\.\.$/m).flatMap((part) => {
		const hunk: { old: string[]; now: string[] } = { old: [], now: [] };
		for (const line of part.split("\n")) {
			const [, sign = "", text = ""] = /^([-+ ]) *\d+ (.*)$/.exec(line) ?? [];
			add(hunk, sign, text);
		}
		return hunk.old.length + hunk.now.length > 0 ? [hunk] : [];
	});
}

function add(hunk: { old: string[]; now: string[] }, sign: string, text: string): void {
	if (sign === "-" || sign === " ") hunk.old.push(text);
	if (sign === "+" || sign === " ") hunk.now.push(text);
}
