/** What a package that `-e` names brings along besides its extensions, as in pi: skills and prompt templates. */
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { infoOf } from "../../discovery/walk.ts";
import { contentsOf } from "./contents.ts";
import { readManifest } from "./manifest.ts";

export interface BroughtAlong {
	skills: string[];
	prompts: string[];
}

/** Directories with a manifest; what is wrong with one is told by those who load its extensions. */
export function broughtAlong(named: readonly string[], cwd: string): BroughtAlong {
	const all: BroughtAlong = { skills: [], prompts: [] };
	for (const path of named) {
		const root = resolve(cwd, expandHome(path));
		const read = infoOf(root)?.isDirectory() ? readManifest(root) : undefined;
		if (!read?.ok || read.manifest.format === "plain") continue;
		const { resources } = contentsOf(root, read.manifest, { features: null });
		all.skills.push(...resources.skills.map((skill) => skill.path));
		all.prompts.push(...resources.prompts.map((prompt) => prompt.path));
	}
	return all;
}
