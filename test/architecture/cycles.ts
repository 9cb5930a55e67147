/** Finds files that import each other in a cycle; type imports do not count, because they do not exist at run time. */
import type { Module } from "./modules.ts";
import type { Problem } from "./problem.ts";

type Edge = { target: string; line: number };

/** One problem for each import that closes a cycle, visiting each file once. */
export function cycles(modules: Module[]): Problem[] {
	const edges = new Map(modules.map(({ path, links }) => [path, edgesOf(links)]));
	const done = new Set<string>();
	const trail: string[] = [];
	const problems: Problem[] = [];

	const walk = (path: string): void => {
		trail.push(path);
		for (const { target, line } of edges.get(path) ?? []) {
			const start = trail.indexOf(target);
			if (start >= 0) problems.push({ file: path, line, message: reported([...trail.slice(start), target]) });
			else if (!done.has(target)) walk(target);
		}
		trail.pop();
		done.add(path);
	};

	for (const path of edges.keys()) if (!done.has(path)) walk(path);
	return problems;
}

function edgesOf(links: Module["links"]): Edge[] {
	return links.flatMap(({ target, line, kind }) => (target && kind !== "type" ? [{ target, line }] : []));
}

function reported(circle: string[]): string {
	return `closes a circle of imports: ${circle.join(" -> ")}; move what they share to a file below both`;
}
