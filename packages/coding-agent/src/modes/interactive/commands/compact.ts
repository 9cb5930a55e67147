/** `/compact`: sums the conversation up now. */
import { log } from "@tau/utils";

import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
	name: "compact",
	group: "Context",
	argumentHint: "[instructions]",
	description: "Compact the conversation to free up context",
	details:
		"Replaces the older part of the conversation by a summary. Instructions say what it should keep (`/compact keep the API decisions`). The full conversation stays in the session file and in /tree.",
	async run(args, host) {
		const { sessionHost } = host;
		if (sessionHost.session.isCompacting) throw new Error("Compaction is already running.");
		try {
			await sessionHost.compact(args === "" ? undefined : args);
		} catch (error) {
			// The session emits its start and its end, and the transcript shows both.
			log.debug("/compact ended without a summary", { reason: String(error) });
		}
	},
};
