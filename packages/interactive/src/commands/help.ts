/** `/help`: the commands by topic, or one of them in detail. */
import { linesBlock, type Line } from "../views/lines.ts";
import { commandGroups } from "@tau/session-commands";
import type { SlashCommand } from "./command.ts";
import type { InteractiveHost } from "../host.ts";

/** One long hint would leave no space for the descriptions of all others; the editor shows it completely. */
const mostCells = 24;

const prefixes: readonly Line[] = [
	["@file", "Mention a file"],
	["!command", "Run a shell command and share the output with the model"],
	["!!command", "Run a shell command without sharing the output"],
	["$code", "Run Python and share the output with the model; $$code does not share it"],
	["?", "Show keyboard shortcuts (in an empty editor)"],
];

export const help: SlashCommand = {
	name: "help",
	group: "Setup",
	argumentHint: "[command]",
	description: "Show available commands, or explain one",
	complete: (prefix, { commands }) =>
		commands.all
			.filter(({ name }) => name.startsWith(prefix))
			.map(({ name, description }) => ({ value: name, label: name, description })),
	run(args, host) {
		if (args !== "") return explain(args.replace(/^\//, ""), host);
		const shown = host.commands.all.filter(({ isPlaceholder }) => !isPlaceholder);
		const listed = (heading: string, commands: readonly SlashCommand[]): Line[] =>
			commands.length === 0 ? [] : [heading, ...commands.map(lineOf)];
		const others = shown.filter(({ group }) => group === undefined);
		host.print(
			linesBlock(host, [
				...commandGroups.flatMap((name) =>
					listed(
						name,
						shown.filter(({ group }) => group === name),
					),
				),
				...listed("Extensions, skills and templates", others),
				"In the editor",
				...prefixes,
				"/help <command> explains one",
			]),
		);
	},
};

function lineOf({ name, argumentHint, description }: SlashCommand): Line {
	return [withHint(`/${name}`, argumentHint), description];
}

function explain(wanted: string, host: InteractiveHost): void {
	const command = host.commands.all.find(({ name, aliases }) => name === wanted || aliases?.includes(wanted));
	if (!command) return host.notify(`There is no command /${wanted}. /help lists all of them.`, "warning");
	const { name, argumentHint = "", aliases = [], description, details } = command;
	host.print(
		linesBlock(host, [
			[`/${name} ${argumentHint}`.trim(), description],
			...(details === undefined ? [] : [["", details] as const]),
			...(aliases.length === 0 ? [] : [["also", aliases.map((each) => `/${each}`).join(", ")] as const]),
		]),
	);
}

function withHint(name: string, hint = ""): string {
	if (hint === "") return name;
	const whole = `${name} ${hint}`;
	return whole.length <= mostCells ? whole : `${name} …`;
}
