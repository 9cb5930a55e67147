/** Lists a directory through operations of an extension. */
import { join } from "node:path";

import { oneLine } from "@tau/utils";

import { truncateHead } from "../support/truncate.ts";
import { absolute, numberOf, said, type Elsewhere } from "./elsewhere.ts";
import { limits } from "./limits.ts";

export interface LsOperations {
	exists(absolutePath: string): Promise<boolean> | boolean;
	/** Throws when it is not there. */
	stat(absolutePath: string): Promise<Kind> | Kind;
	readdir(absolutePath: string): Promise<string[]> | string[];
}

interface Kind {
	isDirectory(): boolean;
}

export const lsElsewhere: Elsewhere<LsOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	if (!(await operations.exists(path))) throw new Error(`There is no ${path}.`);
	if (!(await operations.stat(path)).isDirectory()) throw new Error(`${path} is not a directory.`);
	const names = (await operations.readdir(path)).toSorted((a, b) =>
		a.toLowerCase().localeCompare(b.toLowerCase()),
	);
	const limit = numberOf(params.limit, limits.entries);
	const lines: string[] = [];
	for (const name of names.slice(0, limit)) {
		signal.throwIfAborted();
		const kind = await kindOf(operations, join(path, name));
		if (kind) lines.push(oneLine(name, limits.lineChars) + (kind.isDirectory() ? "/" : ""));
	}
	if (lines.length === 0) return said("(empty directory)");
	const cut = truncateHead(lines.join("\n"), { maxLines: Number.POSITIVE_INFINITY });
	const isMore = names.length > limit;
	const note = isMore ? `\n\n[${limit} of ${names.length} entries]` : "";
	return said(cut.content + note, isMore ? { entryLimitReached: limit } : undefined);
};

/** What is gone meanwhile, or may not be looked at, is left out. */
async function kindOf(operations: LsOperations, path: string): Promise<Kind | undefined> {
	try {
		return await operations.stat(path);
	} catch {
		return undefined;
	}
}
