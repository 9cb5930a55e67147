/** Makes a tree for an agent, and finds those that were left by programs that were killed. */
import { readdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";

import { log } from "@tau/utils";

import type { Machine } from "@tau/sys";
import { BaseVersions } from "./base-versions.ts";
import { DirectoryTree, treeRoot, writeManifest, type DirectoryParts } from "./directory-tree.ts";
import { fillCopy, fillWorktree, forgetWorktree, type FillOptions } from "./copy-tree.ts";
import { TreeRules } from "./ignored.ts";
import { OverlayMount } from "./overlay-mount.ts";
import { OverlayTree } from "./overlay-tree.ts";
import { TreeDirectory, treeDirectories, type TreeRecord } from "./record.ts";
import type { IsolatedTree, IsolateOptions, TreeMode } from "./types.ts";

/** `machine` is the parent's: it merges. Rejects with the reason if no tree can be made. */
export async function isolate(machine: Machine, options: IsolateOptions): Promise<IsolatedTree> {
	const { mode, signal } = options;
	if (mode === "none") throw new Error("An agent without isolation has no tree.");
	const root = realpathSync(options.root);
	if (machine.files.localPath(root) !== root)
		throw new Error("Only files of this machine can be isolated, and not those of an isolated agent.");
	const cwd = join(root, relative(root, realpathSync(options.cwd)));
	const reasons: string[] = [];
	void sweepTrees(options.directory);
	for (const kind of mode === "auto" ? (["overlay", "worktree", "copy"] as const) : [mode]) {
		signal.throwIfAborted();
		const label = options.label === undefined ? {} : { label: options.label };
		const directory = TreeDirectory.create(options.directory, { mode: kind, root, cwd, ...label });
		const versions = BaseVersions.record(directory, options.isTrusted === true);
		try {
			const place = { machine, directory, versions };
			const tree = await makers[kind](place, options, reasons.at(-1));
			directory.ready(kind);
			return tree;
		} catch (error) {
			// Nobody has worked in it yet.
			await versions[Symbol.asyncDispose]();
			directory.remove();
			signal.throwIfAborted();
			reasons.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`);
			log.debug("a tree could not be made", { kind, reason: String(error) });
		}
	}
	throw new Error(`No isolated tree could be made (${reasons.join("; ")}).`);
}

type TreePlace = Pick<DirectoryParts, "machine" | "directory" | "versions">;

type MakeTree = (place: TreePlace, options: IsolateOptions, reason?: string) => Promise<IsolatedTree>;

const makers: Record<TreeMode, MakeTree> = {
	async overlay({ directory, ...place }, { signal, contentAt, overlayProblem }) {
		if (overlayProblem !== undefined) throw new Error(overlayProblem);
		const paths = {
			root: directory.record.root,
			upper: directory.below("upper"),
			work: directory.below("work"),
		};
		const mount = await OverlayMount.open(paths, signal);
		return new OverlayTree({ ...place, directory, mount, contentAt });
	},
	async worktree(place, options, reason) {
		if (options.isTrusted !== true) throw new Error("git does not run in a project that is not trusted");
		const { directory } = place;
		const { root } = directory.record;
		const tree = treeRoot(directory);
		try {
			await fillWorktree(fillOptions(directory, options));
		} catch (error) {
			await forgetWorktree(root, tree);
			throw error;
		}
		await writeManifest(directory, await TreeRules.open(tree));
		return directoryTree("worktree", place, options, reason);
	},
	async copy(place, options, reason) {
		const { directory } = place;
		await fillCopy(fillOptions(directory, options));
		await writeManifest(directory, await TreeRules.open(treeRoot(directory)));
		return directoryTree("copy", place, options, reason);
	},
};

function fillOptions(
	directory: TreeDirectory,
	{ include = [], link = [], signal }: IsolateOptions,
): FillOptions {
	return { root: directory.record.root, tree: treeRoot(directory), include, link, signal };
}

function directoryTree(
	mode: "worktree" | "copy",
	place: TreePlace,
	{ contentAt, link = [] }: Pick<IsolateOptions, "contentAt" | "link">,
	reason?: string,
): DirectoryTree {
	const { directory } = place;
	const { root } = directory.record;
	return new DirectoryTree(mode, {
		...place,
		contentAt,
		reason,
		linked: link,
		...(mode === "worktree" ? { forget: () => forgetWorktree(root, treeRoot(directory)) } : {}),
	});
}

/** A tree that nobody uses, with what was changed in it. */
export interface Leftover {
	readonly path: string;
	readonly record: TreeRecord;
}

/** Those of other running programs are left out. */
export function leftoverTrees(directory: string): Leftover[] {
	return treeDirectories(directory).flatMap((path) => {
		using tree = TreeDirectory.open(path);
		return tree ? [{ path, record: tree.record }] : [];
	});
}

/** Directories that this process has looked through. */
const swept = new Set<string>();

/** Deletes what killed programs left and nobody has changed anything in. What may hold work stays, for the user. */
async function sweepTrees(directory: string): Promise<void> {
	if (swept.has(directory)) return;
	swept.add(directory);
	for (const path of treeDirectories(directory)) {
		try {
			const tree = TreeDirectory.open(path);
			if (tree && isUntouched(tree)) await removeTree(tree);
			else tree?.[Symbol.dispose]();
		} catch (error) {
			log.debug("a tree could not be deleted", { path, reason: String(error) });
		}
	}
}

function isUntouched({ record: { isReady, mode }, path }: TreeDirectory): boolean {
	return !isReady || (mode === "overlay" && readdirSync(join(path, "upper")).length === 0);
}

async function removeTree(directory: TreeDirectory): Promise<void> {
	const { mode, root } = directory.record;
	if (mode === "worktree") await forgetWorktree(root, treeRoot(directory));
	directory.remove();
}

/** Opens a tree that was left: to look at its changes, or to merge them. Rejects if that is not possible. */
export async function reopenTree(machine: Machine, path: string, signal: AbortSignal): Promise<IsolatedTree> {
	const directory = TreeDirectory.open(path);
	if (!directory) throw new Error(`${path} is no isolated tree, or another program uses it.`);
	const { mode, root, isReady } = directory.record;
	if (!isReady) {
		await removeTree(directory);
		throw new Error(`${path} was never complete, so it is deleted.`);
	}
	try {
		const place = { machine, directory, versions: BaseVersions.open(directory) };
		if (mode !== "overlay") return directoryTree(mode, place, {});
		const paths = { root, upper: directory.below("upper"), work: directory.below("work") };
		return new OverlayTree({ ...place, mount: await OverlayMount.open(paths, signal) });
	} catch (error) {
		directory[Symbol.dispose]();
		throw new Error(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`, {
			cause: error,
		});
	}
}
