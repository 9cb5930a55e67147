/** Finds folders of one package that import each other in a cycle; type imports do not count, because they do not exist at run time. */
import { isWorkbench, isTestingCode } from "./paths.ts";
import type { Module } from "./modules.ts";
import type { Problem } from "./problem.ts";

type Edge = { from: string; to: string; file: string; line: number; specifier: string };

/** One problem for each import between two folders that can reach each other. */
export function folderCycles(modules: Module[]): Problem[] {
	const edges = modules.flatMap(edgesOf);
	const targets = new Map<string, Set<string>>();
	for (const { from, to } of edges) targets.set(from, (targets.get(from) ?? new Set()).add(to));
	const reachable = new Map([...targets.keys()].map((folder) => [folder, reach(folder, targets)]));
	return edges.flatMap(({ from, to, file, line, specifier }): Problem[] => {
		if (!reachable.get(to)?.has(from)) return [];
		const message = `"${specifier}" closes a cycle of folders: ${to} already depends on ${from}; move what they share below both`;
		return [{ file, line, message }];
	});
}

function edgesOf({ path, links }: Module): Edge[] {
	if (isWorkbench(path) || isTestingCode(path)) return [];
	const from = folderOf(path);
	if (from === undefined) return [];
	return links.flatMap(({ target, line, kind, specifier }): Edge[] => {
		const to = kind === "type" || target === undefined ? undefined : folderOf(target);
		return to === undefined || to === from ? [] : [{ from, to, file: path, line, specifier }];
	});
}

/** `packages/x/src/folder`; undefined for files directly in `src`, which may import every folder. */
function folderOf(path: string): string | undefined {
	return /^(packages\/[^/]+\/src\/[^/]+)\/./.exec(path)?.[1];
}

function reach(start: string, targets: Map<string, Set<string>>): Set<string> {
	const seen = new Set<string>();
	const open = [...(targets.get(start) ?? [])];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		if (seen.has(next)) continue;
		seen.add(next);
		open.push(...(targets.get(next) ?? []));
	}
	return seen;
}
