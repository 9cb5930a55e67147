/** A command below the screen as a slash command, with what only a screen has: lists, panels and drawings of its reply. */
import type { CommandInfo } from "@tau/wire";

import type { SessionCommand } from "@tau/session-commands";
import type { Choice, InteractiveHost } from "../host.ts";
import {
	completeRemote,
	drawReply,
	quietTarget,
	replyOf,
	runRemote,
	runRow,
	type DrawReply,
} from "../run-row.ts";
import type { SlashCommand } from "./command.ts";

/** A list in which the user chooses the arguments of a command. */
export interface PickList {
	title: string;
	choices: readonly Choice[];
}

export interface ScreenParts {
	/** Shows something of its own for these arguments, such as a list. False: the row runs. */
	open?(args: string, host: InteractiveHost): boolean | Promise<boolean>;
	/** Draws the reply; by default its text is a notice. */
	draw?: DrawReply;
	/** For a session of another process, whose objects `open` does not have: what a reply without arguments offers. */
	pick?(data: unknown): PickList | undefined;
}

export function onScreen(
	row: SessionCommand,
	{ open, draw = drawReply, pick }: ScreenParts = {},
): SlashCommand {
	const { complete, ...words } = row;
	return {
		...words,
		...(complete
			? {
					complete: (prefix, host) =>
						host.isAttached ? completeRemote(row.name, prefix, host) : complete(prefix, quietTarget(host)),
				}
			: {}),
		run: (args, host) => {
			if (host.isAttached) return runPicked(row, args, host, { draw, ...(pick ? { pick } : {}) });
			const opened = open?.(args, host) ?? false;
			if (opened === true) return undefined;
			const run = (): void | Promise<void> => runRow(row, args, host, draw);
			return opened === false ? run() : opened.then((isOpen) => (isOpen ? undefined : run()));
		},
	};
}

async function runPicked(
	row: SessionCommand,
	args: string,
	host: InteractiveHost,
	{ draw, pick }: { draw: DrawReply; pick?: NonNullable<ScreenParts["pick"]> },
): Promise<void> {
	const reply = await replyOf(row, args, host);
	const list = args === "" ? pick?.(reply.data) : undefined;
	if (!list) return await draw(reply, host);
	// The reply says why there is nothing to choose.
	if (list.choices.length === 0) return await drawReply(reply, host);
	const chosen = await host.ask.select(list.title, list.choices);
	if (chosen !== undefined) await runPicked(row, chosen, host, { draw });
}

/** A command that the session's process has in addition: of an extension, a skill, a template. */
export function remoteCommand({
	name,
	aliases,
	description,
	argumentHint,
	source,
}: CommandInfo): SlashCommand {
	return {
		name,
		...(aliases ? { aliases } : {}),
		description,
		...(argumentHint === undefined ? {} : { argumentHint }),
		// Those of extensions run; the others are prompts, which the session expands.
		...(source === "extension" ? {} : { isPrompt: true }),
		complete: (prefix, host) => completeRemote(name, prefix, host),
		run: async (args, host) => drawReply(await runRemote(name, args, host), host),
	};
}
