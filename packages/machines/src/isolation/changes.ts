/** Finds what was changed in a tree: in an overlay by its upper layer, in a directory of its own by the facts of its files. */
import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

import { errorCode } from "@tau/utils";

import { isSameEntry, readTreeEntry, statEntry } from "./entry.ts";
import { TreeRules } from "./ignored.ts";
import { limits } from "./limits.ts";
import type { TreeChange, TreeChanges, TreeEntry } from "./types.ts";

/** Two directories whose files are compared. */
export interface ComparedTrees {
	/** The project. */
	readonly root: string;
	/** The tree as its programs see it. */
	readonly seen: string;
	/** What the tree has at a path. */
	theirs(path: string): TreeEntry;
	/** Paths that may have changed; other files are as in the project. */
	candidates(rules: TreeRules, signal: AbortSignal): AsyncIterable<string>;
}

export async function treeChanges(trees: ComparedTrees, signal: AbortSignal): Promise<TreeChanges> {
	const { root, seen } = trees;
	const found: TreeChange[] = [];
	for await (const path of trees.candidates(await TreeRules.open(seen), signal)) {
		signal.throwIfAborted();
		if (found.length >= limits.changedFiles) return { files: found, isCut: true };
		const [before, after] = [readTreeEntry(join(root, path)), trees.theirs(path)];
		if (isSameEntry(before, after)) continue;
		const kind = before.kind === "absent" ? "created" : after.kind === "absent" ? "deleted" : "changed";
		found.push({ path, kind });
	}
	const files = withRenames(trees, found).toSorted((one, other) => (one.path < other.path ? -1 : 1));
	return { files, isCut: false };
}

/** Only what moved without a change: anything else is a deletion and a new file. */
function withRenames({ root, theirs }: ComparedTrees, changes: readonly TreeChange[]): TreeChange[] {
	const deleted = new Map<string, string>();
	for (const { path, kind } of changes) {
		const entry = kind === "deleted" ? readTreeEntry(join(root, path)) : undefined;
		if (entry?.kind === "file" && entry.bytes.length > 0) deleted.set(contentKey(entry), path);
	}
	if (deleted.size === 0) return [...changes];
	const sources = new Set<string>();
	const found = changes.map((change): TreeChange => {
		const entry = change.kind === "created" ? theirs(change.path) : undefined;
		const key = entry?.kind === "file" ? contentKey(entry) : undefined;
		const renamedFrom = key === undefined ? undefined : deleted.get(key);
		if (key === undefined || renamedFrom === undefined) return change;
		deleted.delete(key);
		sources.add(renamedFrom);
		return { path: change.path, kind: "renamed", renamedFrom };
	});
	return found.filter(({ path, kind }) => kind !== "deleted" || !sources.has(path));
}

function contentKey({ bytes }: { bytes: Uint8Array }): string {
	return `${bytes.length} ${Bun.hash.xxHash3(bytes).toString(16)}`;
}

/**
 * What the upper layer has, and what is missing where it has a directory. The overlay itself says what is missing: its
 * marks for that are attributes and devices, which differ by how it was mounted.
 */
export async function* upperPaths(
	layers: { upper: string; seen: string; root: string },
	rules: TreeRules,
	signal: AbortSignal,
	path = "",
): AsyncGenerator<string> {
	signal.throwIfAborted();
	const { upper, seen, root } = layers;
	const above = entriesOf(upper, path) ?? [];
	// A directory that the project has deleted meanwhile cannot be listed in the overlay any more.
	const visible = entriesOf(seen, path);
	const names = new Set([...(visible ?? []), ...above.filter(isKept)].map(({ name }) => name));
	for (const entry of visible ? (entriesOf(root, path) ?? []) : []) {
		const isDirectory = entry.isDirectory();
		if (names.has(entry.name) || rules.skips(entry.name, isDirectory)) continue;
		if (isDirectory) yield* filesBelow(root, await rules.enter(entry.name), rules.path(entry.name));
		else yield rules.path(entry.name);
	}
	for (const entry of above) {
		const isDirectory = entry.isDirectory();
		if (!isKept(entry) || rules.skips(entry.name, isDirectory)) continue;
		const at = rules.path(entry.name);
		if (isDirectory) yield* upperPaths(layers, await rules.enter(entry.name), signal, at);
		else yield at;
	}
}

/** A device marks a deletion. */
function isKept(entry: Dirent): boolean {
	return !entry.isCharacterDevice();
}

/** Everything that is no directory, except what is ignored. */
export async function* filesBelow(root: string, rules: TreeRules, path = ""): AsyncGenerator<string> {
	for (const entry of entriesOf(root, path) ?? []) {
		const isDirectory = entry.isDirectory();
		if (rules.skips(entry.name, isDirectory)) continue;
		const at = rules.path(entry.name);
		if (isDirectory) yield* filesBelow(root, await rules.enter(entry.name), at);
		else yield at;
	}
}

/** Undefined if it is no directory, or cannot be listed. */
function entriesOf(root: string, path: string): Dirent[] | undefined {
	try {
		const absolute = join(root, path);
		// The root may be reached through a link of the kernel.
		const isDirectory = path === "" || statEntry(absolute)?.isDirectory();
		return isDirectory ? readdirSync(absolute, { withFileTypes: true }) : undefined;
	} catch (error) {
		const code = errorCode(error);
		if (code === "EACCES" || code === "ENOENT" || code === "ESTALE") return undefined;
		throw error;
	}
}
