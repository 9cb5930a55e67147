/** `/skills` and `/commands`: what was found that can be called by name, besides the built-in commands. */
import { shortenHome } from "@tau/utils";
import type { Origin } from "@tau/extensions/discovery";

import type { InteractiveHost } from "../host.ts";
import { calledSelector, type CallRow } from "../selectors/called/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const skills: SlashCommand = {
	name: "skills",
	group: "Tools",
	description: "List skills and run one",
	run(_, host) {
		const { skills: found = [], hasSkillCommands } = host.resources ?? {};
		if (found.length === 0)
			return host.notify("No skills found. Add a folder with a SKILL.md to .tau/skills.");
		if (!hasSkillCommands)
			host.notify(
				"Skill commands are disabled (enableSkillCommands). The model can still use skills on its own.",
			);
		open(
			host,
			"Skills",
			found.map(({ name, description, path, origin }) => row(`skill:${name}`, description, path, origin)),
		);
	},
};

export const commandList: SlashCommand = {
	name: "commands",
	group: "Tools",
	description: "List prompt templates and extension commands and run one",
	run(_, host) {
		const templates = host.resources?.templates ?? [];
		const named = new Map(templates.map((template) => [template.name, template]));
		const calls = host.commands.added.flatMap(({ name, description, isPrompt }): CallRow[] => {
			const template = isPrompt ? named.get(name) : undefined;
			if (template) return [row(name, description, template.path, template.origin)];
			return isPrompt ? [] : [{ name, description, from: "extension" }];
		});
		if (calls.length === 0)
			return host.notify(
				"No prompt templates or extension commands found. Add a Markdown file to .tau/prompts.",
			);
		open(host, "Commands", calls);
	},
};

function row(name: string, description: string, path: string, { source, level }: Origin): CallRow {
	return { name, description, from: `${source} ${level}`, path: shortenHome(path) };
}

function open(host: InteractiveHost, title: string, calls: readonly CallRow[]): void {
	openSelector(host, (screen, close) => ({
		component: calledSelector(screen, {
			title,
			calls,
			choose: ({ name }) => host.editor.setText(`/${name} `),
			close,
		}),
	}));
}
