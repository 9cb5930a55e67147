/** Finds and rewrites code by its structure: patterns are code with `$NAME` for one node and `$$$NAME` for several. */
import type { SgNode } from "@ast-grep/napi";
import { cutUnits } from "@tau/utils";

import { loadGrammars } from "./grammars/load.ts";
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

/** What one text may give. */
export interface MatchBounds {
	matches: number;
	/** Leave out matches inside of others, which a rewrite does not touch. */
	outermost: boolean;
	/** Characters of a match and of each of its names that are returned; absent for all. */
	chars?: number;
}

export interface StructureMatches {
	matches: Match[];
	/** There are more. */
	isCut: boolean;
}

/** Returns the matches in a text, in order. Runs in a worker process: see `structure.ts`. */
export async function findMatches(
	engine: string,
	isLibrary: boolean,
	text: string,
	pattern: string,
	bounds: MatchBounds,
): Promise<Outcome<StructureMatches>> {
	try {
		if (isLibrary) await loadGrammars();
		const { parseAsync } = await import("@ast-grep/napi");
		const root = (await parseAsync(engine, text)).root();
		return { ok: true, value: collect(root.findAll({ rule: { pattern } }), namesIn(pattern), bounds) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { ok: false, reason: reason.split("\n")[0] ?? reason };
	}
}

/** Nested matches repeat the text of the inner ones, so that their sum grows with the square of the text. */
function collect(nodes: readonly SgNode[], names: readonly Name[], bounds: MatchBounds): StructureMatches {
	const matches: Match[] = [];
	let at = 0;
	let chars = 0;
	for (const node of nodes) {
		const { start, end } = node.range();
		if (bounds.outermost && start.index < at) continue;
		if (matches.length >= bounds.matches || chars > limits.matchedChars) return { matches, isCut: true };
		at = end.index;
		const match = matchOf(node, names, bounds.chars);
		chars += match.text.length + Object.values(match.names).reduce((sum, name) => sum + name.length, 0);
		matches.push(match);
	}
	return { matches, isCut: false };
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

function matchOf(node: SgNode, names: readonly Name[], maxChars = Infinity): Match {
	const { start, end } = node.range();
	const cut = (text: string): string => (text.length > maxChars ? cutUnits(text, maxChars) : text);
	const held = ({ name, isList }: Name): string =>
		isList ? listText(node, name) : (node.getMatch(name)?.text() ?? "");
	return {
		line: start.line + 1,
		column: start.column + 1,
		endLine: end.line + 1,
		start: start.index,
		end: end.index,
		text: cut(node.text()),
		names: Object.fromEntries(names.map((name) => [name.name, cut(held(name))])),
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
