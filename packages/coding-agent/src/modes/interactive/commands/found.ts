/** `/skills` and `/commands`: what was found that can be called by name, beside what Tau itself has. */
import { shortenHome } from "@tau/utils";
import type { Origin } from "@tau/extensions/discovery";

import type { InteractiveHost } from "../host.ts";
import { calledSelector, type CallRow } from "../selectors/called/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const skills: SlashCommand = {
	name: "skills",
	description: "The skills that were found; choose one to call it",
	run(_, host) {
		const { skills: found = [], hasSkillCommands } = host.resources ?? {};
		if (found.length === 0)
			return host.notify(
				"No skills were found. One is a folder with a SKILL.md, in .tau/skills for example.",
			);
		if (!hasSkillCommands)
			host.notify(
				"Skills cannot be called by name here (enableSkillCommands); the model uses them by itself.",
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
	description: "Prompt templates and the commands of extensions; choose one to call it",
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
				"No commands were found beside those of /help. One is a Markdown file, in .tau/prompts for example.",
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
