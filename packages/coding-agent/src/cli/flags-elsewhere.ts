/** Flags of pi's that mean nothing here: whoever types one is told why, and what to do instead. */

export const elsewhere: ReadonlyMap<string, string> = new Map([
	["--no-mcp", "Tau connects to no MCP servers, so that there is nothing to leave out. Leave out the flag."],
	[
		"--tui-mode",
		"Tau always draws into the terminal's own scrollback, as pi's regular mode does. Leave out the flag.",
	],
	[
		"--self",
		"Tau does not replace itself. Update it the way you installed it; tau update does the packages.",
	],
]);
