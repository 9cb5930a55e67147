/** `/help`: a list of the commands by topic, with search, or one of them in detail. */
import { commandGroups } from "@tau/session-commands";
import type { CallRow } from "@tau/session-commands/rows";
import { calledSelector } from "../selectors/called/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";
import type { InteractiveHost } from "../host.ts";

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
		openSelector(host, (screen, close) => ({
			component: calledSelector(screen, {
				title: "Commands",
				calls: rowsOf(host.commands.all),
				choose: ({ name }) => host.editor.setText(`/${name} `),
				close,
			}),
		}));
	},
};

/** By topic; what extensions, skills and templates add comes last. */
function rowsOf(commands: readonly SlashCommand[]): CallRow[] {
	return [...commandGroups, undefined].flatMap((topic) =>
		commands
			.filter(({ group }) => group === topic)
			.map(({ name, argumentHint = "", description }) => ({
				name,
				description,
				from: topic ?? "added",
				...(argumentHint === "" ? {} : { path: `/${name} ${argumentHint}` }),
			})),
	);
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
