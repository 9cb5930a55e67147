/** Describes a call in terms of pi's tools, for handlers that guard files and commands and know no other tools. */
import { relative } from "node:path";

import type { CheckedCall } from "@tau/agent";

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
	const newText = Object.values(args)
		.filter((value) => typeof value === "string")
		.join("\n");
	return [
		...[...new Set(files)].map((path) => ({
			toolName: "edit",
			input: { path, edits: [{ oldText: "", newText }] },
		})),
		...touches.flatMap((touch) =>
			touch.kind === "exec" ? [{ toolName: "bash", input: { command: touch.command } }] : [],
		),
	];
}

/** As a model would write it. */
function shown(path: string, cwd: string): string {
	const inside = relative(cwd, path);
	return inside === "" || inside.startsWith("..") ? path : inside;
}
