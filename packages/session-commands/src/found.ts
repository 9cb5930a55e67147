/** Commands that are not built in: prompt templates, skills, prompts of MCP servers, and commands of extensions. */
import { builtinPrompts } from "@tau/resources/prompt-templates";
import type { McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import { log } from "@tau/utils";
import type { CommandInfo, Completion } from "@tau/wire";

import type { CommandExtensions, SessionCommand } from "./command.ts";

interface PromptName {
	name: string;
	description: string;
	argumentHint?: string | undefined;
	aliases?: readonly string[];
}

/** A name that the session expands to a prompt: `/name`, `/skill:name`, `/server:name`. */
function promptRow(
	{ name, description, argumentHint, aliases = [] }: PromptName,
	source: CommandInfo["source"],
): SessionCommand {
	return {
		name,
		description,
		...(aliases.length > 0 ? { aliases } : {}),
		...(argumentHint === undefined ? {} : { argumentHint }),
		takesText: true,
		isPrompt: true,
		right: "prompt",
		source,
		run(args, target) {
			target.prompt(`/${name} ${args}`.trim());
			return {};
		},
	};
}

/** `/init` and the other prompts that are built in. */
export const builtinPromptRows: readonly SessionCommand[] = builtinPrompts.map((prompt) => ({
	...promptRow(prompt, "prompt"),
	group: "Context",
}));

export function serverPromptRows(prompts: readonly McpPrompt[]): SessionCommand[] {
	return prompts.map(({ name, description, argumentHint }) =>
		promptRow({ name, description, argumentHint: argumentHint || undefined }, "mcp"),
	);
}

export function resourceRows(resources: Resources | undefined): SessionCommand[] {
	if (!resources) return [];
	const templates = resources.templates.map(({ name, description, argumentHint }) =>
		promptRow({ name, description, argumentHint, aliases: shortNames(name, resources) }, "prompt"),
	);
	const skills = resources.skills.map(({ name, description }) =>
		promptRow({ name: `skill:${name}`, description }, "skill"),
	);
	return [...templates, ...(resources.hasSkillCommands ? skills : [])];
}

/** `git:commit` is `/commit` too, where no other has that name. */
function shortNames(name: string, { templates }: Resources): string[] {
	const short = lastOf(name);
	const isTaken = templates.some((other) => other.name !== name && lastOf(other.name) === short);
	return short === name || isTaken ? [] : [short];
}

function lastOf(name: string): string {
	return name.slice(name.lastIndexOf(":") + 1);
}

/** An extension may do anything to the session. */
export function extensionRows(extensions: CommandExtensions | undefined): SessionCommand[] {
	const runner = extensions?.runner;
	if (!runner) return [];
	return runner.commands.list().map(({ name, command, extension }) => ({
		name,
		description: command.description ?? `from extension ${extension.label}`,
		takesText: true as const,
		right: "control" as const,
		source: "extension" as const,
		...(command.getArgumentCompletions
			? { complete: (prefix: string) => safely(() => command.getArgumentCompletions?.(prefix)) }
			: {}),
		async run(args: string) {
			await runner.runCommand({ text: `/${name} ${args}`.trim() });
			return {};
		},
	}));
}

type Offered = readonly Completion[] | null | undefined;

/** A completion that fails offers nothing and shows no error, because the user is typing. */
async function safely(complete: () => Offered | Promise<Offered>): Promise<Completion[]> {
	try {
		return [...((await complete()) ?? [])];
	} catch (error) {
		log.error("completions of an extension's command failed", { reason: String(error) });
		return [];
	}
}
