/** Finds the packages that count for a directory: Tau's own, those that settings name, and those of other programs. */
import { join } from "node:path";

import { infoOf, isInside, realOf } from "@tau/resources/discovery";
import { claudePlugins } from "./claude-plugins.ts";
import { declaredPackages, type Declared, type DeclaredProblem } from "./declared.ts";
import type { InstalledPackage } from "./installed-package.ts";
import { ompPlugins } from "./omp-plugins.ts";
import { noOverrides, readOverrides, type Overrides } from "./overrides.ts";
import { resourceKinds } from "./manifest.ts";
import { readJson, textIn } from "./record.ts";
import { fallbackName, identityOf, readSource } from "./source.ts";
import { readState, stateFile } from "./state.ts";
import { projectHome, rootOf, userHome, type PackageHome } from "./homes.ts";

export interface FindRequest {
	cwd: string;
	home: string;
	agentDir: string;
	/** Whether the project's settings apply. */
	isTrusted: boolean;
}

export interface InstalledPackages {
	/** Of two with the same name only the first is not off. */
	packages: InstalledPackage[];
	problems: (DeclaredProblem & { isLeftOut: boolean })[];
	/** What Tau's own settings name, and what has to be fetched before it can be used. */
	missing: Declared[];
}

export function findPackages(request: FindRequest): InstalledPackages {
	const { cwd, home, agentDir, isTrusted } = request;
	const all: InstalledPackages = { packages: [], problems: [], missing: [] };
	const overrides = isTrusted ? readOverrides(cwd) : noOverrides;
	if (overrides.problem) all.problems.push({ ...overrides.problem, isLeftOut: true });
	const { declared, problems } = declaredPackages(request);
	all.problems.push(...problems.map((problem) => ({ ...problem, isLeftOut: true })));
	const installed = [
		...installedIn(projectHome(cwd), all).filter(({ root }) => isTrusted || liesIn(root, cwd)),
		...installedIn(userHome(agentDir), all),
	];
	const installedPackages = [
		...installed.map((one) => narrowed(one, declared)),
		...declaredOnly(declared, installed, request, all),
		...ompPlugins(home, overrides),
		...claudePlugins(request),
	];
	const seen = new Map<string, InstalledPackage>();
	for (const one of installedPackages) {
		const before = seen.get(keyOf(one));
		const off =
			one.off ?? (before ? `another package takes precedence: ${before.root}` : offHere(one, overrides));
		const features = overrides.features.get(one.name) ?? one.features;
		all.packages.push({ ...one, features, ...(off === undefined ? {} : { off }) });
		if (off === undefined) seen.set(keyOf(one), one);
	}
	return all;
}

/** Claude Code's plugins have names of their own. */
function keyOf({ from, name }: InstalledPackage): string {
	return `${from === "claude" ? "claude:" : ""}${name}`;
}

function offHere({ name }: InstalledPackage, { disabled }: Overrides): string | undefined {
	return disabled.has(name) ? "disabled by the project" : undefined;
}

function liesIn(root: string, cwd: string): boolean {
	const [real, project] = [realOf(root), realOf(cwd)];
	return real !== undefined && project !== undefined && isInside(real, project);
}

/** Those of a lock file. */
function installedIn(home: PackageHome, all: Pick<InstalledPackages, "problems">): InstalledPackage[] {
	const read = readState(home.directory);
	if (!read.ok) {
		const message = `${read.reason}. None of its packages are used. Run tau plugin doctor --fix to repair it`;
		all.problems.push({ path: stateFile(home.directory), message, isLeftOut: true });
		return [];
	}
	return [...read.state.plugins].map(([name, entry]) => ({
		name,
		version: entry.version,
		source: entry.source,
		from: "packages",
		scope: home.scope,
		root: rootOf(home, entry),
		...(entry.enabled ? {} : { off: "disabled; run tau plugin enable" }),
		features: entry.enabledFeatures,
		filters: withoutFiles(entry.without ?? []),
	}));
}

/** What the first entry of the settings takes of it, and what a project leaves of that. */
function narrowed(one: InstalledPackage, declared: readonly Declared[]): InstalledPackage {
	const identity = identityIn(one);
	return {
		...one,
		filters: [
			...one.filters,
			...filtersFor(declared.filter((entry) => entry.program === "tau" && entry.identity === identity)),
		],
	};
}

/** A path is of one kind, and names nothing in the others. */
function withoutFiles(paths: readonly string[]): InstalledPackage["filters"] {
	if (paths.length === 0) return [];
	const off = paths.map((path) => `-${path}`);
	return [Object.fromEntries(resourceKinds.map((kind) => [kind, off]))];
}

function filtersFor(entries: readonly Declared[]): InstalledPackage["filters"] {
	const whole = entries.find(({ isDelta }) => !isDelta);
	const deltas = entries.filter(({ isDelta }) => isDelta);
	return [...(whole ? [whole] : []), ...deltas].flatMap(({ filters }) => (filters ? [filters] : []));
}

function identityIn({ source, root }: InstalledPackage): string {
	const read = readSource(source, { cwd: root, home: root });
	if (!read.ok) return source;
	return read.source.kind === "path" ? `path:${root}` : identityOf(read.source);
}

/** Local paths and packages that pi has installed are used in place. */
function declaredOnly(
	declared: readonly Declared[],
	installed: readonly InstalledPackage[],
	{ cwd, home }: FindRequest,
	all: InstalledPackages,
): InstalledPackage[] {
	const known = new Set(installed.map(identityIn));
	return declared.flatMap((entry) => {
		const { identity, source, scope, text, file, program, isDelta } = entry;
		if (known.has(identity) || isDelta) return [];
		known.add(identity);
		const root = source.kind === "path" ? source.path : rootOfPi(entry, cwd, home);
		if (root === undefined || !infoOf(root)) {
			const isOwn = program === "tau";
			const way = scope === "project" && isOwn ? "-l " : "";
			const message = `packages: ${text} is not installed. Run tau install ${way}${text}`;
			all.problems.push({ path: file, message, isLeftOut: isOwn });
			if (isOwn && source.kind !== "path") all.missing.push(entry);
			return [];
		}
		const json = readJson(join(root, "package.json"));
		const name = (json.ok ? textIn(json.value, "name") : undefined) ?? fallbackName(source);
		const version = (json.ok ? textIn(json.value, "version") : undefined) ?? "0.0.0";
		const filters = filtersFor(declared.filter((one) => one.identity === identity));
		const from = program === "pi" ? "pi" : "packages";
		return [
			{ name, version, source: text, from, scope, root, features: null, filters } satisfies InstalledPackage,
		];
	});
}

function rootOfPi({ source, scope }: Declared, cwd: string, home: string): string | undefined {
	const base = scope === "project" ? join(cwd, ".pi") : join(home, ".pi/agent");
	if (source.kind === "npm") return join(base, "npm/node_modules", source.name);
	return source.kind === "git" ? join(base, "git", source.host, source.path) : undefined;
}
