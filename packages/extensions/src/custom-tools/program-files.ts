/** Finds the programs in a directory of tools: scripts, and whatever else can be run. */
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";

import { limits } from "./limits.ts";

/** Modules are loaded, and these are text and data. */
const others = new Set([
	".ts",
	".js",
	".mts",
	".mjs",
	".cts",
	".cjs",
	".tsx",
	".jsx",
	".json",
	".jsonc",
	".md",
	".txt",
	".yml",
	".yaml",
	".toml",
	".lock",
]);

/** Run by their interpreter if they are not executable. */
const interpreters: Readonly<Record<string, string>> = { ".sh": "bash", ".bash": "bash", ".py": "python3" };

/** Absolute paths, in the order of their names. */
export function programsIn(directory: string): string[] {
	return namesIn(directory)
		.filter((name) => !name.startsWith(".") && !name.endsWith("~") && !others.has(extname(name)))
		.slice(0, limits.perDirectory)
		.map((name) => join(directory, name))
		.filter(isProgram);
}

/** The command that starts it. */
export function commandOf(path: string): [string, ...string[]] {
	const interpreter = interpreters[extname(path)];
	return interpreter === undefined || isExecutable(path) ? [path] : [interpreter, path];
}

function isProgram(path: string): boolean {
	try {
		if (!statSync(path).isFile()) return false;
		return extname(path) in interpreters || isExecutable(path);
	} catch {
		// A link that leads nowhere.
		return false;
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// Not for us to run, or not to be run at all.
		return false;
	}
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory).toSorted();
	} catch {
		// Most directories of tools are not there.
		return [];
	}
}
