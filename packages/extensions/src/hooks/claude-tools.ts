/** Tool calls in Claude Code's names, which hooks are written for, and the way back. */
import { builtinTool } from "@tau/integrations/builtin";
import { claudeArguments, ownArguments, type ClaudeForm } from "@tau/tools/tool";

/** Tools that extensions provide under a usual name. */
const usualNames: Readonly<Record<string, string>> = {
	fetch: "WebFetch",
	task: "Task",
};

export interface ClaudeCall {
	/** The tool's name as hooks receive it. */
	name: string;
	/** What a matcher may call it. */
	names: readonly string[];
	/** Tau's arguments, and what Claude Code calls them. */
	input: Record<string, unknown>;
	/** What a rule as `Bash(git *)` matches. */
	texts: readonly string[];
	/** True for a call that runs commands: hooks receive its result as output. */
	runsCommands: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

export function claudeCall(
	tool: string,
	args: Arguments,
	resolve: (path: string) => string,
	aliases: readonly string[] = [],
): ClaudeCall {
	const form = formOf(tool);
	const added = claudeArguments(form, args, resolve);
	return {
		name: aliases[0] ?? form.name,
		names: [form.name, tool, ...(form.aliases ?? []), ...aliases],
		input: { ...args, ...added },
		texts: textsOf(args, added),
		runsCommands: typeof args.command === "string",
	};
}

/** The new arguments of a hook, under Tau's names. */
export function changedArguments(
	tool: string,
	args: Arguments,
	updated: Arguments,
	resolve: (path: string) => string,
): Record<string, unknown> {
	return ownArguments(formOf(tool), args, updated, resolve);
}

/** By name only: an extension's replacement of a built-in tool is matched by the same hooks. */
function formOf(tool: string): ClaudeForm {
	return builtinTool(tool)?.claude ?? { name: usualNames[tool] ?? tool };
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
