/** Finds files that all reach each other by imports, types included: none of them can be read without the others. */
import { limits } from "./limits.ts";
import { isProduct } from "./paths.ts";
import type { Module } from "./modules.ts";
import type { Problem } from "./problem.ts";

export function knots(modules: Module[]): Problem[] {
	return groups(modules)
		.filter((files) => files.length > limits.knotFiles)
		.map((files) => {
			const [file = ""] = files.toSorted();
			const message = `is in a knot of ${files.length} files that import each other, types included (${limits.knotFiles} are allowed): declare what one of them needs where it is used, or move shared types to a file below both. They are ${files.toSorted().join(", ")}`;
			return { file, message };
		});
}

/** The strongly connected files, by Tarjan's algorithm. */
function groups(modules: Module[]): string[][] {
	const edges = new Map(
		modules.filter(({ path }) => isProduct(path)).map(({ path, links }) => [path, links]),
	);
	const order = new Map<string, number>();
	const lowest = new Map<string, number>();
	const open: string[] = [];
	const found: string[][] = [];

	const visit = (path: string): number => {
		const index = order.size;
		order.set(path, index);
		lowest.set(path, index);
		open.push(path);
		for (const { target } of edges.get(path) ?? []) {
			if (target === undefined || !edges.has(target)) continue;
			const known = order.get(target);
			const reached = known === undefined ? visit(target) : open.includes(target) ? known : index;
			lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
		}
		const low = lowest.get(path) ?? index;
		if (low === index) found.push(open.splice(open.indexOf(path)));
		return low;
	};

	for (const path of edges.keys()) if (!order.has(path)) visit(path);
	return found;
}
