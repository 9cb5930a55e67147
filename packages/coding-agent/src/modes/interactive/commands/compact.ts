/** `/compact`: sums the conversation up now. */
import { log } from "@tau/utils";
import { replaceSummary, summaryText } from "@tau/session/compaction";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
	name: "compact",
	group: "Context",
	argumentHint: "[instructions|edit]",
	description: "Compact the conversation to free up context",
	details:
		"Replaces the older part of the conversation by a summary. Instructions say what it should keep (`/compact keep the API decisions`); `edit` opens what the model has. Everything stays in /tree.",
	async run(args, host) {
		const { sessionHost } = host;
		if (args === "edit") return await editSummary(host);
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
	const { sessionHost } = host;
	const before = summaryText(sessionHost.log);
	if (before === undefined) throw new Error("There is no summary to edit yet.");
	const after = await host.ask.editor("What the model has of the conversation", { initial: before });
	if (after === undefined || after.trim() === before) return;
	await sessionHost.move({ to: "branch", change: () => replaceSummary(sessionHost.log, after) });
	host.notify("The summary was changed. /tree goes back to the old one.", "info");
}
