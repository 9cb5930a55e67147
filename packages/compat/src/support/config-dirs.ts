/** omp's functions for the directories that the configuration of several programs lies in, Tau's first. */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs } from "@tau/utils";

interface ConfigDir {
	path: string;
	/** The name of the program's directory, such as `.omp`. */
	source: string;
	level: "user" | "project";
}

interface ConfigDirOptions {
	user?: boolean;
	project?: boolean;
	cwd?: string;
	existingOnly?: boolean;
}

const sources = [".tau", ".omp", ".claude", ".codex", ".gemini"];

function userDir(source: string): string {
	if (source === ".tau") return dirs().agent;
	return join(dirs().home, source, source === ".omp" ? "agent" : "");
}

/** Those of the user, then those of the project, each in the order of the programs. */
function getConfigDirs(
	subpath: string,
	{ user = true, project = true, cwd = process.cwd(), existingOnly = false }: ConfigDirOptions = {},
): ConfigDir[] {
	const all = [
		...(user
			? sources.map((source) => ({
					path: join(userDir(source), subpath),
					source,
					level: "user" as const,
				}))
			: []),
		...(project
			? sources.map((source) => ({ path: join(cwd, source, subpath), source, level: "project" as const }))
			: []),
	];
	return existingOnly ? all.filter(({ path }) => existsSync(path)) : all;
}

function findConfigFileWithMeta(subpath: string, options: ConfigDirOptions = {}): ConfigDir | undefined {
	return getConfigDirs(subpath, options).find(({ path }) => existsSync(path));
}

/** For each program, the nearest directory at or above `cwd` that has one. */
function findAllNearestProjectConfigDirs(subpath: string, cwd: string = process.cwd()): ConfigDir[] {
	return sources.flatMap((source) => {
		for (let at = cwd; ; at = dirname(at)) {
			const path = join(at, source, subpath);
			if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
				return [{ path, source, level: "project" }];
			if (at === dirname(at)) return [];
		}
	});
}

export const configDirExports = {
	getConfigDirs,
	getConfigDirPaths: (subpath: string, options?: ConfigDirOptions) =>
		getConfigDirs(subpath, options).map(({ path }) => path),
	findConfigFile: (subpath: string, options?: ConfigDirOptions) =>
		findConfigFileWithMeta(subpath, options)?.path,
	findConfigFileWithMeta,
	findAllNearestProjectConfigDirs,
};
