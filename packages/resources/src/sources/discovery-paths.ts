/** The directories of discovery: those of the project, from the nearest to its root, and those of the user. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { projectRoot } from "../context-files/index.ts";
import { limits } from "../discovery/limits.ts";
import { realOf } from "../discovery/walk.ts";

export interface DiscoveryPaths {
	readonly cwd: string;
	/** The root of the repository, else the working directory. */
	readonly root: string;
	/** The root without links. */
	readonly realRoot: string;
	/** From the working directory up to the root. */
	readonly directories: readonly string[];
	readonly home: string;
	/** `~/.tau/agent` */
	readonly agentDir: string;
	/** `~/.config` */
	readonly configHome: string;
	/** Whether the project is trusted for this run; absent: as `trust.json` says. */
	readonly isTrusted?: boolean;
	/** Looks once at each place: most programs are not there, and have many places. */
	has(directory: string, name: string): boolean;
}

export function discoveryPaths(
	cwd: string,
	env: Env,
	run: Pick<DiscoveryPaths, "isTrusted"> = {},
): DiscoveryPaths {
	const { home, agent: agentDir } = dirs(env);
	const at = resolve(cwd);
	const root = projectRoot(at);
	const seen = new Map<string, boolean>();
	return {
		...run,
		cwd: at,
		root,
		realRoot: realOf(root) ?? root,
		// Files in the home directory belong to the user, even if it is a repository.
		directories: upwards(at, root).filter((directory) => directory !== home),
		home,
		agentDir,
		configHome:
			env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : join(home, ".config"),
		has(directory, name) {
			const path = join(directory, name);
			const known = seen.get(path) ?? existsSync(path);
			seen.set(path, known);
			return known;
		},
	};
}

function upwards(from: string, root: string): string[] {
	const out: string[] = [];
	for (let at = from; out.length < limits.ancestors; at = dirname(at)) {
		out.push(at);
		if (at === root || dirname(at) === at) break;
	}
	return out;
}
