/** Finds files through operations of an extension. */
import { relative } from "node:path";

import { oneLine } from "@tau/utils";

import { truncateHead } from "../support/truncate.ts";
import { absolute, numberOf, said, type Elsewhere } from "./elsewhere.ts";
import { limits } from "./limits.ts";

export interface FindOperations {
	exists(absolutePath: string): Promise<boolean> | boolean;
	/** Relative or absolute paths. */
	glob(
		pattern: string,
		cwd: string,
		options: { ignore: string[]; limit: number },
	): Promise<string[]> | string[];
}

export const findElsewhere: Elsewhere<FindOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	if (!(await operations.exists(path))) throw new Error(`There is no ${path}.`);
	signal.throwIfAborted();
	const limit = numberOf(params.limit, limits.paths);
	const ignore = ["**/node_modules/**", "**/.git/**"];
	const found = await operations.glob(String(params.pattern ?? ""), path, { ignore, limit });
	if (found.length === 0) return said("No files match.");
	const lines = found.slice(0, limit).map((each) => oneLine(below(path, each), limits.lineChars));
	const cut = truncateHead(lines.join("\n"), { maxLines: Number.POSITIVE_INFINITY });
	const isMore = found.length >= limit;
	const note = isMore ? `\n\n[The first ${limit}; narrow the pattern for others]` : "";
	return said(cut.content + note, isMore ? { resultLimitReached: limit } : undefined);
};

function below(root: string, path: string): string {
	return path.startsWith("/") ? relative(root, path) : path;
}
