/** A command below the screen as a slash command, with what only a screen has: lists, panels and drawings of its reply. */
import type { CommandInfo } from "@tau/wire";

import type { SessionCommand } from "@tau/session-commands";
import { completeRemote, drawReply, quietTarget, runRemote, runRow, type DrawReply } from "../run-row.ts";
import type { SlashCommand } from "./command.ts";

/** `draw` shows the reply, wherever the session runs; by default its text is a notice. */
export function onScreen(row: SessionCommand, draw: DrawReply = drawReply): SlashCommand {
	const { complete, ...words } = row;
	return {
		...words,
		...(complete
			? {
					complete: (prefix, host) =>
						host.isAttached ? completeRemote(row.name, prefix, host) : complete(prefix, quietTarget(host)),
				}
			: {}),
		run: (args, host) => runRow(row, args, host, draw),
	};
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
