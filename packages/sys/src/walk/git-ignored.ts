/** Tells whether git ignores a path, by the files that git would read; git itself is not started. */
import { existsSync } from "node:fs";
import { dirname, join, parse, relative, sep } from "node:path";

import { IgnoreRules } from "./ignore-rules.ts";

/** False outside of a repository. Files that git tracks although it ignores them are ignored here. */
export async function isGitIgnored(path: string): Promise<boolean> {
	const top = repositoryOf(path);
	if (top === undefined) return false;
	let rules = await IgnoreRules.above(parse(top).root);
	const parts = relative(top, path).split(sep);
	for (const [index, name] of parts.entries()) {
		const above = parts.slice(0, index);
		const inside = above.join("/");
		const directory = join(top, ...above);
		const names = [".git", ".gitignore"].filter((each) => existsSync(join(directory, each)));
		rules = await rules.enter(directory, inside, names);
		// Nothing below a directory that is ignored can be kept.
		if (rules.verdict(inside, name, index < parts.length - 1) === "ignored") return true;
	}
	return false;
}

function repositoryOf(path: string): string | undefined {
	for (let at = dirname(path), below = path; at !== below; below = at, at = dirname(at))
		if (existsSync(join(at, ".git"))) return at;
	return undefined;
}
