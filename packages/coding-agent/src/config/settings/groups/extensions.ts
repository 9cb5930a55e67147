/** Settings about extensions. */
import { list } from "../setting.ts";

const code = "it decides which code runs";

export const extensions = {
	extensions: list({
		description:
			"Extensions to load besides those in the directories of extensions: files, or directories with a package.json or an index.ts. ~ is the home directory, and a relative path counts from the current one.",
		fixed: true,
		notForProjects: code,
	}),
	disabledExtensions: list({
		description:
			"Extensions that are not loaded, by name: foo or extension-module:foo for foo.ts and foo/index.ts.",
		fixed: true,
		notForProjects: code,
	}),
};
