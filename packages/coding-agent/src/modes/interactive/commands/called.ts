/** Prompt templates, skills and prompts of MCP servers as the slash menu has them: `/name`, `/skill:name`, `/server:name`. */
import type { McpPrompt } from "@tau/extensions/mcp";
import type { Resources } from "@tau/extensions/resources";

import type { SlashCommand } from "./command.ts";

export function serverPrompts(prompts: readonly McpPrompt[]): SlashCommand[] {
	return prompts.map(({ name, description, argumentHint }) => ({
		name,
		description,
		...(argumentHint === "" ? {} : { argumentHint }),
		isPrompt: true,
		run: (args, host) => host.prompt(`/${name} ${args}`.trim()),
	}));
}

export function calledCommands(resources: Resources | undefined): SlashCommand[] {
	if (!resources) return [];
	const templates = resources.templates.map(({ name, description, argumentHint }) => ({
		name,
		description,
		argumentHint,
		aliases: shortNames(name, resources),
	}));
	const skills = resources.skills.map(({ name, description }) => ({
		name: `skill:${name}`,
		description,
		argumentHint: undefined,
		aliases: [],
	}));
	return [...templates, ...(resources.hasSkillCommands ? skills : [])].map(
		({ name, description, argumentHint, aliases }) => ({
			name,
			description,
			...(aliases.length > 0 ? { aliases } : {}),
			...(argumentHint === undefined ? {} : { argumentHint }),
			isPrompt: true,
			run: (args, host) => host.prompt(`/${name} ${args}`.trim()),
		}),
	);
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
