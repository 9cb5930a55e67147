/** Settings about extensions. */
import { limits } from "../limits.ts";
import { count, group, list, sources } from "../setting.ts";

const code = "it controls which code runs";

export const extensions = {
	extensions: list({
		description:
			"Additional extensions: files, or directories with a package.json or an index.ts. Relative paths start at the current directory, in a project at its settings file; a project must be trusted.",
		fixed: true,
		notForProjects: code,
		hasOwnReader: true,
	}),
	disabledExtensions: list({
		description: "Extensions to leave out, by name: foo or extension-module:foo for foo.ts and foo/index.ts.",
		fixed: true,
		notForProjects: code,
	}),
	extensionTurns: count(
		{ least: 0, most: 1_000 },
		{
			description:
				"How many answers in a row extensions may ask for without a prompt of yours or a tool call between them; 0 sets no limit.",
			default: limits.extensionTurns,
			notForProjects: "it affects cost",
		},
	),
	packages: sources({
		description:
			"Packages to use besides the installed ones: sources, or a source with the parts to use (docs/packages.md). Paths are relative to the settings file. Those of a project apply once it is trusted.",
		fixed: true,
	}),
	hooks: group({
		description:
			"Commands that run on session events, in the format of Claude Code's settings (docs/hooks.md). The hooks of all files apply; a project uses .tau/hooks.json for its own.",
		fixed: true,
		notForProjects: code,
	}),
};
