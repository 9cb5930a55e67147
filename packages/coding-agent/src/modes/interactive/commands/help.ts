/** `/help`: the commands, and where to read on. */
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

export const help: SlashCommand = {
	name: "help",
	description: "The commands",
	run(_, host) {
		const rows = host.commands.all.map(({ name, argumentHint, description }): [string, string] => [
			[`/${name}`, argumentHint].filter(Boolean).join(" "),
			description,
		]);
		const more: [string, string][] = [
			["!command", "Run it here; the model reads what it printed"],
			["!!command", "Run it here, for yourself"],
			["@file", "Name a file"],
		];
		host.print(linesBlock(host, [...rows, ...more]));
	},
};
