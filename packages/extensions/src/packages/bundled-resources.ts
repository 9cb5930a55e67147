/** What a package named by `-e` provides besides its extensions, as in pi: skills, prompt templates and themes. */
import { resolve } from "node:path";

import { expandHome, log, remoteWord, type Env } from "@tau/utils";

import { infoOf } from "@tau/resources/discovery";
import { contentsOf, type Contents } from "./contents.ts";
import { temporaryContents } from "./temporary-package.ts";
import { readManifest } from "./manifest.ts";

export interface BundledResources {
	skills: string[];
	prompts: string[];
	themes: string[];
}

/** Problems of a package are reported by the code that loads its extensions, and by the code that fetches it. */
export function bundledResources(named: readonly string[], cwd: string, env: Env): BundledResources {
	const all: BundledResources = { skills: [], prompts: [], themes: [] };
	for (const word of named) {
		const contents = remoteWord.test(word) ? fetched(word, cwd, env) : beside(resolve(cwd, expandHome(word)));
		for (const kind of ["skills", "prompts", "themes"] as const)
			all[kind].push(...(contents?.resources[kind] ?? []).map(({ path }) => path));
	}
	return all;
}

/** A directory with a manifest. */
function beside(root: string): Contents | undefined {
	const read = infoOf(root)?.isDirectory() ? readManifest(root) : undefined;
	if (!read?.ok || read.manifest.format === "plain") return undefined;
	return contentsOf(root, read.manifest, { features: null });
}

function fetched(word: string, cwd: string, env: Env): Contents | undefined {
	try {
		return temporaryContents(word, { cwd, env });
	} catch (error) {
		log.info("cannot read the resources of an -e package", { source: word, reason: String(error) });
		return undefined;
	}
}
