/** Settings about extensions. */
import { group, list, sources } from "../setting.ts";

const code = "it controls which code runs";

export const extensions = {
	extensions: list({
		description:
			"Additional extensions: files, or directories with a package.json or an index.ts. Relative paths start at the current directory, in a project at its settings file; a project must be trusted.",
		fixed: true,
		notForProjects: code,
		isReadElsewhere: true,
	}),
	disabledExtensions: list({
		description: "Extensions to leave out, by name: foo or extension-module:foo for foo.ts and foo/index.ts.",
		fixed: true,
		notForProjects: code,
	}),
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
