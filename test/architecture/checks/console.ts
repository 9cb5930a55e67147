/** Only the parts that write for a user or a pipe use stdout and stderr. */
import { isCode, isWorkbench } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";
import type { Token } from "../tokens.ts";

const printingFolders = ["packages/coding-agent/src/cli/", "packages/coding-agent/src/modes/print/"];
const printingFiles = new Set([
	"packages/ai/src/testing/main.ts",
	"packages/resources/src/rules/ttsr/testing/main.ts",
	// The standard output of a worker process is the pipe to its parent.
	"packages/sys/src/worker/serve.ts",
]);

export async function consoleUse(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => isCode(path) && !mayPrint(path));
	return files.flatMap(({ path, text }) => {
		if (!/console|stdout|stderr/.test(text)) return [];
		const tokens = codeTokens(tokenize(text));
		return tokens.flatMap((token, index): Problem[] => {
			const call = writesAt(tokens, index);
			if (!call) return [];
			const message = `${call} outside the CLI: return the text, emit an event, or use the logger of @tau/utils`;
			return [{ file: path, line: token.line, message }];
		});
	});
}

function mayPrint(path: string): boolean {
	return (
		isWorkbench(path) || printingFiles.has(path) || printingFolders.some((folder) => path.startsWith(folder))
	);
}

function writesAt(tokens: Token[], index: number): string | undefined {
	const chain = tokens.slice(index, index + 5).map((token) => token.text);
	if (tokens[index]?.kind !== "name" || tokens[index - 1]?.text === ".") return undefined;
	const [owner, dot, stream, , write] = chain;
	const speaks = stream === "stdout" || stream === "stderr";
	if (owner === "console" && (dot === "." || dot === "[")) return `console.${stream}`;
	if (owner === "process" && speaks && write === "write") return `process.${stream}.write`;
	return owner === "Bun" && speaks ? `Bun.${stream}` : undefined;
}
