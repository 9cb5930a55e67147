/** Commands whose names are kept for what comes later: they say so instead of being unknown. */
import type { SlashCommand } from "./command.ts";

export const mcp: SlashCommand = {
	name: "mcp",
	description: "Servers of tools (comes later)",
	run: (_, host) => host.notify("Servers of tools (MCP) come with a later version."),
};

export const share: SlashCommand = {
	name: "share",
	description: "Share the session by a link (comes later)",
	run: (_, host) => host.notify("Sharing by a link comes with a later version. /export writes a file."),
};
