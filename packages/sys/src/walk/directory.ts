/** Lists one directory completely, and marks the names that ignore files exclude. */
import { IgnoreRules } from "./ignore-rules.ts";
import { realPath } from "./real-path.ts";
import { kindOf, listHeld, type EntryKind } from "./walk.ts";

export interface DirectoryEntry {
	name: string;
	kind: EntryKind;
	isIgnored: boolean;
}

/** Sorted by name, including `.git`. Rejects when it cannot be read. */
export async function listDirectory(path: string): Promise<DirectoryEntry[]> {
	return await listUnlinked(realPath(path));
}

/** The same for a path without links: rejects if it leads elsewhere now. */
export async function listUnlinked(directory: string): Promise<DirectoryEntry[]> {
	const dirents = await listHeld(directory);
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
