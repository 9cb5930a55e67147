/** Creates discovery providers from sources: each searches the directories of one program for one kind. */
import { join } from "node:path";

import { readAgents } from "@tau/resources/agents";
import { findHooks } from "../hooks/index.ts";
import { findTemplates } from "@tau/resources/prompt-templates";
import { findSkills } from "@tau/resources/skills";
import { agents, commands, hooks, mcpServers, rules, skills } from "./capabilities.ts";
import { type DiscoveryPaths, sources, type Part, type Source } from "@tau/resources/sources";
import { findDocuments } from "./read/documents.ts";
import { findMcpServers } from "./read/mcp.ts";
import { type DiscoveryRegistry, together, type Findings, type Origin } from "@tau/resources/discovery";

/** A part in one directory. */
interface Spot<P extends Part> extends Omit<Origin, "path"> {
	part: P;
	path: string;
	/** The real path that must contain the files of a project. */
	within?: string;
}

type PartOf<K extends Part["kind"]> = Extract<Part, { kind: K }>;

export function registerSource(registry: DiscoveryRegistry, source: Source, priority: number): void {
	const { id } = source;
	const each =
		<K extends Part["kind"], T>(kind: K, find: (spot: Spot<PartOf<K>>) => Findings<T>) =>
		async (paths: DiscoveryPaths): Promise<Findings<T>> =>
			together(spotsOf(source, kind, paths).map(find));
	registry.register(skills, {
		source: id,
		priority,
		load: each("skills", ({ part, path, ...origin }) =>
			findSkills({ ...origin, directory: path, rootFiles: part.rootFiles }),
		),
	});
	registry.register(commands, {
		source: id,
		priority,
		load: each("commands", ({ part: { ending, format, deep }, path, ...origin }) =>
			findTemplates({ ...origin, directory: path, ending, format, deep }),
		),
	});
	registry.register(rules, {
		source: id,
		priority,
		load: each("rules", ({ part: { endings, deep, isAlwaysByDefault }, path, ...origin }) => {
			const { items, warnings } = findDocuments({ ...origin, at: path, endings, deep });
			return { items: items.map((item) => ({ ...item, isAlwaysByDefault })), warnings };
		}),
	});
	registry.register(agents, {
		source: id,
		priority,
		load: each("agents", ({ part: { endings, deep }, path, ...origin }) =>
			readAgents(findDocuments({ ...origin, at: path, endings, deep })),
		),
	});
	registry.register(mcpServers, {
		source: id,
		priority,
		load: async (paths) =>
			together(
				spotsOf(source, "mcp", paths).map(({ part, path, source: from, level }) =>
					findMcpServers({ source: from, level, path }, part.keys, paths.root),
				),
			),
	});
	registry.register(hooks, {
		source: id,
		priority,
		load: each("hooks", ({ part, within, ...place }) => {
			// Its commands run in the directory of the file, not in the root above it.
			const projectDir = place.path.slice(0, -part.at.length - 1);
			return findHooks({ ...place, within, ...(place.level === "project" ? { projectDir } : {}) });
		}),
	});
}

/** The files in which any program may have MCP servers, whether they exist or not. */
export function mcpFiles(paths: DiscoveryPaths): string[] {
	const everywhere = { ...paths, has: () => true };
	const spots = sources.flatMap((source) => spotsOf(source, "mcp", everywhere));
	return [...new Set(spots.map(({ path }) => path))];
}

/** The project's locations come first, the nearest before its parents; then the user's. */
function spotsOf<K extends Part["kind"]>(source: Source, kind: K, paths: DiscoveryPaths): Spot<PartOf<K>>[] {
	const isAsked = (part: Part): part is PartOf<K> => part.kind === kind;
	const inProject = source.project.filter(isAsked);
	const base = source.userBase?.(paths) ?? paths.home;
	const project = paths.directories.flatMap((directory) =>
		inProject
			.filter((part) => isThere(paths, directory, part))
			.map((part) => ({
				part,
				path: join(directory, part.at),
				source: source.id,
				level: "project" as const,
				within: paths.realRoot,
			})),
	);
	const user = source.user
		.filter(isAsked)
		.filter((part) => isThere(paths, base, part))
		.map((part) => ({ part, path: join(base, part.at), source: source.id, level: "user" as const }));
	return [...project, ...user];
}

/** The first part of the path is checked once for all: mostly it is missing. */
function isThere(paths: DiscoveryPaths, directory: string, { at }: Part): boolean {
	return paths.has(directory, at.split("/")[0] ?? at);
}
