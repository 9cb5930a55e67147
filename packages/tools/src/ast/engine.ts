/** Finds and rewrites code by its structure: patterns are code with `$NAME` for one node and `$$$NAME` for several. */
import type { SgNode } from "@ast-grep/napi";

import { loadGrammars } from "./grammars/load.ts";
import type { Language } from "./languages.ts";
import { limits } from "./limits.ts";

export interface Match {
	/** Lines and columns from 1. */
	line: number;
	column: number;
	endLine: number;
	/** Positions in the text, in its own units. */
	start: number;
	end: number;
	text: string;
	/** The text that each name of the pattern matched. */
	names: Record<string, string>;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Returns the matches in a text, in order. A pattern that is not code of the language throws a clear error. */
export async function findStructure(
	language: Language,
	text: string,
	pattern: string,
): Promise<Outcome<Match[]>> {
	if (pattern.length > limits.patternChars) {
		return {
			ok: false,
			reason: `The pattern has ${pattern.length} characters; at most ${limits.patternChars} are allowed.`,
		};
	}
	try {
		if (language.library) await loadGrammars();
		const { parseAsync } = await import("@ast-grep/napi");
		const root = (await parseAsync(language.engine, text)).root();
		const names = namesIn(pattern);
		return { ok: true, value: root.findAll({ rule: { pattern } }).map((node) => matchOf(node, names)) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return {
			ok: false,
			reason: `${reason.split("\n")[0] ?? reason} (pattern for ${language.name}: ${pattern})`,
		};
	}
}

/** Returns the text with every match replaced; when matches are nested, the outer one counts. */
export function rewrite(
	text: string,
	matches: readonly Match[],
	replacement: string,
): { text: string; count: number } {
	let out = "";
	let at = 0;
	let count = 0;
	for (const match of matches) {
		if (match.start < at) continue;
		out += text.slice(at, match.start) + filled(replacement, match, indentAt(text, match.start));
		at = match.end;
		count++;
	}
	return { text: out + text.slice(at), count };
}

const placeholder = /\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/g;

interface Name {
	name: string;
	isList: boolean;
}

function namesIn(pattern: string): Name[] {
	return [...pattern.matchAll(placeholder)].map(([, list, one]) => ({
		name: list ?? one ?? "",
		isList: list !== undefined,
	}));
}

function matchOf(node: SgNode, names: readonly Name[]): Match {
	const { start, end } = node.range();
	const held = ({ name, isList }: Name): string =>
		isList ? listText(node, name) : (node.getMatch(name)?.text() ?? "");
	return {
		line: start.line + 1,
		column: start.column + 1,
		endLine: end.line + 1,
		start: start.index,
		end: end.index,
		text: node.text(),
		names: Object.fromEntries(names.map((name) => [name.name, held(name)])),
	};
}

/** Returns the source text between the first and the last node. */
function listText(node: SgNode, name: string): string {
	const nodes = node.getMultipleMatches(name);
	const [first, last] = [nodes[0], nodes.at(-1)];
	if (!first || !last) return "";
	const base = node.range().start.index;
	return node.text().slice(first.range().start.index - base, last.range().end.index - base);
}

/** The lines of a replacement after the first get the indentation of the match. */
function filled(replacement: string, { names }: Match, indent: string): string {
	return replacement
		.split("\n")
		.map((line, index) => (index === 0 || line === "" ? line : indent + line))
		.join("\n")
		.replaceAll(
			placeholder,
			(whole, list: string | undefined, one: string | undefined) => names[list ?? one ?? ""] ?? whole,
		);
}

function indentAt(text: string, position: number): string {
	const line = text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
	return /^\s*/.exec(line)?.[0] ?? "";
}
