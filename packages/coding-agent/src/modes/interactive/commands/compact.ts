/** `/compact`: sums the conversation up now. */
import { log } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
	name: "compact",
	group: "Context",
	argumentHint: "[instructions|edit|undo]",
	words: ["edit", "undo"],
	description: "Compact the conversation to free up context",
	details:
		"Replaces the older part of the conversation by a summary. Instructions say what it should keep (`/compact keep the API decisions`); `edit` opens what the model has, `undo` takes the last compaction or edit back.",
	async run(args, host) {
		const { sessionHost } = host;
		if (args === "edit") return await editSummary(host);
		if (args === "undo") return await undo(host);
		if (sessionHost.session.isCompacting) throw new Error("Compaction is already running.");
		try {
			await sessionHost.compact(args === "" ? undefined : args);
		} catch (error) {
			// The session emits its start and its end, and the transcript shows both.
			log.debug("/compact ended without a summary", { reason: String(error) });
		}
	},
};

/** A new entry with the text of the user; /tree goes back before it. */
async function editSummary(host: InteractiveHost): Promise<void> {
	const before = host.sessionHost.context.summary()?.text;
	if (before === undefined) throw new Error("There is no summary to edit yet.");
	const after = await host.ask.editor("What the model has of the conversation", { initial: before });
	if (after === undefined || after.trim() === before) return;
	await host.sessionHost.context.editSummary(after);
	host.notify("The summary was changed. /compact undo goes back to the old one.", "info");
}

async function undo(host: InteractiveHost): Promise<void> {
	await host.sessionHost.context.undoSummary();
	const isCompacted = host.sessionHost.context.summary() !== undefined;
	host.notify(
		isCompacted
			? "The model has the summary that it had before."
			: "The compaction was undone: the model has all messages again.",
		"info",
	);
}
