/** Lists the extensions of the packages that apply to a directory, for the extension loader. */
import { dirname } from "node:path";

import { infoOf, type Switches } from "@tau/resources/discovery";
import type { SourceInfo } from "../api/source-info.ts";
import { findPackages, type FindRequest } from "./find.ts";
import { openPackage, type InstalledPackage } from "./installed-package.ts";

export interface PackagedExtensions {
	/** Those with a kind of tools are omp's: modules that give tools. */
	found: { path: string; sourceInfo: SourceInfo; toolKind?: "module" }[];
	problems: { path: string; error: string }[];
	/** Of packages of the project, which is not trusted. */
	untrusted: string[];
}

export function packagedExtensions(request: FindRequest, switches?: Switches): PackagedExtensions {
	const all: PackagedExtensions = { found: [], problems: [], untrusted: [] };
	for (const one of findPackages(request).packages) {
		if (one.off !== undefined || switches?.disables("extensions", one.from) !== undefined) continue;
		const { contents, problem } = openPackage(one);
		if (problem !== undefined) all.problems.push({ path: one.root, error: problem });
		const { extensions, hooks, tools } = contents.resources;
		const found = [
			...[...extensions, ...hooks.filter(isModule)].map(({ path }) => ({ path })),
			...tools.map(({ path }) => ({ path, toolKind: "module" as const })),
		];
		if (one.scope === "project" && !request.isTrusted) all.untrusted.push(...found.map(({ path }) => path));
		else all.found.push(...found.map((file) => ({ ...file, sourceInfo: infoFor(file.path, one) })));
	}
	return all;
}

/** omp's hooks are modules with the contract of extensions; Claude Code's are JSON. */
function isModule({ path }: { path: string }): boolean {
	return /\.[cm]?[jt]sx?$/.test(path);
}

function infoFor(path: string, { source, scope, root }: InstalledPackage): SourceInfo {
	const baseDir = infoOf(root)?.isDirectory() ? root : dirname(root);
	return { path, source, scope, origin: "package", baseDir };
}
