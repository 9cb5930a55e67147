/** Calls of Tau's tools in the words of Claude Code's, which hooks are written for, and the way back. */

/** A tool has Tau's name and, where Claude Code has one like it, that one's. */
const claudeNames: Readonly<Record<string, string>> = {
	bash: "Bash",
	read: "Read",
	write: "Write",
	edit: "Edit",
	grep: "Grep",
	find: "Glob",
	ls: "LS",
	notebook: "NotebookEdit",
	todo: "TodoWrite",
	ask: "AskUserQuestion",
	fetch: "WebFetch",
	web_search: "WebSearch",
	task: "Task",
};

export interface ClaudeCall {
	/** What hooks are told. */
	name: string;
	/** What a matcher may call it. */
	names: readonly string[];
	/** Tau's arguments, and what Claude Code calls them. */
	input: Record<string, unknown>;
	/** What a rule as `Bash(git *)` looks at. */
	texts: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

export function claudeCall(tool: string, args: Arguments, resolve: (path: string) => string): ClaudeCall {
	const name = claudeNames[tool] ?? tool;
	const added = additions(tool, args, resolve);
	return {
		name,
		// One edit of Tau may hold several, as MultiEdit does.
		names: [name, tool, ...(tool === "edit" ? ["MultiEdit"] : [])],
		input: { ...args, ...added },
		texts: textsOf(args, added),
	};
}

/**
 * The arguments that a hook wants instead, under Tau's names. It may answer in the words of either; what only says again
 * what it was told changes nothing.
 */
export function changedArguments(
	tool: string,
	args: Arguments,
	updated: Arguments,
	resolve: (path: string) => string,
): Record<string, unknown> {
	const told = additions(tool, args, resolve);
	const next: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(updated)) if (!(key in told)) next[key] = value;
	const isNew = (key: string): boolean => key in updated && !same(updated[key], told[key]);
	for (const [claude, own] of Object.entries(pathNames)) {
		if (!(claude in told)) continue;
		if (isNew(claude)) next[own] = updated[claude];
		else if (!(own in next) && claude in updated) next[own] = args[own];
	}
	if ("old_string" in told && !("edits" in next)) next.edits = args.edits;
	if (["old_string", "new_string", "replace_all"].some(isNew)) next.edits = [editOf(updated, told)];
	if ("-i" in told && isNew("-i")) next.ignoreCase = updated["-i"];
	if ("run_in_background" in told && isNew("run_in_background")) next.async = updated.run_in_background;
	return next;
}

const pathNames: Readonly<Record<string, string>> = { file_path: "path", notebook_path: "path" };

function additions(
	tool: string,
	args: Arguments,
	resolve: (path: string) => string,
): Record<string, unknown> {
	const path = typeof args.path === "string" ? resolve(args.path) : undefined;
	switch (tool) {
		case "read":
		case "write":
			return path === undefined ? {} : { file_path: path };
		case "edit":
			return {
				...(path === undefined ? patchPaths(args.input, resolve) : { file_path: path }),
				...firstEdit(args.edits),
			};
		case "notebook":
			return path === undefined ? {} : { notebook_path: path };
		case "grep":
			return { "-i": args.ignoreCase === true };
		case "bash":
			return { run_in_background: args.async === true };
		default:
			return {};
	}
}

/** The files of a patch, as its head lines name them. */
function patchPaths(patch: unknown, resolve: (path: string) => string): Record<string, unknown> {
	if (typeof patch !== "string") return {};
	const named = patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm);
	const paths = Array.from(named, ([, path = ""]) => resolve(path.trim()));
	return paths.length === 0 ? {} : { file_path: paths[0], file_paths: paths };
}

function firstEdit(edits: unknown): Record<string, unknown> {
	const first: unknown = Array.isArray(edits) ? edits[0] : undefined;
	if (typeof first !== "object" || first === null || !("oldText" in first) || !("newText" in first))
		return {};
	return {
		old_string: first.oldText,
		new_string: first.newText,
		replace_all: "all" in first && first.all === true,
	};
}

function editOf(updated: Arguments, told: Arguments): Record<string, unknown> {
	const all = updated.replace_all ?? told.replace_all;
	return {
		oldText: updated.old_string ?? told.old_string,
		newText: updated.new_string ?? told.new_string,
		...(all === true ? { all } : {}),
	};
}

/** Of a line with several commands, each is one: a rule for `git` means all of them. */
function textsOf(args: Arguments, added: Arguments): string[] {
	const { command } = args;
	const commands =
		typeof command === "string"
			? [command, ...command.split(/&&|\|\||[;|\n]/).map((part) => part.trim())]
			: [];
	const others = [added.file_path, added.notebook_path, args.path, args.url, args.pattern];
	return [...commands, ...others.filter((text) => typeof text === "string")];
}

function same(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
