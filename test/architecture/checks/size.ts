/** No source file is too long to read in one sitting; oxlint checks the length of functions. */
import { limits } from "../limits.ts";
import { isAside } from "../paths.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

const source = /\.(?:[cm]?ts|tsx|[cm]?js|jsx|css|sh)$/;

export async function size(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => source.test(path) && !isAside(path));
	return files.flatMap(({ path, text }): Problem[] => {
		const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
		if (lines <= limits.fileLines) return [];
		const message = `has ${lines} lines, ${limits.fileLines} are allowed: move one of its jobs to a file of its own`;
		return [{ file: path, line: limits.fileLines + 1, message }];
	});
}
