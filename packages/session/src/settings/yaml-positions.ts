/** Finds the lines of problems in a YAML text. Loaded only when there seems to be one: the parser with positions is slow. */
import { isNode, LineCounter, parseDocument } from "yaml";

import type { ConfigProblem } from "./config-problem.ts";

export function syntaxProblem(file: string, text: string, fallback: unknown): ConfigProblem {
	const lines = new LineCounter();
	const [error] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors;
	if (!error) return { file, message: fallback instanceof Error ? fallback.message : String(fallback) };
	return { file, line: lines.linePos(error.pos[0]).line, message: error.message };
}

/** Returns the line of the deepest existing part of a path: a missing field is shown where it should be. */
export function linesOf(text: string): (path: readonly (string | number)[]) => number | undefined {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines });
	return (path) => {
		for (let depth = path.length; depth > 0; depth--) {
			const node = document.getIn(path.slice(0, depth), true);
			if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
		}
		return undefined;
	};
}

export function repeatedKeys(text: string): { key: string; line: number }[] {
	const lines = new LineCounter();
	const { errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	return errors
		.filter(({ code }) => code === "DUPLICATE_KEY")
		.map(({ pos }) => ({
			key: /^["']?([^"':\n]*)/.exec(text.slice(pos[0]))?.[1]?.trim() ?? "",
			line: lines.linePos(pos[0]).line,
		}));
}
