/** A tree as an overlay: everything of the project is visible at its own path, and changes go to a layer above it. */
import { join } from "node:path";

import { localMachine, type Machine } from "@tau/sys";
import { withSandbox } from "../sandbox/index.ts";
import { treeChanges, upperPaths, type ComparedTrees } from "./changes.ts";
import { absentEntry, readTreeEntry, statEntry } from "./entry.ts";
import type { BaseVersions } from "./base-versions.ts";
import { mergeTree, pathsOf } from "./merge.ts";
import { mountedFiles } from "./mounted-files.ts";
import type { OverlayMount } from "./overlay-mount.ts";
import type { TreeDirectory } from "./record.ts";
import type {
	ContentAt,
	EnterTree,
	IsolatedTree,
	MergeOptions,
	MergeOutcome,
	TreeChange,
	TreeChanges,
	TreeEntry,
} from "./types.ts";

export interface OverlayParts {
	/** The parent's, which merges. */
	readonly machine: Machine;
	readonly directory: TreeDirectory;
	readonly mount: OverlayMount;
	readonly contentAt?: ContentAt | undefined;
	readonly versions: BaseVersions;
}

export class OverlayTree implements IsolatedTree {
	readonly mode = "overlay";
	readonly machine: Machine;
	readonly enter: EnterTree;
	readonly #parts: OverlayParts;
	#isClosed = false;

	constructor(parts: OverlayParts) {
		this.#parts = parts;
		const { mount } = parts;
		this.enter = mount.enter;
		const local = localMachine();
		const entered = withSandbox(local, () => mount.enter.launcher);
		this.machine = { ...entered, files: mountedFiles(local.files, mount.tree) };
	}

	get id(): string {
		return this.#parts.directory.record.id;
	}

	get cwd(): string {
		return this.#parts.directory.record.cwd;
	}

	get directory(): string {
		return this.#parts.directory.path;
	}

	async changes(signal: AbortSignal): Promise<TreeChanges> {
		return await treeChanges(this.#trees, signal);
	}

	async merge(options: MergeOptions): Promise<MergeOutcome> {
		const { machine, directory, contentAt, versions } = this.#parts;
		const { root, theirs } = this.#trees;
		const { files } = await this.changes(options.signal);
		const known = (path: string) => baseOf(root, path, directory.record.startedMs, contentAt);
		const recorded = await recordedBases(files, known, versions, options.signal);
		// A file that nobody is known to have deleted is new; if it is not, a merge brings it back, and nothing is lost.
		const missing = (path: string) => (statEntry(join(root, path)) ? undefined : absentEntry);
		const base = (path: string) => known(path) ?? recorded.get(path) ?? missing(path);
		return await mergeTree({ machine, root, files, theirs, base }, options);
	}

	/** A tree with changes that are not in the project is kept. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		const { directory, mount, versions } = this.#parts;
		const { files } = await this.changes(new AbortController().signal).catch(() => ({ files: [undefined] }));
		await mount[Symbol.asyncDispose]();
		if (files.length > 0) await versions.finished();
		await versions[Symbol.asyncDispose]();
		if (files.length === 0) directory.remove();
		else directory[Symbol.dispose]();
	}

	get #trees(): ComparedTrees & { upper: string } {
		const { mount, directory } = this.#parts;
		const layers = { upper: join(directory.path, "upper"), seen: mount.tree.opened, root: mount.tree.root };
		const theirs = (path: string): TreeEntry => {
			const above = join(layers.upper, path);
			const stats = statEntry(above);
			return readTreeEntry(stats?.isFile() || stats?.isSymbolicLink() ? above : join(layers.seen, path));
		};
		return { ...layers, theirs, candidates: (rules, signal) => upperPaths(layers, rules, signal) };
	}
}

/** The project's own version, if nobody has changed it since the tree was made; otherwise what the parent knows of it. */
export function baseOf(
	root: string,
	path: string,
	startedMs: number,
	contentAt: ContentAt | undefined,
): TreeEntry | undefined {
	const absolute = join(root, path);
	const stats = statEntry(absolute);
	if (stats && Number(stats.ctimeNs / 1000n) / 1000 <= startedMs) return readTreeEntry(absolute);
	return contentAt?.(absolute, startedMs);
}

/** The first versions of files that the project has changed, too, and of which nobody else knows them. */
export async function recordedBases(
	files: readonly TreeChange[],
	known: (path: string) => TreeEntry | undefined,
	versions: BaseVersions,
	signal: AbortSignal,
): Promise<ReadonlyMap<string, TreeEntry>> {
	const bases = new Map<string, TreeEntry>();
	for (const path of files.flatMap(pathsOf)) {
		const entry = known(path) ? undefined : await versions.of(path, signal);
		if (entry) bases.set(path, entry);
	}
	return bases;
}
