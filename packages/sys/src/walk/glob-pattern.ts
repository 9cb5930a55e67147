/** Glob patterns as users write them: a bare name matches at any depth, a path from the root. */
import { isAbsolute } from "node:path";

import { limits } from "./limits.ts";
import type { EntryKind } from "./walk.ts";

export type PathMatcher = (path: string, kind?: EntryKind) => boolean;

export class GlobError extends Error {}

/**
 * `*.ts` matches at any depth, `src/*.ts` and `/*.ts` from the root, `docs/` directories only, `!*.ts` everything
 * that the rest does not match; `*`, `?`, `[a-z]`, `{a,b}` and `**` have their usual meaning, and match hidden names
 * too.
 */
export function compileGlob(pattern: string): PathMatcher {
	if (pattern.length > limits.globChars) {
		throw new GlobError(`A glob has at most ${limits.globChars} characters.`);
	}
	const negated = pattern.startsWith("!");
	let body = (negated ? pattern.slice(1) : pattern).replace(/^(?:\.\/)+/, "");
	const directoryOnly = body.endsWith("/");
	body = body.replace(/\/+$/, "");
	const fromRoot = body.includes("/") || hasStarsOnly(body);
	body = body.replace(/^\/+/, "");
	if (body === "") throw new GlobError("The glob is empty: say for instance *.ts or src/**.");
	const problem = unbalanced(body);
	if (problem) throw new GlobError(`${problem} in the glob ${pattern}.`);
	const glob = new Bun.Glob(fromRoot ? body : `**/${body}`);
	const all = listsEverything(body);
	return (path, kind = "file") => {
		if (directoryOnly ? kind !== "directory" : all && kind === "directory") return false;
		return glob.match(path) !== negated;
	};
}

/** `src/**` requests the contents, and directories appear in the paths of their files. */
function listsEverything(body: string): boolean {
	return /(?:^|\/)\*\*(?:\/\*)?$/.test(body);
}

function hasStarsOnly(body: string): boolean {
	return /^\*\*+$/.test(body);
}

/** Bun treats an open bracket or brace as a literal; more likely it is a typing error. */
function unbalanced(body: string): string | undefined {
	const plain = body.replace(/\\./g, "");
	const outside = plain.replace(/\[[!^]?\]?[^\]]*\]/g, "");
	if (outside.includes("[")) return "A [ is not closed";
	let depth = 0;
	for (const unit of outside) {
		if (unit === "{") depth++;
		else if (unit === "}" && --depth < 0) return "A } closes nothing";
	}
	return depth > 0 ? "A { is not closed" : undefined;
}

/** The part of a pattern before its first wildcard, as a directory, and the rest: `src/a/*.ts` is `src/a`, `*.ts`. */
export function splitGlob(pattern: string): { base: string; rest: string } {
	if (pattern.startsWith("!")) return { base: "", rest: pattern };
	const wild = /[*?[{\\]/.exec(pattern)?.index ?? pattern.length;
	const slash = pattern.slice(0, wild).replace(/\/+$/, "").lastIndexOf("/");
	const end = wild < pattern.length ? pattern.slice(0, wild).lastIndexOf("/") : slash;
	if (end < 0) return { base: "", rest: pattern };
	const base = pattern.slice(0, end);
	// The rest had a slash before it: it stays anchored, even if it is a bare name now.
	const rest = `/${pattern.slice(end + 1)}`;
	return { base: base === "" && isAbsolute(pattern) ? "/" : base, rest };
}
