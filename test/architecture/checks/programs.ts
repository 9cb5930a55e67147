/** Product code finds the programs that it starts through `hostProgram`: PATH may lead to what a command has planted. */
import { isProduct } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

/** Extensions call the function by pi's name for it; the doctor only looks for what a server of the user names. */
const exceptions = ["packages/compat/", "packages/coding-agent/src/cli/commands/doctor/"];
const message =
	"uses Bun.which: use hostProgram of @tau/utils, which skips directories that commands of a model can write";

export async function programSearches(root: string): Promise<Problem[]> {
	const files = await readFiles(
		root,
		(path) => isProduct(path) && !exceptions.some((folder) => path.startsWith(folder)),
	);
	return files.flatMap(({ path, text }) => {
		if (!text.includes("which")) return [];
		const tokens = codeTokens(tokenize(text));
		return tokens.flatMap((token, index): Problem[] => {
			const isSearch =
				token.text === "Bun" && tokens[index + 1]?.text === "." && tokens[index + 2]?.text === "which";
			return isSearch ? [{ file: path, line: token.line, message }] : [];
		});
	});
}
