/** Product code starts git through one function, `runGit` of @tau/sys: nothing else is safe in an untrusted repository. */
import { isProduct } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";
import type { Token } from "../tokens.ts";

const home = "packages/sys/src/git/";
const starters = new Set([
	"spawn",
	"spawnSync",
	"exec",
	"execSync",
	"execFile",
	"execFileSync",
	"runProgram",
	"runProcess",
	"runShell",
	"PtySession",
	"ShellSession",
	"$",
]);
/** The program alone, with a path or extension, or at the start of a command line. */
const program = /^(?:\S*[/\\])?git(?:\.exe)?(?:\s|$)/i;
const message =
	"starts git: use runGit of @tau/sys, which asks for trust, cleans the environment and disables hooks";

export async function gitStarts(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => isProduct(path) && !path.startsWith(home));
	return files.flatMap(({ path, text }) => {
		if (!/git/i.test(text)) return [];
		const tokens = codeTokens(tokenize(text));
		const startsPrograms = tokens.some((_, index) => isStarter(tokens, index));
		return tokens.flatMap((token, index): Problem[] => {
			const isStart = namesGit(token) && (startsPrograms || isCommandLine(tokens, index));
			return isStart ? [{ file: path, line: token.line, message }] : [];
		});
	});
}

function isStarter(tokens: readonly Token[], index: number): boolean {
	const token = tokens[index];
	if (token?.kind !== "name" || !starters.has(token.text)) return false;
	// Regular expressions have an `exec` too.
	return token.text !== "exec" || tokens[index - 1]?.text !== ".";
}

/** In a file that starts programs, any string that names git counts as the program. */
function namesGit(token: Token): boolean {
	return (token.kind === "string" || token.kind === "template") && program.test(token.text);
}

/** Elsewhere `["git", "status"]` and `run("git", ["status"])` are commands that another function runs. */
function isCommandLine(tokens: readonly Token[], index: number): boolean {
	if (/\s/.test(tokens[index]?.text ?? "")) return false;
	const [owner, opening] = [tokens[index - 2], tokens[index - 1]?.text];
	const [next, second] = [tokens[index + 1]?.text, tokens[index + 2]?.text];
	if (opening === "(") return next === "," && second === "[";
	// `table["git"]` looks a value up.
	const isLookup = next === "]" && (owner?.kind === "name" || owner?.text === "]" || owner?.text === ")");
	return opening === "[" && !isLookup;
}
