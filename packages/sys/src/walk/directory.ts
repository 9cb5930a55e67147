/** Lists one directory completely, and marks the names that ignore files exclude. */
import { readdir } from "node:fs/promises";

import { IgnoreRules } from "./ignore-rules.ts";
import { realPath } from "./real-path.ts";
import { kindOf, type EntryKind } from "./walk.ts";

export interface DirectoryEntry {
	name: string;
	kind: EntryKind;
	isIgnored: boolean;
}

/** Sorted by name, including `.git`. Rejects when it cannot be read. */
export async function listDirectory(path: string): Promise<DirectoryEntry[]> {
	const directory = realPath(path);
	const dirents = await readdir(directory, { withFileTypes: true });
	const names = dirents.map(({ name }) => name).filter((name) => IgnoreRules.isRuleName(name));
	const rules = await (await IgnoreRules.above(directory)).enter(directory, "", names);
	return dirents
		.map((dirent) => {
			const { name } = dirent;
			const kind = kindOf(dirent);
			const isIgnored = name !== ".git" && rules.verdict("", name, kind === "directory") === "ignored";
			return { name, kind, isIgnored };
		})
		.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
