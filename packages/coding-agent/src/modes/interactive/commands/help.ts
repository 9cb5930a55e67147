/** `/help`: the commands, and where to read on. */
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

/** One long hint would leave no room for what all the others are about; the editor shows it whole. */
const mostCells = 24;

export const help: SlashCommand = {
	name: "help",
	description: "Show available commands",
	run(_, host) {
		const rows = host.commands.all.map(({ name, argumentHint, description }): [string, string] => [
			withHint(`/${name}`, argumentHint),
			description,
		]);
		const more: [string, string][] = [
			["!command", "Run a shell command and share the output with the model"],
			["!!command", "Run a shell command without sharing the output"],
			["$code", "Reserved for Python (not available yet)"],
			["@file", "Mention a file"],
		];
		host.print(linesBlock(host, [...rows, ...more]));
	},
};

function withHint(name: string, hint = ""): string {
	if (hint === "") return name;
	const whole = `${name} ${hint}`;
	return whole.length <= mostCells ? whole : `${name} …`;
}
