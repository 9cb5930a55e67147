/** Tools access files and processes only through the machine of their session, so that they also work elsewhere. */
import { isProduct } from "../paths.ts";
import { codeTokens, tokenize, type Token } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

const homes = ["packages/tools/src/", "packages/integrations/src/"];
const modules = new Set(
	["fs", "fs/promises", "child_process"].flatMap((name) => [name, `node:${name}`]).concat("bun:sqlite"),
);
/** Programs that run on the machine of the session, and are no part of Tau's process. */
const programs = new Set(["packages/integrations/src/eval/js/runner.ts"]);
/** Members of `Bun` that open files or start programs. */
const members = new Set(["file", "write", "spawn", "spawnSync", "Glob", "$", "openInEditor"]);
/** Functions of `@tau/sys` that work on the local machine, even if the session uses another one. */
const local = new Set([
	"glob",
	"fuzzyFind",
	"listDirectory",
	"invalidateScans",
	"search",
	"runShell",
	"runProgram",
	"ShellSession",
	"PtySession",
	"rcSnapshot",
	"lockFiles",
]);

export async function machineUse(root: string): Promise<Problem[]> {
	const files = await readFiles(
		root,
		(path) => homes.some((home) => path.startsWith(home)) && isProduct(path) && !programs.has(path),
	);
	return files.flatMap(({ path, text }) => {
		const tokens = codeTokens(tokenize(text));
		return tokens.flatMap((_, index): Problem[] => {
			const what = reachedBy(tokens, index);
			if (what === undefined) return [];
			const message = `uses ${what}: tools reach files and processes through \`context.machine\` (packages/sys/src/machine)`;
			return [{ file: path, line: tokens[index]?.line ?? 1, message }];
		});
	});
}

function reachedBy(tokens: readonly Token[], index: number): string | undefined {
	const token = tokens[index];
	const before = tokens[index - 1]?.text;
	if (token?.kind === "string" && modules.has(token.text)) {
		const isImport = before === "from" || before === "import" || before === "(";
		return isImport ? token.text : undefined;
	}
	if (token?.kind !== "name") return undefined;
	if (before === "." && tokens[index - 2]?.text === "Bun" && members.has(token.text))
		return `Bun.${token.text}`;
	return local.has(token.text) && isImportedFromSys(tokens, index) ? token.text : undefined;
}

/** The names in `import { … } from "@tau/sys"`. */
function isImportedFromSys(tokens: readonly Token[], index: number): boolean {
	const start = tokens.slice(0, index).findLastIndex(({ text }) => text === "{" || text === "}");
	if (tokens[start]?.text !== "{" || tokens[start - 1]?.text !== "import") return false;
	const end = tokens.findIndex(({ text }, at) => at > index && text === "}");
	return tokens[end + 1]?.text === "from" && tokens[end + 2]?.text === "@tau/sys";
}
