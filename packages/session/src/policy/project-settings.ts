/**
 * Settings of a project that programs read although their words say nothing of them: a model may write them unasked, and
 * they decide what connects, where logs are written, or which program a name means.
 */
import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { CommandFacts } from "@tau/sys/commands";
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import { isWithin } from "./real-path.ts";

/** `registry`, `cache` and `logs-dir` of npm; bun reads the first, too. */
const readers: readonly (readonly [programs: RegExp, names: readonly string[]])[] = [
	[/^np[mx]$/, [".npmrc"]],
	[/^bun$/, ["bunfig.toml", ".npmrc"]],
];

/** A program in a directory of shims is the one that a file of the project names: asdf takes `nodejs path:./x`. */
const versionFiles = [
	".tool-versions",
	"mise.toml",
	".mise.toml",
	".python-version",
	".ruby-version",
	".node-version",
	".go-version",
	".java-version",
];

interface Surroundings {
	readonly cwd: string;
	readonly home: string;
	/** The directories of PATH. */
	readonly searchPath: readonly string[];
	/** The project, and other directories in which a call may write. */
	readonly roots: readonly string[];
}

/** A sentence for the user; undefined if no such settings apply to what the command only reads with. */
export function settingsOf({ programs, writes }: CommandFacts, around: Surroundings): string | undefined {
	const moves = writes.length > 0 || programs.some(({ name }) => /^(?:cd|pushd|popd)$/.test(name));
	for (const { name, effect } of programs) {
		if (effect === "exec") continue;
		const names = readers.find(([known]) => known.test(name))?.[1] ?? [];
		if (names.length > 0 && moves) return `${name} uses the settings of the directory that it is in`;
		const found = above(around, names, () => true);
		if (found !== undefined) return `${name} uses the settings in ${shortenHome(found)}`;
		const version = isShim(name, around.searchPath) ? above(around, versionFiles, namesPath) : undefined;
		if (version !== undefined) return `${shortenHome(version)} decides which program ${name} is`;
	}
	return undefined;
}

/** Above the project, and in the home directory, they are the user's own. */
function above(
	{ cwd, home, roots }: Surroundings,
	names: readonly string[],
	isIt: (path: string) => boolean,
): string | undefined {
	const last = roots.find((root) => isWithin(cwd, root)) ?? "/";
	for (let at = cwd; at !== home; at = dirname(at)) {
		const found = names.map((name) => join(at, name)).find((path) => exists(path) && isIt(path));
		if (found !== undefined) return found;
		if (at === last || at === dirname(at)) return undefined;
	}
	return undefined;
}

function isShim(name: string, searchPath: readonly string[]): boolean {
	const directory = searchPath.find((each) => exists(join(each, name)));
	return directory !== undefined && basename(directory) === "shims";
}

/** A version has no slash: `../../x` and `path:/x` lead to a directory. */
function namesPath(path: string): boolean {
	const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
	return size > limits.ruleFileBytes || /\/|path|\.\./.test(readFileSync(path, "utf8"));
}

function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
