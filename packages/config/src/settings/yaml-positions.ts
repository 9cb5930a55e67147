/** Finds the lines of problems in a YAML text. Loaded only when there seems to be one: the parser with positions is slow. */
import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";

import { parseFailure } from "@tau/utils";
import type { ConfigProblem } from "./config-problem.ts";

export function syntaxProblem(file: string, text: string, fallback: unknown): ConfigProblem {
	const lines = new LineCounter();
	const [error] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors;
	if (!error) return { file, message: parseFailure(fallback, text) };
	return { file, line: lines.linePos(error.pos[0]).line, message: parseFailure(error, text) };
}

/**
 * Returns the line of the deepest existing part of a path: a missing field is shown where it should be. A group is shown
 * where its content begins, or by `atNames` where its name is.
 */
export function linesOf(
	text: string,
	atNames = false,
): (path: readonly (string | number)[]) => number | undefined {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
	return (path) => {
		for (let depth = path.length; depth > 0; depth--) {
			const node = document.getIn(path.slice(0, depth), true);
			if (!isNode(node) || !node.range) continue;
			const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
			const named =
				atNames && isCollection(node) && isMap(parent)
					? parent.items.find(({ value }) => value === node)
					: undefined;
			const key = named && isNode(named.key) ? named.key.range : undefined;
			return lines.linePos((key ?? node.range)[0]).line;
		}
		return undefined;
	};
}

/** Not the parser's own check, which compares each key of a group with all others. */
export function repeatedKeys(text: string): { key: string; line: number }[] {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
	const repeated: { key: string; line: number }[] = [];
	visit(document, {
		Map(_, { items }) {
			const seen = new Set<string>();
			for (const { key } of items) {
				if (!isScalar(key) || !key.range) continue;
				const name = String(key.value);
				if (seen.has(name)) repeated.push({ key: name, line: lines.linePos(key.range[0]).line });
				seen.add(name);
			}
		},
	});
	return repeated.toSorted((a, b) => a.line - b.line);
}
