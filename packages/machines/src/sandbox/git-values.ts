/** Which paths git takes the value of a setting for. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expandHome, UsageError } from "@tau/utils";

import { realPath } from "./git-directories.ts";
import type { GitUser } from "./git-user.ts";
import { stepsOf } from "./link-steps.ts";

type Places = Pick<GitUser, "home" | "searchPath">;

/** Where git may be installed that is not in PATH. */
const usualPrefixes: readonly string[] = ["/usr", "/usr/local", "/opt/homebrew", "/opt/local"];

/** Several where it depends on where git is installed: the user may have more than one. */
export function pathsMeant(value: string, user?: Places): string[] {
	// Since version 2.52: the file may be missing.
	const path = value.replace(/^:\(optional\)/, "");
	if (path.startsWith("%(prefix)/")) {
		const below = path.slice("%(prefix)".length);
		return prefixes(user?.searchPath ?? []).map((prefix) => join(prefix, below));
	}
	const [, name, rest = ""] = /^~([^/]+)(\/.*)?$/.exec(path) ?? [];
	const home = name === undefined ? undefined : homeOfUser(name);
	return [home === undefined ? expandHome(path, user?.home) : join(home, rest)];
}

function prefixes(searchPath: readonly string[]): string[] {
	const programs = searchPath.map((directory) => join(directory, "git"));
	const own = programs.flatMap((path) => {
		const real = realPath(path);
		return real === undefined ? [] : [path, real];
	});
	return [...new Set([...own.map((path) => dirname(dirname(path))), ...usualPrefixes])];
}

/** Git takes `~ann/` for the home directory of that user. */
function homeOfUser(name: string): string | undefined {
	try {
		const users = readFileSync("/etc/passwd", "utf8").split("\n");
		return users.find((line) => line.startsWith(`${name}:`))?.split(":")[5];
	} catch {
		// This system has no such list.
		return undefined;
	}
}

/** The character that stands for bytes which are not text. */
export const odd = "\ufffd";

/**
 * What cannot be read as git reads it can neither be mounted nor put back, and names others if it is a file of settings: no
 * command runs until it has another name, which hardly anybody needs.
 */
export function refuseOdd(paths: readonly string[]): void {
	const path = paths.flatMap(stepsOf).find((each) => each.includes(odd));
	if (path === undefined) return;
	const what = `git's settings or hooks name ${path}, which is not text (UTF-8)`;
	throw new UsageError(`No command can run in the sandbox: ${what}. Rename it, or set sandbox.mode to off.`);
}
