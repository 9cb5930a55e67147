/** Code that only the file beside it uses has no small file of its own. */
import { posix } from "node:path";
import { limits } from "../limits.ts";
import { readModules, type Module } from "../modules.ts";
import { isProduct, isTest } from "../paths.ts";
import type { Problem } from "../problem.ts";

/** Small files with one importer that stay on their own, each with its reason. */
const allowed: readonly { path: string; because: string }[] = [
	{ path: "packages/extensions/src/host/block-exit.ts", because: "patches a global, which loading does not" },
	{ path: "packages/tools/src/urls/conflict.ts", because: "each URL scheme has a file" },
	{ path: "packages/tools/src/urls/local.ts", because: "each URL scheme has a file" },
];

export async function scatter(root: string): Promise<Problem[]> {
	const modules = await readModules(root);
	const importers = importersOf(modules);
	return modules.flatMap(({ path, text }): Problem[] => {
		const lines = text.split("\n").length - 1;
		if (!isProduct(path) || isEntryPoint(path) || lines >= limits.smallFileLines) return [];
		if (allowed.some((file) => file.path === path)) return [];
		const all = importers.get(path) ?? [];
		// The bounds of a folder stay where they are expected if a test reads them too.
		if (posix.basename(path) === "limits.ts" && all.some((importer) => isTest(importer.path))) return [];
		const [only, ...others] = all.filter((importer) => !isTest(importer.path));
		if (!only || others.length > 0 || only.isLazy || isEntryPoint(only.path)) return [];
		if (posix.dirname(only.path) !== posix.dirname(path)) return [];
		const message = `has ${lines} lines and only ${posix.basename(only.path)} imports it: move its code there`;
		return [{ file: path, message }];
	});
}

interface Importer {
	path: string;
	/** Only `import()` loads the file, so that it costs nothing before its first use. */
	isLazy: boolean;
}

function importersOf(modules: readonly Module[]): Map<string, Importer[]> {
	const importers = new Map<string, Importer[]>();
	for (const { path, links } of modules) {
		const byTarget = Map.groupBy(links, ({ target }) => target);
		for (const [target, own] of byTarget) {
			if (target === undefined) continue;
			const kinds = new Set(own.map(({ kind }) => kind));
			const importer = { path, isLazy: kinds.has("lazy") && !kinds.has("value") };
			importers.set(target, [...(importers.get(target) ?? []), importer]);
		}
	}
	return importers;
}

function isEntryPoint(path: string): boolean {
	return posix.basename(path) === "index.ts";
}
