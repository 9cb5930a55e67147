/** Describes a call in terms of pi's tools, for handlers that guard files and commands and know no other tools. */
import { relative } from "node:path";

import type { CheckedCall, TextChange } from "@tau/agent";

/** A call of one of pi's tools. */
interface EquivalentCall {
	toolName: string;
	input: Record<string, unknown>;
}

/** pi's tools that change files: an extension that takes both away wants a session that only reads. */
export const fileWriters: readonly string[] = ["edit", "write"];

/** What each of pi's tools that change something cannot be called without. */
const mainArguments: Readonly<Record<string, string>> = { bash: "command", edit: "path", write: "path" };

/** The calls of pi's tools that would do what this one does; none for a call that is one already. */
export function equivalentCalls({ name, tool, arguments: args }: CheckedCall, cwd: string): EquivalentCall[] {
	const main = mainArguments[name];
	if (main !== undefined && typeof args[main] === "string") return [];
	const touches = tool.touches?.(args) ?? [];
	const files = touches.flatMap((touch) =>
		touch.kind === "write" || touch.kind === "delete" ? [shown(touch.path, cwd)] : [],
	);
	const changes = tool.changes?.(args) ?? [];
	const editsOf = (path: string): Edit[] => {
		const known = changes.filter((change) => shown(change.path, cwd) === path);
		return known.length > 0 ? known.map(editOf) : [{ oldText: "", newText: wordsOf(args) }];
	};
	return [
		...[...new Set(files)].map((path) => ({ toolName: "edit", input: { path, edits: editsOf(path) } })),
		...touches.flatMap((touch) =>
			touch.kind === "exec" ? [{ toolName: "bash", input: { command: touch.command } }] : [],
		),
	];
}

interface Edit {
	oldText: string;
	newText: string;
}

/** The lines that differ: a check must not find in an edit what the file had before. */
function editOf({ before, after }: TextChange): Edit {
	const [old, now] = [before.split("\n"), after.split("\n")];
	let start = 0;
	while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
	let end = 0;
	while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
	const changed = (lines: readonly string[]): string => lines.slice(start, lines.length - end).join("\n");
	return { oldText: changed(old), newText: changed(now) };
}

/** Of a call that does not say what it writes, everything that it was given. */
function wordsOf(args: CheckedCall["arguments"]): string {
	return Object.values(args)
		.filter((value) => typeof value === "string")
		.join("\n");
}

/** As a model would write it. */
function shown(path: string, cwd: string): string {
	const inside = relative(cwd, path);
	return inside === "" || inside.startsWith("..") ? path : inside;
}
