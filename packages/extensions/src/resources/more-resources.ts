/** Adds the skills and templates that extensions provide to the discovered ones. */
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { findNamedTemplates } from "@tau/resources/prompt-templates";
import { findNamedSkills } from "@tau/resources/skills";
import type { Resources } from "./resources.ts";
import type { Discovered, Findings } from "@tau/resources/discovery";

export interface ResourcePaths {
	skillPaths: readonly string[];
	promptPaths: readonly string[];
}

const source = "extension";

/**
 * Changes the resources in place, so that all holders of a session's resources see them. Earlier additions are removed,
 * and one whose name is taken is left out. Returns whether the list of skills has changed.
 */
export function addResources(resources: Resources, { skillPaths, promptPaths }: ResourcePaths): boolean {
	const find = <T>(paths: readonly string[], look: (path: string, from: string) => Findings<T>): T[] =>
		paths.flatMap((path) => look(resolve(resources.cwd, expandHome(path, resources.home)), source).items);
	exchange(resources.templates, find(promptPaths, findNamedTemplates));
	return exchange(resources.skills, find(skillPaths, findNamedSkills));
}

function exchange<T extends Discovered & { name: string }>(all: readonly T[], added: readonly T[]): boolean {
	const found = all.filter(({ origin }) => origin.source !== source);
	// The first of a name is used.
	const byName = new Map([...found, ...added].toReversed().map((each) => [each.name, each]));
	const fresh = added.filter((each) => byName.get(each.name) === each);
	const isSame = found.length === all.length && fresh.length === 0;
	// The lists were created for this session; they are read-only for everyone else.
	if (!isSame) (all as T[]).splice(0, all.length, ...found, ...fresh);
	return !isSame;
}
