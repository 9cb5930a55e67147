/** Commands whose names are kept for what comes later: they say so instead of being unknown. */
import type { SlashCommand } from "./command.ts";

export const mcp: SlashCommand = {
	name: "mcp",
	description: "Servers of tools (comes later)",
	isPlaceholder: true,
	run: (_, host) =>
		host.notify(
			"The name /mcp is kept: servers of tools (MCP) come with a later version, and nothing was started.",
			"warning",
		),
};

export const share: SlashCommand = {
	name: "share",
	description: "Share the session by a link (comes later)",
	isPlaceholder: true,
	run: (_, host) =>
		host.notify(
			"The name /share is kept: sharing by a link comes with a later version. Nothing left this machine; /export writes a file that you can send.",
			"warning",
		),
};
