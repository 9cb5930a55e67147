/** A command below the screen as a slash command, with what only a screen has: lists, panels and drawings of its reply. */
import type { SessionCommand } from "../../../session-commands/command.ts";
import type { InteractiveHost } from "../host.ts";
import { drawReply, quietTarget, runRow, type DrawReply } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";

export interface ScreenParts {
	/** Shows something of its own for these arguments, such as a list. False: the row runs. */
	open?(args: string, host: InteractiveHost): boolean | Promise<boolean>;
	/** Draws the reply; by default its text is a notice. */
	draw?: DrawReply;
}

export function onScreen(row: SessionCommand, { open, draw = drawReply }: ScreenParts = {}): SlashCommand {
	const { complete, ...words } = row;
	return {
		...words,
		...(complete ? { complete: (prefix, host) => complete(prefix, quietTarget(host)) } : {}),
		run: (args, host) => {
			const opened = open?.(args, host) ?? false;
			if (opened === true) return undefined;
			const run = (): void | Promise<void> => runRow(row, args, host, draw);
			return opened === false ? run() : opened.then((isOpen) => (isOpen ? undefined : run()));
		},
	};
}
