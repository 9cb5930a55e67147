/** A tree as a directory of its own: a git worktree, or a copy. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { localMachine, type Machine } from "@tau/sys";
import { filesBelow, treeChanges, type ComparedTrees } from "./changes.ts";
import { absentEntry, readTreeEntry, statEntry } from "./entry.ts";
import type { TreeRules } from "./ignored.ts";
import { limits } from "./limits.ts";
import { mergeTree } from "./merge.ts";
import type { BaseVersions } from "./base-versions.ts";
import { baseOf, recordedBases } from "./overlay-tree.ts";
import type { TreeDirectory } from "./record.ts";
import type { ContentAt, IsolatedTree, MergeOptions, MergeOutcome, TreeChanges } from "./types.ts";

export interface DirectoryParts {
	/** The parent's, which merges. */
	readonly machine: Machine;
	readonly directory: TreeDirectory;
	readonly contentAt?: ContentAt | undefined;
	readonly versions: BaseVersions;
	/** Paths that are links to the project's own, and so no changes. */
	readonly linked: readonly string[];
	readonly reason?: string | undefined;
	/** Before the tree is deleted. */
	forget?(): Promise<void>;
}

export class DirectoryTree implements IsolatedTree {
	readonly mode: "worktree" | "copy";
	readonly machine = localMachine();
	readonly reason?: string;
	readonly #parts: DirectoryParts;
	#facts: Map<string, string> | undefined;
	#isClosed = false;

	constructor(mode: "worktree" | "copy", parts: DirectoryParts) {
		this.mode = mode;
		this.#parts = parts;
		if (parts.reason !== undefined) this.reason = parts.reason;
	}

	get id(): string {
		return this.#parts.directory.record.id;
	}

	get directory(): string {
		return this.#parts.directory.path;
	}

	get cwd(): string {
		const { root, cwd } = this.#parts.directory.record;
		return join(this.root, relative(root, cwd));
	}

	get root(): string {
		return treeRoot(this.#parts.directory);
	}

	async changes(signal: AbortSignal): Promise<TreeChanges> {
		return await treeChanges(this.#trees, signal);
	}

	async merge(options: MergeOptions): Promise<MergeOutcome> {
		const { machine, directory, contentAt, versions } = this.#parts;
		const { root, startedMs } = directory.record;
		const { files } = await this.changes(options.signal);
		const known = (path: string) =>
			this.#known.has(path) ? baseOf(root, path, startedMs, contentAt) : absentEntry;
		const recorded = await recordedBases(files, known, versions, options.signal);
		const base = (path: string) => known(path) ?? recorded.get(path);
		return await mergeTree({ machine, root, files, theirs: this.#trees.theirs, base }, options);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		const { directory, forget, versions } = this.#parts;
		const { files } = await this.changes(new AbortController().signal).catch(() => ({ files: [undefined] }));
		if (files.length > 0) await versions.finished();
		await versions[Symbol.asyncDispose]();
		if (files.length > 0) return directory[Symbol.dispose]();
		await forget?.();
		directory.remove();
	}

	get #known(): ReadonlyMap<string, string> {
		return (this.#facts ??= readManifest(this.#parts.directory.path));
	}

	get #trees(): ComparedTrees {
		const { linked, directory } = this.#parts;
		const known = this.#known;
		const seen = this.root;
		async function* candidates(rules: TreeRules): AsyncGenerator<string> {
			const present = new Set<string>();
			for await (const path of filesBelow(seen, rules)) {
				if (linked.includes(path)) continue;
				present.add(path);
				if (known.get(path) !== factsOf(seen, path)) yield path;
			}
			for (const path of known.keys()) if (!present.has(path)) yield path;
		}
		return {
			root: directory.record.root,
			seen,
			candidates,
			theirs: (path) => readTreeEntry(join(seen, path)),
		};
	}
}

export function treeRoot({ path }: TreeDirectory): string {
	return join(path, "tree");
}

/** The files of a new tree, by which changes are found later. */
export async function writeManifest(directory: TreeDirectory, rules: TreeRules): Promise<void> {
	const root = treeRoot(directory);
	const lines: string[] = [];
	for await (const path of filesBelow(root, rules)) lines.push(JSON.stringify([path, factsOf(root, path)]));
	writeFileSync(join(directory.path, manifestName), lines.join("\n"), { mode: 0o600 });
}

const manifestName = "files.jsonl";

function readManifest(path: string): Map<string, string> {
	const bytes = readFileSync(join(path, manifestName));
	if (bytes.length > limits.manifestBytes) throw new Error(`${path} has too many files.`);
	const lines = bytes.toString("utf8").split("\n").filter(Boolean);
	return new Map(lines.map((line) => JSON.parse(line) as [string, string]));
}

function factsOf(root: string, path: string): string {
	const stats = statEntry(join(root, path));
	return stats ? `${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ino}` : "";
}
