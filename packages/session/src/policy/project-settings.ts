/**
 * Settings of a project that programs read although their words say nothing of them: a model may write them unasked, and
 * they decide what connects, where logs are written, or which program a name means.
 */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { CommandFacts } from "@tau/sys/commands";
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import { isWithin } from "./real-path.ts";

/** `registry`, `cache` and `logs-dir` of npm; bun reads the first, too. */
const readers: readonly SettingsReader[] = [
	{ programs: /^np[mx](?= |$)/, files: [".npmrc"] },
	{ programs: /^bun(?= |$)/, files: ["bunfig.toml", ".npmrc"] },
	// A program of git that a large file is fetched with connects to its `lfs.url`.
	{ programs: /^git\b.* archive\b/, files: [".lfsconfig"] },
	// It looks through all modules, and fetches those that are not there.
	{ programs: /^go\b.* doc\b/, files: ["go.mod", "go.work"] },
	// It tells the index which compiler of Rust there is, and starts that of the project to find out.
	{ programs: /^pip3?(?= |$)/, files: ["rust-toolchain.toml", "rust-toolchain"] },
	// It is fetched and started, if it is newer than the one that is installed.
	{
		programs: /^go(?= |$)/,
		files: ["go.mod", "go.work"],
		names: /^(?:toolchain\b|go\s+1\.(?:2[1-9]|[3-9]\d))/m,
	},
];

interface SettingsReader {
	/** By a program with its words. */
	readonly programs: RegExp;
	readonly files: readonly string[];
	/** What a file must say to matter; any may. */
	readonly names?: RegExp;
}

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
	for (const { name, argv, effect } of programs) {
		if (effect === "exec") continue;
		const words = [name, ...argv.slice(1)].join(" ");
		const { files = [], names } = readers.find((each) => each.programs.test(words)) ?? {};
		if (files.length > 0 && moves) return `${name} uses the settings of the directory that it is in`;
		const found = above(around, files, (path) => names === undefined || says(path, names));
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
	// What comes first is started: directories behind the last one of shims need not be looked at.
	const last = searchPath.findLastIndex((each) => basename(each) === "shims");
	const directory = searchPath.slice(0, last + 1).find((each) => exists(join(each, name)));
	return directory !== undefined && basename(directory) === "shims";
}

/** A version has no slash: `../../x` and `path:/x` lead to a directory. */
function namesPath(path: string): boolean {
	return says(path, /\/|path|\.\./);
}

/** A file that is too large to read, or none, may say anything. */
function says(path: string, what: RegExp): boolean {
	try {
		const info = statSync(path, { throwIfNoEntry: false });
		if (info?.isFile() !== true || info.size > limits.ruleFileBytes) return true;
		return what.test(readFileSync(path, "utf8"));
	} catch {
		// It may be readable when the command runs.
		return true;
	}
}

function exists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		// In a directory that this user may not enter (PATH of root in `su`), a command finds nothing either.
		return false;
	}
}
