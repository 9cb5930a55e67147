/** Where memories are stored: a directory for each project, and one for the user. */
import { basename, join } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { projectRoot } from "@tau/log/journal";
import { defaultSessionDir } from "@tau/log";

export interface MemoryDirectories {
	/** Undefined where there is no project, such as in the home directory. */
	project: { root: string; directory: string } | undefined;
	/** What holds in all projects. */
	global: string;
}

export function memoryDirectories(cwd: string, env: Env = process.env): MemoryDirectories {
	const { data, home } = dirs(env);
	const all = join(data, "memories");
	const root = projectRoot(cwd, home);
	const directory = root === undefined ? undefined : join(all, basename(defaultSessionDir(root)));
	return {
		project: root === undefined || directory === undefined ? undefined : { root, directory },
		global: join(all, "global"),
	};
}
