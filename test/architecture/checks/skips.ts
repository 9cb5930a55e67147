/** A test is skipped only through `needs`, which names the missing program, and git is asked for; every test file contains a test. */
import { findImports } from "../imports.ts";
import { resolveFrom } from "../modules.ts";
import { isCode, isProduct, isTest } from "../paths.ts";
import { codeTokens, tokenize, type Token } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

const helper = "test/support/needs.ts";
const runners = new Set(["test", "it", "describe"]);
const tricks = new Set(["skip", "skipIf", "if", "todo", "todoIf", "only", "failing"]);
const nicknames = new Set(["xtest", "xit", "xdescribe", "fit", "fdescribe"]);
const empty = "has no test: helpers of tests stand in a folder testing/, or in test/support/";
const unasked = `starts git, which a bare machine does not have: name the tests needs("git") of ${helper}`;
const remedy = `let the test run; if a program may be missing, use needs("program") of ${helper}`;

export async function skips(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => isCode(path) && path !== helper);
	const helpers = files.filter(({ path, text }) => !isTest(path) && !isProduct(path) && text.includes("git"));
	const starting = new Set(
		helpers.filter(({ text }) => lineOfGit(codeTokens(tokenize(text))) !== undefined).map(({ path }) => path),
	);
	return files
		.filter(({ path, text }) => isTest(path) || text.includes("bun:test"))
		.flatMap(({ path, text }) => {
			const tokens = codeTokens(tokenize(text));
			const skipped = tokens.flatMap((token, index): Problem[] => {
				const found = skipAt(tokens, index);
				return found ? [{ file: path, line: token.line, message: `${found}: ${remedy}` }] : [];
			});
			const imported = findImports(text).find(({ specifier }) => starting.has(resolveFrom(path, specifier)));
			const line = lineOfGit(tokens) ?? imported?.line;
			if (line !== undefined && !tokens.some((_, index) => asksForGit(tokens, index)))
				skipped.push({ file: path, line, message: unasked });
			return isTest(path) && !tokens.some(isRunner) ? [...skipped, { file: path, message: empty }] : skipped;
		});
}

/** Of `Bun.spawnSync(["git", …])`. */
function lineOfGit(tokens: Token[]): number | undefined {
	const isStart = ({ text }: Token, index: number): boolean =>
		/^spawn(?:Sync)?$/.test(text) &&
		[1, 2, 3].map((after) => tokens[index + after]?.text).join(" ") === "( [ git";
	return tokens.find(isStart)?.line;
}

/** `needs("bwrap", "git")`, or `Bun.which("git")` for a part of a test. */
function asksForGit(tokens: Token[], index: number): boolean {
	if (!/^(?:needs|which)$/.test(tokens[index]?.text ?? "")) return false;
	const end = tokens.findIndex(({ text }, at) => at > index && text === ")");
	return tokens.slice(index, end).some(({ kind, text }) => kind === "string" && text === "git");
}

/** The functions that define a test, and `needs`, which returns one. */
function isRunner({ kind, text }: Token): boolean {
	return kind === "name" && (runners.has(text) || nicknames.has(text) || text === "needs");
}

function skipAt(tokens: Token[], index: number): string | undefined {
	const name = tokens[index];
	if (name?.kind !== "name" || tokens[index - 1]?.text === ".") return undefined;
	if (nicknames.has(name.text) && tokens[index + 1]?.text === "(") return name.text;
	if (!runners.has(name.text)) return undefined;
	for (let at = index + 1; tokens[at]?.text === "."; at += 2) {
		const member = tokens[at + 1]?.text ?? "";
		if (tricks.has(member)) return `${name.text}.${member}`;
	}
	return undefined;
}
