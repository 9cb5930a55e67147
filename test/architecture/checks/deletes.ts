/** A test deletes only what it created: a directory tree only if `mkdtemp` in the same file created its root. */
import { isCode, isTest } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";
import type { Token } from "../tokens.ts";

const makers = new Set(["mkdtemp", "mkdtempSync"]);
const removers = new Set(["rm", "rmSync"]);
/** Tokens that may come between the name and the call that creates its value. */
const wrappers = new Set(["await", "realpath", "realpathSync", "("]);
const helpers = /^(?:test|bench)\/|\/testing\//;
const shellDelete = /\brm\s+-\w*[rR]/;
const remedy = "delete only a name that `mkdtemp` gave in this file, or a `join` of it that leads down";

export async function deletes(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isOfTests);
	return files.flatMap(({ path, text }) => {
		if (!/\brm/.test(text)) return [];
		const tokens = codeTokens(tokenize(text));
		const made = madeNames(tokens);
		return tokens.flatMap((token, index): Problem[] => {
			const found = deletedAt(tokens, index, made) ?? deletedByShell(token, made);
			if (found === undefined) return [];
			return [{ file: path, line: token.line, message: `deletes the tree ${found}: ${remedy}` }];
		});
	});
}

function isOfTests(path: string): boolean {
	return isCode(path) && (isTest(path) || helpers.test(path));
}

/** A `join` below a created directory is safe too. Joins may come in any order, so the search repeats until it finds no more. */
function madeNames(tokens: readonly Token[]): ReadonlySet<string> {
	const made = new Set<string>();
	for (let before = -1; before < made.size;) {
		before = made.size;
		for (const [index, token] of tokens.entries()) {
			if (token.text !== "=" || token.kind !== "punct") continue;
			const name = assignedName(tokens, index);
			let value = index + 1;
			while (wrappers.has(tokens[value]?.text ?? "")) value++;
			const { text: first = "" } = tokens[value] ?? {};
			if (name && (makers.has(first) || (first === "join" && leadsDown(tokens.slice(value), made))))
				made.add(name);
		}
	}
	return made;
}

/** `name =`, or `name: string =`. */
function assignedName(tokens: readonly Token[], equals: number): string | undefined {
	const at = tokens[equals - 2]?.text === ":" ? equals - 3 : equals - 1;
	return tokens[at]?.kind === "name" ? tokens[at].text : undefined;
}

function deletedAt(tokens: readonly Token[], index: number, made: ReadonlySet<string>): string | undefined {
	if (!removers.has(tokens[index]?.text ?? "") || tokens[index + 1]?.text !== "(") return undefined;
	const given = insideOf(tokens.slice(index + 2));
	if (!given.some(({ text }) => text === "recursive")) return undefined;
	const [first] = given;
	const isMade = given[1]?.text === "," && first?.kind === "name" && made.has(first.text);
	return isMade || leadsDown(given, made) ? undefined : (first?.text ?? "");
}

/** `join(made, "a", "b")`. */
function leadsDown(tokens: readonly Token[], made: ReadonlySet<string>): boolean {
	const [join, open, base] = tokens;
	if (join?.text !== "join" || open?.text !== "(" || !made.has(base?.text ?? "")) return false;
	return insideOf(tokens.slice(2)).every(({ text }) => !text.includes(".."));
}

/** The tokens up to the matching closing parenthesis. */
function insideOf(tokens: readonly Token[]): readonly Token[] {
	let depth = 1;
	const end = tokens.findIndex(({ kind, text }) => {
		if (kind === "punct") depth += text === "(" ? 1 : text === ")" ? -1 : 0;
		return depth === 0;
	});
	return tokens.slice(0, end < 0 ? tokens.length : end);
}

/** In a shell command: a path from a shell variable or an interpolation. */
function deletedByShell({ kind, text, holes = [] }: Token, made: ReadonlySet<string>): string | undefined {
	if ((kind !== "string" && kind !== "template") || !shellDelete.test(text)) return undefined;
	if (text.includes("$")) return text;
	return holes.every((hole) => hole.kind === "name" && made.has(hole.text)) ? undefined : text;
}
