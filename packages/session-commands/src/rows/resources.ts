/** `/skills` and `/commands`: what can be called by name besides the built-in commands. */
import type { Origin } from "@tau/resources/discovery";
import { shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";

/** Something that is called by its name. */
export interface CallRow {
	name: string;
	description: string;
	/** Where it comes from. */
	from: string;
	/** Its file, or how it is written with its arguments. */
	path?: string;
}

export interface CallData {
	calls: readonly CallRow[];
}

export const skills: SessionCommand = {
	name: "skills",
	group: "Tools",
	description: "List skills and run one",
	right: "view",
	async run(_, target) {
		const { skills: found = [], hasSkillCommands } = target.resources ?? {};
		if (found.length === 0) return reply("No skills found. Add a folder with a SKILL.md to .tau/skills.");
		if (!hasSkillCommands)
			await target.notice(
				"Skill commands are disabled (enableSkillCommands). The model can still use skills on its own.",
			);
		return callReply(
			found.map(({ name, description, path, origin }) => callRow(`skill:${name}`, description, path, origin)),
		);
	},
};

export const commandList: SessionCommand = {
	name: "commands",
	aliases: ["prompts"],
	group: "Tools",
	description: "List prompt templates and extension commands and run one",
	right: "view",
	run(_, target) {
		const calls = [...templateCalls(target), ...extensionCalls(target)];
		if (calls.length > 0) return callReply(calls);
		return {
			...reply("No prompt templates or extension commands found. Add a Markdown file to .tau/prompts."),
			data: { calls },
		};
	},
};

function templateCalls({ resources }: CommandTarget): CallRow[] {
	return (resources?.templates ?? []).map(({ name, description, path, origin }) =>
		callRow(name, description, path, origin),
	);
}

function extensionCalls({ extensions }: CommandTarget): CallRow[] {
	const listed = extensions?.runner?.commands.list() ?? [];
	return listed.map(({ name, command, extension }) => ({
		name,
		description: command.description ?? `from extension ${extension.label}`,
		from: "extension",
	}));
}

function callRow(name: string, description: string, path: string, { source, level }: Origin): CallRow {
	return { name, description, from: `${source} ${level}`, path: shortenHome(path) };
}

function callReply(calls: readonly CallRow[]): CommandReply {
	const data: CallData = { calls };
	return {
		...reply(calls.map(({ name, description }) => `/${name}  ${plain(description)}`).join("\n")),
		data,
	};
}
