/** Reads the diffs of results and previews: each part of a file with its old and its new text. */

export interface DiffPart {
	/** As the diff names it; undefined in a diff that names no file. */
	readonly name?: string;
	/** Undefined for a file that is new. */
	readonly old: string | undefined;
	readonly now: string;
}

interface Hunk {
	readonly old: string[];
	readonly now: string[];
}

/** Of a text as `diff -u` writes it, or of one with numbers before its lines. */
export function diffParts(diff: string): DiffPart[] {
	const named = unified(diff.split("\n"));
	return named.length > 0 ? named : numbered(diff);
}

const range = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

function unified(lines: readonly string[]): DiffPart[] {
	const parts: DiffPart[] = [];
	let [before, after] = ["", ""];
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		if (line.startsWith("--- ")) before = line.slice(4);
		if (line.startsWith("+++ ")) after = line.slice(4);
		const [head, oldCount = "1", newCount = "1"] = range.exec(line) ?? [];
		if (head === undefined) continue;
		const hunk: Hunk = { old: [], now: [] };
		// The counts say where it ends: a line of the file may look like the head of another part.
		while (hunk.old.length < Number(oldCount) || hunk.now.length < Number(newCount)) {
			const next = lines[++at];
			if (next === undefined) break;
			add(hunk, next.charAt(0), next.slice(1));
		}
		const name = after === "/dev/null" ? before : after;
		if (name !== "") parts.push({ name, ...textsOf(hunk, before === "/dev/null") });
	}
	return parts;
}

/** `-10 old`, `+10 new`; a line of dots where some are left out. */
function numbered(diff: string): DiffPart[] {
	return diff.split(/^ *\.\.\.$/m).flatMap((part) => {
		const hunk: Hunk = { old: [], now: [] };
		for (const line of part.split("\n")) {
			const [, sign = "", text = ""] = /^([-+ ]) *\d+ (.*)$/.exec(line) ?? [];
			add(hunk, sign, text);
		}
		return hunk.old.length + hunk.now.length > 0 ? [textsOf(hunk, false)] : [];
	});
}

function textsOf({ old, now }: Hunk, isNew: boolean): DiffPart {
	return { old: isNew ? undefined : old.join("\n"), now: now.join("\n") };
}

function add(hunk: Hunk, sign: string, text: string): void {
	if (sign === "-" || sign === " ") hunk.old.push(text);
	if (sign === "+" || sign === " ") hunk.now.push(text);
}
