/** Tells the registry of what installed packages bring: Tau's own, and those of pi, oh-my-pi and Claude Code. */
import { basename, dirname, relative, sep } from "node:path";

import { trustOf } from "../trust/trust.ts";
import { findHooks } from "../hooks/index.ts";
import { findPackages, openPackage, type FoundPackage, type Resource } from "../packages/index.ts";
import { findNamedTemplates, type PromptTemplate } from "../prompt-templates/index.ts";
import { findNamedSkills, findSkills, type Skill } from "../skills/index.ts";
import { agents, commands, hooks, mcpServers, rules, skills, type NamedFile } from "./capabilities.ts";
import type { Places } from "./places.ts";
import { findDocuments } from "./read/documents.ts";
import { findMcpServers } from "./read/mcp.ts";
import type { DiscoveryRegistry, Provider } from "../discovery/registry.ts";
import {
	nothing,
	together,
	type Capability,
	type Discovered,
	type Findings,
	type Origin,
	type Warning,
} from "../discovery/types.ts";

type From = FoundPackage["from"];
type Found = ReturnType<typeof findPackages>;
type Contents = ReturnType<typeof openPackage>["contents"];

/** `from`: who brought the packages; they are switched off with what else that program leaves. */
export function registerPackages(registry: DiscoveryRegistry, from: From, priority: number): void {
	const register = <T extends Discovered>(
		capability: Capability<T>,
		find: (contents: Contents, one: FoundPackage) => Findings<T>,
		more?: (places: Places) => Warning[],
	): void => {
		const provider: Provider<T> = {
			source: from,
			priority,
			load: async (places) => {
				const parts = usedOf(places, from).map(({ one, contents }) => find(contents, one));
				return together([...parts, { items: [], warnings: more?.(places) ?? [] }]);
			},
		};
		registry.register(capability, provider);
	};
	register(skills, ({ resources }, one) => each(resources.skills, one, skillAt), problemsOf(from));
	register(commands, ({ resources }, one) =>
		each([...resources.prompts, ...resources.commands], one, templateAt),
	);
	register(agents, ({ resources }, one) => each(resources.agents, one, documentAt));
	register(rules, ({ resources }, one) => {
		const { items, warnings } = each(resources.rules, one, documentAt);
		return { items: items.map((item) => ({ ...item, isAlwaysByDefault: true })), warnings };
	});
	register(mcpServers, ({ resources }, one) =>
		each(resources.mcp, one, ({ path }) => findMcpServers(originOf(path, one), ["mcpServers"])),
	);
	register(hooks, ({ resources }, one) => each(resources.hooks, one, hooksAt));
}

function each<T>(
	resources: readonly Resource[],
	one: FoundPackage,
	find: (resource: Resource, one: FoundPackage) => Findings<T>,
): Findings<T> {
	return together(resources.map((resource) => find(resource, one)));
}

interface Used {
	one: FoundPackage;
	contents: Contents;
}

/** Looked for once for all kinds of things: the places of a run are one value. */
const known = new WeakMap<Places, { found: Found; used: Map<FoundPackage, Contents>; problems: Warning[] }>();

function lookup(places: Places): { found: Found; used: Map<FoundPackage, Contents>; problems: Warning[] } {
	const before = known.get(places);
	if (before) return before;
	const { cwd, home, agentDir } = places;
	const found = findPackages({ cwd, home, agentDir, isTrusted: trustOf(cwd, agentDir) === true });
	const problems: Warning[] = [...found.problems];
	const used = new Map<FoundPackage, Contents>();
	for (const one of found.packages) {
		if (one.off !== undefined) continue;
		const { contents, problem } = openPackage(one);
		used.set(one, contents);
		const path = one.root;
		if (problem !== undefined) problems.push({ path, message: problem, isLeftOut: true });
		for (const { kind, message } of contents.problems)
			problems.push({ path, message: `${kind}: ${message}`, isLeftOut: false });
	}
	const all = { found, used, problems };
	known.set(places, all);
	return all;
}

function usedOf(places: Places, from: From): Used[] {
	return [...lookup(places).used]
		.filter(([one]) => one.from === from)
		.map(([one, contents]) => ({ one, contents }));
}

/** What is wrong with packages as such is told once, by the first of the programs. */
function problemsOf(from: From): (places: Places) => Warning[] {
	return (places) => (from === "packages" ? lookup(places).problems : []);
}

function originOf(path: string, { from, scope }: FoundPackage): Origin {
	return { source: from, level: scope, path };
}

function skillAt({ path }: Resource, one: FoundPackage): Findings<Skill> {
	const { source, level } = originOf(path, one);
	if (basename(path) === "SKILL.md")
		return findSkills({ directory: dirname(path), rootFiles: false, source, level });
	return moved(findNamedSkills(path, source), one);
}

/** `commands/git/commit.md` is `git:commit`, and behind the name of a plugin of Claude Code's. */
function templateAt({ path, namespace }: Resource, one: FoundPackage): Findings<PromptTemplate> {
	const found = moved(findNamedTemplates(path, one.from), one);
	const parts = relative(one.root, path).replace(/\.md$/, "").split(sep);
	const at = parts.lastIndexOf("commands");
	const own = at < 0 ? parts.slice(-1) : parts.slice(at + 1);
	const name = [...(namespace === undefined ? [] : [namespace]), ...own].join(":").replaceAll(/\s+/g, "-");
	return { ...found, items: found.items.map((item) => ({ ...item, name })) };
}

function documentAt({ path }: Resource, one: FoundPackage): Findings<NamedFile> {
	const { source, level } = originOf(path, one);
	const found = findDocuments({ at: path, endings: [], deep: false, source, level });
	return {
		...found,
		items: found.items.map((item) => ({ ...item, name: item.name.replace(/\.mdc?$/, "") })),
	};
}

/** Its commands say where the plugin lies by this variable. */
function hooksAt({ path, base }: Resource, one: FoundPackage): ReturnType<typeof findHooks> {
	if (!path.endsWith(".json")) return nothing();
	return findHooks({ ...originOf(path, one), env: { CLAUDE_PLUGIN_ROOT: base } });
}

function moved<T extends Discovered>({ items, warnings }: Findings<T>, one: FoundPackage): Findings<T> {
	return {
		items: items.map((item) => ({ ...item, origin: originOf(item.origin.path, one) })),
		warnings,
	};
}
