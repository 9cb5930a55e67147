/** Settings about extensions. */
import { group, list, sources } from "../setting.ts";

const code = "it decides which code runs";

export const extensions = {
	extensions: list({
		description:
			"Extensions to load besides those in the directories of extensions: files, or directories with a package.json or an index.ts. Paths count from the current directory, those of a project from its file; a project has to be trusted.",
		fixed: true,
		notForProjects: code,
		isReadElsewhere: true,
	}),
	disabledExtensions: list({
		description:
			"Extensions that are not loaded, by name: foo or extension-module:foo for foo.ts and foo/index.ts.",
		fixed: true,
		notForProjects: code,
	}),
	packages: sources({
		description:
			"Packages to use besides the installed ones: sources, or groups of a source and what is taken of it (docs/packages.md). A path counts from the file. Those of a project count once it is trusted.",
		fixed: true,
	}),
	hooks: group({
		description:
			"Commands that run when something happens in a session, in the form of Claude Code's settings: docs/hooks.md. Those of all files count; a project has .tau/hooks.json for its own.",
		fixed: true,
		notForProjects: code,
	}),
};
