/** Lists the files that settings come from, lowest first. */
import { join, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { otherFiles, type OtherProgram } from "./other-programs.ts";
import type { FileLayer } from "./problem.ts";

export interface SourceOptions {
	cwd: string;
	/** The agent directory, which contains the user's own files. */
	agentDir: string;
	/** The directory of the profile in use: its file comes after the user's, and is the one that is written. */
	profile?: string | undefined;
	/** The home directory, if the user's settings for pi and omp count as well. */
	home?: string | undefined;
	/** Files for this run alone, from `--config`. */
	overlays?: readonly string[];
}

export interface Source {
	layer: FileLayer;
	path: string;
	/** True if the file belongs to another program: Tau reads it and never writes it. */
	isForeign: boolean;
	/** Present if it is the user's own file for that program. */
	program?: OtherProgram;
}

/** Later names win. All are YAML, which JSON is too, or JSON with comments. */
const ownNames = ["settings.json", "config.json", "config.jsonc", "config.yaml", "config.yml"] as const;

/**
 * `config.yml` comes after `settings.json`, the older form, and after its other names; these are only read. In a project Tau's
 * own directory wins over those of omp and pi, whose settings have the same names. The user's files of omp and pi are the
 * lowest of all.
 */
export function sourcesOf({ cwd, agentDir, profile, home, overlays = [] }: SourceOptions): Source[] {
	const own = join(cwd, ".tau");
	const project: Source[] = [
		source("project", join(cwd, ".pi/settings.json"), true),
		source("project", join(cwd, ".omp/settings.json"), true),
		source("project", join(cwd, ".omp/config.yaml"), true),
		source("project", join(cwd, ".omp/config.yml"), true),
		...ownNames.map((name) => source("project", join(own, name))),
	];
	const others = home === undefined ? [] : otherFiles(home, agentDir);
	return [
		...others.map(({ program, path }) => ({ ...source("global", path, true), program })),
		...ownNames.map((name) => source("global", join(agentDir, name))),
		...(profile === undefined ? [] : [source("global", join(profile, "config.yml"))]),
		// If the agent directory is in the project, its file is the user's.
		...project.filter(({ isForeign }) => isForeign || resolve(own) !== resolve(agentDir)),
		...overlays.map((path) => source("overlay", resolve(cwd, expandHome(path)))),
	];
}

/** The only files that Tau writes. */
export function writtenFile(scope: "global" | "project", { cwd, agentDir, profile }: SourceOptions): string {
	return scope === "global" ? join(profile ?? agentDir, "config.yml") : join(cwd, ".tau/config.yml");
}

function source(layer: FileLayer, path: string, isForeign = false): Source {
	return { layer, path, isForeign };
}
