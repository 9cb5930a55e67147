/** Reports the contents of installed packages to the registry: Tau's own, and those of pi, oh-my-pi and Claude Code. */
import { basename, dirname, relative, sep } from "node:path";

import { readAgents } from "@tau/resources/agents";
import { trustOf } from "../trust/trust.ts";
import { findHooks } from "../hooks/index.ts";
import { findPackages, openPackage, type InstalledPackage, type Resource } from "../packages/index.ts";
import { findNamedTemplates, type PromptTemplate } from "@tau/resources/prompt-templates";
import { findNamedSkills, findSkills, type Skill } from "@tau/resources/skills";
import { agents, commands, hooks, mcpServers, rules, skills, type NamedFile } from "./capabilities.ts";
import type { DiscoveryPaths } from "@tau/resources/sources";
import { findDocuments } from "./read/documents.ts";
import { findMcpServers } from "./read/mcp.ts";
import {
	type DiscoveryRegistry,
	type Provider,
	nothing,
	together,
	type Capability,
	type Discovered,
	type Findings,
	type Origin,
	type Warning,
} from "@tau/resources/discovery";

type From = InstalledPackage["from"];
type PackageLookup = ReturnType<typeof findPackages>;
type Contents = ReturnType<typeof openPackage>["contents"];

/** `from`: the program that installed the packages; they are disabled with its other files. */
export function registerPackages(registry: DiscoveryRegistry, from: From, priority: number): void {
	const register = <T extends Discovered>(
		capability: Capability<T>,
		find: (contents: Contents, one: InstalledPackage) => Findings<T>,
		more?: (paths: DiscoveryPaths) => Warning[],
	): void => {
		const provider: Provider<T> = {
			source: from,
			priority,
			load: async (paths) => {
				const parts = usedOf(paths, from).map(({ one, contents }) => find(contents, one));
				return together([...parts, { items: [], warnings: more?.(paths) ?? [] }]);
			},
		};
		registry.register(capability, provider);
	};
	register(skills, ({ resources }, one) => each(resources.skills, one, skillAt), problemsOf(from));
	register(commands, ({ resources }, one) =>
		each([...resources.prompts, ...resources.commands], one, templateAt),
	);
	register(agents, ({ resources }, one) => readAgents(each(resources.agents, one, documentAt)));
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
	one: InstalledPackage,
	find: (resource: Resource, one: InstalledPackage) => Findings<T>,
): Findings<T> {
	return together(resources.map((resource) => find(resource, one)));
}

interface Used {
	one: InstalledPackage;
	contents: Contents;
}

/** Computed once for all kinds: the paths of a run are one value. */
const known = new WeakMap<
	DiscoveryPaths,
	{ found: PackageLookup; used: Map<InstalledPackage, Contents>; problems: Warning[] }
>();

function lookup(paths: DiscoveryPaths): {
	found: PackageLookup;
	used: Map<InstalledPackage, Contents>;
	problems: Warning[];
} {
	const before = known.get(paths);
	if (before) return before;
	const { cwd, home, agentDir, isTrusted = trustOf(cwd, agentDir) === true } = paths;
	const installedPackages = findPackages({ cwd, home, agentDir, isTrusted });
	const problems: Warning[] = [...installedPackages.problems];
	const used = new Map<InstalledPackage, Contents>();
	for (const one of installedPackages.packages) {
		if (one.off !== undefined) continue;
		const { contents, problem } = openPackage(one);
		used.set(one, contents);
		const path = one.root;
		if (problem !== undefined) problems.push({ path, message: problem, isLeftOut: true });
		for (const { kind, message } of contents.problems)
			problems.push({ path, message: `${kind}: ${message}`, isLeftOut: false });
	}
	const all = { found: installedPackages, used, problems };
	known.set(paths, all);
	return all;
}

function usedOf(paths: DiscoveryPaths, from: From): Used[] {
	return [...lookup(paths).used]
		.filter(([one]) => one.from === from)
		.map(([one, contents]) => ({ one, contents }));
}

/** Problems of the packages themselves are reported once, for the first of the programs. */
function problemsOf(from: From): (paths: DiscoveryPaths) => Warning[] {
	return (paths) => (from === "packages" ? lookup(paths).problems : []);
}

function originOf(path: string, { from, scope }: InstalledPackage): Origin {
	return { source: from, level: scope, path };
}

function skillAt({ path }: Resource, one: InstalledPackage): Findings<Skill> {
	const { source, level } = originOf(path, one);
	if (basename(path) === "SKILL.md")
		return findSkills({ directory: dirname(path), rootFiles: false, source, level });
	return moved(findNamedSkills(path, source), one);
}

/** `commands/git/commit.md` is `git:commit`, and behind the name of a plugin of Claude Code's. */
function templateAt({ path, namespace }: Resource, one: InstalledPackage): Findings<PromptTemplate> {
	const findings = moved(findNamedTemplates(path, one.from), one);
	const parts = relative(one.root, path).replace(/\.md$/, "").split(sep);
	const at = parts.lastIndexOf("commands");
	const own = at < 0 ? parts.slice(-1) : parts.slice(at + 1);
	const name = [...(namespace === undefined ? [] : [namespace]), ...own].join(":").replaceAll(/\s+/g, "-");
	return { ...findings, items: findings.items.map((item) => ({ ...item, name })) };
}

function documentAt({ path }: Resource, one: InstalledPackage): Findings<NamedFile> {
	const { source, level } = originOf(path, one);
	const findings = findDocuments({ at: path, endings: [], deep: false, source, level });
	return {
		...findings,
		items: findings.items.map((item) => ({ ...item, name: item.name.replace(/\.mdc?$/, "") })),
	};
}

/** The commands of a plugin refer to its directory by this variable. */
function hooksAt({ path, base }: Resource, one: InstalledPackage): ReturnType<typeof findHooks> {
	if (!path.endsWith(".json")) return nothing();
	return findHooks({ ...originOf(path, one), env: { CLAUDE_PLUGIN_ROOT: base } });
}

function moved<T extends Discovered>({ items, warnings }: Findings<T>, one: InstalledPackage): Findings<T> {
	return {
		items: items.map((item) => ({ ...item, origin: originOf(item.origin.path, one) })),
		warnings,
	};
}
