/** Finds the extensions of a run, in the order in which they are loaded, without loading any. */
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { extensionName } from "../extension.ts";
import type { SourceInfo } from "../types.ts";
import { entriesIn, entriesOf, type Entries } from "./entries.ts";

export interface DiscoverRequest {
	cwd: string;
	home: string;
	agentDir: string;
	/** What the command line names. */
	explicit: readonly string[];
	/** What the settings name. */
	configured: readonly string[];
	/** Ids, as `extension-module:name`, or names. */
	disabled: readonly string[];
	/** False: only what the command line names. */
	withDiscovery: boolean;
	/** Whether code of the project may run. */
	isTrusted: boolean;
}

export interface FoundExtension {
	path: string;
	sourceInfo: SourceInfo;
}

export interface Discovery {
	found: FoundExtension[];
	problems: { path: string; error: string }[];
	/** Of the project, and left out because it is not trusted. */
	untrusted: string[];
	/** Left out because another one of the same name comes before it. */
	shadowed: string[];
	disabled: string[];
}

interface Place {
	directory: string;
	scope: SourceInfo["scope"];
	source: string;
}

/** Tau's own directories come before those of omp and pi, and a project's before the person's. */
function placesOf({ cwd, home, agentDir }: DiscoverRequest): Place[] {
	return [
		{ directory: join(cwd, ".tau/extensions"), scope: "project", source: "tau" },
		{ directory: join(agentDir, "extensions"), scope: "user", source: "tau" },
		{ directory: join(cwd, ".omp/extensions"), scope: "project", source: "omp" },
		{ directory: join(home, ".omp/agent/extensions"), scope: "user", source: "omp" },
		{ directory: join(cwd, ".pi/extensions"), scope: "project", source: "pi" },
		{ directory: join(home, ".pi/agent/extensions"), scope: "user", source: "pi" },
	];
}

export function discoverExtensions(request: DiscoverRequest): Discovery {
	const all: Discovery = { found: [], problems: [], untrusted: [], shadowed: [], disabled: [] };
	const seen = new Set<string>();
	const take = (path: string, info: Omit<SourceInfo, "path">): void => {
		const real = realOf(path);
		if (seen.has(real)) return;
		seen.add(real);
		if (isDisabled(path, request.disabled)) all.disabled.push(path);
		else all.found.push({ path, sourceInfo: { path, ...info } });
	};
	for (const place of request.withDiscovery ? placesOf(request) : []) takePlace(place, request, all, take);
	const named = [
		...request.explicit.map((path) => ({ path, source: "cli", scope: "temporary" as const })),
		...(request.withDiscovery ? request.configured : []).map((path) => ({
			path,
			source: "settings",
			scope: "user" as const,
		})),
	];
	for (const { path, source, scope } of named) {
		const absolute = resolve(request.cwd, expandHome(plainSpaces(path), request.home));
		const entries = entriesOf(absolute);
		all.problems.push(...entries.problems);
		for (const file of entries.files) take(file, { source, scope, ...originOf(entries, absolute) });
	}
	return all;
}

function takePlace(
	{ directory, scope, source }: Place,
	{ isTrusted }: DiscoverRequest,
	all: Discovery,
	take: (path: string, info: Omit<SourceInfo, "path">) => void,
): void {
	const { files, problems } = entriesIn(directory);
	if (scope === "project" && !isTrusted) {
		all.untrusted.push(...files);
		return;
	}
	all.problems.push(...problems);
	for (const file of files) {
		const name = extensionName(file);
		// The same one, kept for several programs: it must not be there twice.
		const before = all.found.find(
			({ path, sourceInfo }) =>
				extensionName(path) === name && dirname(path) !== dirname(file) && sourceInfo.source !== source,
		);
		if (before) all.shadowed.push(file);
		else take(file, { source, scope, origin: "top-level", baseDir: directory });
	}
}

function originOf({ isPackage }: Entries, baseDir: string): Pick<SourceInfo, "origin" | "baseDir"> {
	return isPackage ? { origin: "package", baseDir } : { origin: "top-level" };
}

function isDisabled(path: string, disabled: readonly string[]): boolean {
	const name = extensionName(path);
	return disabled.includes(name) || disabled.includes(`extension-module:${name}`);
}

/** Paths that were copied from a page may hold spaces that are none. */
function plainSpaces(path: string): string {
	return path.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// Gone since it was found: the import says so.
		return path;
	}
}
