/** Commands whose names are reserved for later versions: they report that instead of being unknown. */
import type { SlashCommand } from "./command.ts";

export const share: SlashCommand = {
	name: "share",
	description: "Share the session by link (not available yet)",
	isPlaceholder: true,
	run: (_, host) =>
		host.notify("Sharing by link is not supported yet. Use /export to write a file you can send.", "warning"),
};
