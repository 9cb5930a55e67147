/** No comment switches a checker off. */
import { isCode } from "../paths.ts";
import { comments, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

const off =
	/(?:eslint-disable|oxlint-disable|prettier-ignore|biome-ignore|@ts-ignore|@ts-nocheck|@ts-expect-error|knip-ignore|@lintignore)/;

export async function suppressions(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isCode);
	return files.flatMap(({ path, text }) =>
		(off.test(text) ? comments(tokenize(text)) : []).flatMap((comment): Problem[] => {
			const found = off.exec(comment.text)?.[0];
			if (!found) return [];
			const message = `"${found}" hides a problem: put the code right, or change the rule for all of us`;
			return [{ file: path, line: comment.line, message }];
		}),
	);
}
