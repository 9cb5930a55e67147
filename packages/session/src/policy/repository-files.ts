/** Files that git runs or reads as settings although they are not in a `.git`: whoever writes one chooses what git runs later. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { codeNamedBySettings } from "@tau/machines/sandbox";

import { isWithin } from "./real-path.ts";

export function repositoryFile(path: string): string | undefined {
	// No repository is without one, and nothing else is named like it.
	if (basename(path) === "HEAD") return "it makes a directory a Git repository";
	let isRepositoryFound = false;
	for (let at = dirname(path), above = ""; at !== above; above = at, at = dirname(at)) {
		const has = (name: string): boolean => existsSync(join(at, name));
		if (has("HEAD") && has("objects") && has("refs")) return "the inside of a Git repository";
		if (isRepositoryFound || !has(".git")) continue;
		isRepositoryFound = true;
		const { hooks, settings } = codeNamedBySettings(at);
		if (hooks.some((directory) => isWithin(path, directory))) return "git runs it as a hook";
		if (settings.some((file) => isWithin(path, file))) return "git reads it as settings, which name programs";
	}
	return undefined;
}
