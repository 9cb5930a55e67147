/** Flags of pi that Tau does not support: the error explains why, and what to do instead. */

export const elsewhere: ReadonlyMap<string, string> = new Map([
	["--no-mcp", "Tau does not support MCP servers yet. Remove the flag."],
	[
		"--tui-mode",
		"Tau always draws into the terminal's own scrollback, like pi's regular mode. Remove the flag.",
	],
	["--self", "Tau does not update itself. Update it the way you installed it; tau update updates packages."],
]);
