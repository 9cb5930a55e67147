/** Finds the extensions of a run, in the order in which they are loaded, without loading any. */
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { isGitIgnored } from "@tau/sys";
import { expandHome } from "@tau/utils";

import type { PackagedExtensions } from "../packages/index.ts";
import { extensionName } from "../api/extension.ts";
import type { ExtensionFactory, SourceInfo } from "../api/types.ts";
import type { ToolKind } from "../custom-tools/load-tool.ts";
import { programsIn } from "../custom-tools/program-files.ts";
import { projectExtensions } from "../trust/project-settings.ts";
import { entriesIn, entriesOf, type Entries } from "../packages/entries.ts";
import { extensionDirectories, toolDirectories, type ExtensionDirectory } from "./directories.ts";

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
	/** Those of packages. */
	packaged?(isTrusted: boolean): PackagedExtensions;
	/** The bundled ones that this run loads. They come last. */
	shipped?: readonly ShippedExtension[];
}

export interface ShippedExtension {
	id: string;
	load(): Promise<ExtensionFactory>;
}

export interface DiscoveredExtension {
	path: string;
	sourceInfo: SourceInfo;
	/** It gives tools, or is one: found in a directory of tools. */
	toolKind?: ToolKind;
	/** It is part of the program, and no file is read. */
	load?(): Promise<ExtensionFactory>;
}

type Take = (path: string, info: Omit<SourceInfo, "path">, toolKind?: ToolKind) => void;

export interface Discovery {
	extensions: DiscoveredExtension[];
	problems: { path: string; error: string }[];
	/** Of the project, and left out because it is not trusted. */
	untrusted: string[];
	/** Left out because another one of the same name comes before it. */
	shadowed: string[];
	disabled: string[];
	/** Of the project, and left out because git ignores it: nobody who reviews the project sees it. */
	ignored: string[];
}

type Search = DiscoverRequest & { isIgnored(path: string): boolean };

export async function discoverExtensions(request: DiscoverRequest): Promise<Discovery> {
	const ignored = new Set(request.withDiscovery ? await ignoredFiles(request) : []);
	return search({ ...request, isIgnored: (path) => ignored.has(path) });
}

/** In the directories of the project; those of the user are the user's own affair. */
async function ignoredFiles(request: DiscoverRequest): Promise<string[]> {
	const files = [...extensionDirectories(request), ...toolDirectories(request)]
		.filter(({ scope }) => scope === "project")
		.map(contentsOf)
		.flatMap((contents) => [...contents.files, ...contents.programs]);
	const verdicts = await Promise.all(files.map(isGitIgnored));
	return files.filter((_, index) => verdicts[index]);
}

function search(request: Search): Discovery {
	const all: Discovery = {
		extensions: [],
		problems: [],
		untrusted: [],
		shadowed: [],
		disabled: [],
		ignored: [],
	};
	const seen = new Set<string>();
	const take: Take = (path, info, toolKind) => {
		const real = realOf(path);
		if (seen.has(real)) return;
		seen.add(real);
		if (isDisabled(path, request.disabled)) all.disabled.push(path);
		else all.extensions.push({ path, sourceInfo: { path, ...info }, ...(toolKind ? { toolKind } : {}) });
	};
	for (const directory of request.withDiscovery ? extensionDirectories(request) : [])
		takePlace(directory, request, all, take);
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
	if (request.withDiscovery) takeProject(request, all, take);
	takePackaged(request, all, take);
	// Last: a tool has the name only if no extension has it.
	for (const directory of request.withDiscovery ? toolDirectories(request) : [])
		takePlace(directory, request, all, take);
	takeShipped(request, all);
	return all;
}

/** What the settings of the project name. */
function takeProject({ cwd, isTrusted }: DiscoverRequest, all: Discovery, take: Take): void {
	for (const path of projectExtensions(cwd)) {
		const entries = entriesOf(path);
		if (!isTrusted) {
			all.untrusted.push(...entries.files);
			continue;
		}
		all.problems.push(...entries.problems);
		for (const file of entries.files)
			take(file, { source: "settings", scope: "project", ...originOf(entries, path) });
	}
}

function takePackaged(request: DiscoverRequest, all: Discovery, take: Take): void {
	const packaged = request.withDiscovery ? request.packaged?.(request.isTrusted) : undefined;
	if (!packaged) return;
	all.problems.push(...packaged.problems);
	all.untrusted.push(...packaged.untrusted);
	for (const { path, sourceInfo, toolKind } of packaged.found) take(path, sourceInfo, toolKind);
}

/** An extension of the user with the same name replaces a shipped one. */
function takeShipped({ shipped = [], disabled }: DiscoverRequest, all: Discovery): void {
	for (const { id, load } of shipped) {
		const path = `<builtin:${id}>`;
		const sourceInfo = { path, source: "builtin", scope: "temporary", origin: "top-level" } as const;
		if (isDisabled(path, disabled)) all.disabled.push(path);
		else if (all.extensions.some((other) => !other.toolKind && extensionName(other.path) === id))
			all.shadowed.push(path);
		else all.extensions.push({ path, sourceInfo, load });
	}
}

function takePlace(
	location: ExtensionDirectory,
	{ isTrusted, isIgnored }: Search,
	all: Discovery,
	take: Take,
): void {
	const { directory, scope, source, holds } = location;
	const contents = contentsOf(location);
	const { problems } = contents;
	all.ignored.push(...[...contents.files, ...contents.programs].filter(isIgnored));
	const [files, programs] = [contents.files, contents.programs].map((paths) =>
		paths.filter((path) => !isIgnored(path)),
	) as [string[], string[]];
	if (scope === "project" && !isTrusted) {
		all.untrusted.push(...files, ...programs);
		return;
	}
	all.problems.push(...problems);
	const info = { source, scope, origin: "top-level", baseDir: directory } as const;
	for (const file of files) {
		const name = extensionName(file);
		// The user has the same extension for several programs: it must not be loaded twice.
		const before = all.extensions.find(
			({ path, sourceInfo: other }) =>
				extensionName(path) === name &&
				dirname(path) !== dirname(file) &&
				other.source !== source &&
				other.baseDir?.endsWith(join("/", holds)),
		);
		if (before) all.shadowed.push(file);
		else take(file, info, holds === "tools" ? "module" : undefined);
	}
	for (const program of programs) take(program, info, "program");
}

/** Programs are tools only in Tau's own directories: those of others were not written to be asked what they are. */
function contentsOf({ directory, source, holds }: ExtensionDirectory): Entries & { programs: string[] } {
	const programs = holds === "tools" && source === "tau" ? programsIn(directory) : [];
	return { ...entriesIn(directory), programs };
}

function originOf({ isPackage }: Entries, baseDir: string): Pick<SourceInfo, "origin" | "baseDir"> {
	return isPackage ? { origin: "package", baseDir } : { origin: "top-level" };
}

function isDisabled(path: string, disabled: readonly string[]): boolean {
	const name = extensionName(path);
	return disabled.includes(name) || disabled.includes(`extension-module:${name}`);
}

/** Paths that were copied from a page may contain look-alikes of spaces. */
function plainSpaces(path: string): string {
	return path.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// The file was removed after discovery: the import reports that.
		return path;
	}
}
