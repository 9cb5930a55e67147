/** Finds rule files, the nearest first: of the project up to its root, then of the person. */
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { limits } from "./limits.ts";
import type { RuleText } from "./parse.ts";

export interface RuleFile extends Omit<RuleText, "text"> {}

export interface RulePlaces {
	cwd: string;
	/** Where the walk up ends. */
	root: string;
	agentDir: string;
	home: string;
}

export type FindRules = (places: RulePlaces) => RuleFile[];

interface Source {
	directory: string;
	isAlwaysByDefault: boolean;
}

const source = (directory: string, isAlwaysByDefault = true): Source => ({ directory, isAlwaysByDefault });

const projectSources = [
	source(".tau/rules"),
	source(".omp/rules"),
	source(".claude/rules"),
	source(".cursor/rules", false),
	source(".windsurf/rules"),
	source(".clinerules"),
];
const userSources = [source(".omp/agent/rules"), source(".claude/rules")];

export const findRuleFiles: FindRules = ({ cwd, root, agentDir, home }) => {
	const files: RuleFile[] = [];
	for (let at = resolve(cwd); ; at = dirname(at)) {
		// The person's own directories are not those of a project that happens to be the home.
		if (at === home) break;
		for (const each of projectSources) files.push(...within(at, each, "project"));
		if (at === root || dirname(at) === at) break;
	}
	files.push(...within(agentDir, source("rules"), "user"));
	for (const each of userSources) files.push(...within(home, each, "user"));
	return files;
};

function within(
	base: string,
	{ directory, isAlwaysByDefault }: Source,
	level: RuleFile["level"],
): RuleFile[] {
	const top = join(base, directory);
	return namesIn(top, "", limits.depth)
		.slice(0, limits.files)
		.map((file) => ({
			name: file.replace(/\.mdc?$/i, ""),
			path: join(top, file),
			level,
			isAlwaysByDefault,
		}));
}

/** In the order of their names, so that it is the same on every machine. */
function namesIn(top: string, below: string, depth: number): string[] {
	try {
		const entries = readdirSync(join(top, below), { withFileTypes: true });
		return entries
			.toSorted((a, b) => (a.name < b.name ? -1 : 1))
			.flatMap((entry) => {
				const path = below === "" ? entry.name : `${below}/${entry.name}`;
				if (entry.isDirectory()) return depth > 1 ? namesIn(top, path, depth - 1) : [];
				return /\.mdc?$/i.test(entry.name) ? [path] : [];
			});
	} catch {
		// Most directories are not there; one that nobody may read has no rules for us.
		return [];
	}
}
