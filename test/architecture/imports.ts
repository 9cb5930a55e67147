/** Finds the imports of a TypeScript file, in every syntax of the language. */
import { codeTokens, tokenize } from "./tokens.ts";
import type { Token } from "./tokens.ts";

/** A `type` import does not exist at run time; a `lazy` one loads when its line is reached. */
export type Import = { specifier: string; line: number; kind: "value" | "type" | "lazy" };

export function findImports(source: string): Import[] {
	const tokens = codeTokens(tokenize(source));
	return tokens.flatMap((token, index) => {
		if (token.kind !== "name" || isPunct(tokens[index - 1], ".")) return [];
		if (token.text === "import") return importAt(tokens, index);
		if (token.text === "export") return exportAt(tokens, index);
		if (token.text === "require") return callAt(tokens, index, "value");
		return [];
	});
}

function importAt(tokens: Token[], index: number): Import[] {
	const next = tokens[index + 1];
	if (next?.kind === "string") return [{ specifier: next.text, line: lineOf(tokens, index), kind: "value" }];
	if (!isPunct(next, "(")) return clauseAt(tokens, index);
	return callAt(tokens, index, isTypeQuery(tokens, index) ? "type" : "lazy");
}

function exportAt(tokens: Token[], index: number): Import[] {
	const first = tokens[index + 1]?.text === "type" ? tokens[index + 2] : tokens[index + 1];
	return isPunct(first, "{") || isPunct(first, "*") ? clauseAt(tokens, index) : [];
}

/** `import("…")` with a literal; a computed specifier has no fixed target. */
function callAt(tokens: Token[], index: number, kind: Import["kind"]): Import[] {
	const target = tokens[index + 2];
	if (!isPunct(tokens[index + 1], "(") || target === undefined) return [];
	if (target.kind !== "string" && (target.kind !== "template" || target.holes?.length)) return [];
	return [{ specifier: target.text, line: lineOf(tokens, index), kind }];
}

/** `typeof import("…")` and `import("…").Name` are types. */
function isTypeQuery(tokens: Token[], index: number): boolean {
	if (tokens[index - 1]?.text === "typeof") return true;
	const close = index + 3;
	if (!isPunct(tokens[close], ")") || !isPunct(tokens[close + 1], ".")) return false;
	return !["then", "catch", "finally"].includes(tokens[close + 2]?.text ?? "");
}

/** The names between the keyword and `from "…"`: an export without them is not an import. */
function clauseAt(tokens: Token[], index: number): Import[] {
	const line = lineOf(tokens, index);
	const typed =
		tokens[index + 1]?.text === "type" && !isFrom(tokens, index + 2) && !isPunct(tokens[index + 2], ",");
	for (let at = index + 1; at < tokens.length; at++) {
		const specifier = isFrom(tokens, at) ? tokens[at + 1] : undefined;
		if (specifier) return [{ specifier: specifier.text, line, kind: typed ? "type" : "value" }];
		if (!belongsToClause(tokens, at)) return [];
	}
	return [];
}

function belongsToClause(tokens: Token[], at: number): boolean {
	const token = tokens[at];
	if (token?.kind === "punct") return "{},*".includes(token.text);
	return token?.kind === "name" || token?.kind === "string";
}

function isFrom(tokens: Token[], at: number): boolean {
	return tokens[at]?.kind === "name" && tokens[at]?.text === "from" && tokens[at + 1]?.kind === "string";
}

function isPunct(token: Token | undefined, text: string): boolean {
	return token?.kind === "punct" && token.text === text;
}

function lineOf(tokens: Token[], index: number): number {
	return tokens[index]?.line ?? 1;
}
