/** Lists everything below a directory, sorted by path, except ignored files. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

import { withTimeout } from "@tau/utils";

import { HeldDirectory } from "./held-path.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { limits } from "./limits.ts";
import { realPath } from "./real-path.ts";

export interface WalkOptions {
	root: string;
	/** Include names that begin with a dot. `.git` is never listed. */
	hidden: boolean;
	/** Leave out files that .gitignore, .ignore, .rgignore and git's exclude lists exclude. */
	gitignore: boolean;
	/** The root has no links: if it leads elsewhere now, it is not read. */
	isUnlinked?: boolean;
	signal?: AbortSignal;
}

export type EntryKind = "file" | "directory" | "link" | "other";

export interface ScanEntry {
	/** The path from the root, with slashes. */
	readonly path: string;
	/** Links are listed and never followed. */
	readonly kind: EntryKind;
}

export interface Walk {
	/** The root with every link resolved. */
	root: string;
	entries: readonly ScanEntry[];
	/** True if there are more entries than a scan can hold. */
	isCut: boolean;
}

interface Directory {
	path: string;
	/** The rules that apply to the directory itself; those inside may be stronger. */
	rules: IgnoreRules | undefined;
	found: WalkedFile[];
}

interface WalkedFile {
	name: string;
	kind: EntryKind;
	below: Directory | undefined;
}

/** Rejects when the root cannot be read, with the signal's reason when it aborts, and after a timeout. */
export async function walk({ root, hidden, gitignore, isUnlinked, signal }: WalkOptions): Promise<Walk> {
	using deadline = withTimeout(signal, limits.timeoutMs, `Listing ${root} takes too long`);
	deadline.signal.throwIfAborted();
	const real = isUnlinked ? root : realPath(root);
	const rules = gitignore ? await IgnoreRules.above(real) : undefined;
	const top: Directory = { path: "", rules, found: [] };
	await readAll(real, top, hidden, deadline.signal);
	const entries: ScanEntry[] = [];
	const isCut = !flatten(top, entries);
	return { root: real, entries, isCut };
}

/**
 * Reads many directories concurrently, because each waits for the disk; their number is bounded, so memory is
 * bounded.
 */
async function readAll(root: string, top: Directory, hidden: boolean, signal: AbortSignal): Promise<void> {
	const waiting = [top];
	let active = 0;
	let entries = 0;
	let news = Promise.withResolvers<void>();
	const done = (directory: Directory): void => {
		active--;
		entries += directory.found.length;
		for (const { below } of directory.found) {
			if (below && entries <= limits.entries) waiting.push(below);
		}
		const previous = news;
		news = Promise.withResolvers<void>();
		previous.resolve();
	};
	const lane = async (): Promise<void> => {
		while (waiting.length > 0 || active > 0) {
			signal.throwIfAborted();
			const directory = waiting.pop();
			if (!directory) {
				await news.promise;
				continue;
			}
			active++;
			try {
				await readOne(root, directory, hidden);
			} catch (error) {
				// Any other directory that is missing or locked is skipped.
				if (directory === top) throw error;
			} finally {
				done(directory);
			}
		}
	};
	await Promise.all(Array.from({ length: limits.directoriesAtOnce }, lane));
}

async function readOne(root: string, directory: Directory, hidden: boolean): Promise<void> {
	const { path } = directory;
	const absolute = path === "" ? root : `${root === "/" ? "" : root}/${path}`;
	const dirents = await listHeld(absolute);
	const rules = directory.rules && (await directory.rules.enter(absolute, path, ruleNames(dirents)));
	for (const dirent of dirents) {
		const { name } = dirent;
		if (name === ".git") continue;
		const kind = kindOf(dirent);
		const verdict = rules?.verdict(path, name, kind === "directory");
		// As in ripgrep, a name that a rule re-includes is shown although it is hidden.
		if (verdict === "ignored" || (!hidden && name.startsWith(".") && verdict !== "kept")) continue;
		const below = kind === "directory" ? { path: joined(path, name), rules, found: [] } : undefined;
		directory.found.push({ name, kind, below });
	}
}

/** What a directory has become a link to in the meantime is not listed. */
export async function listHeld(path: string): Promise<Dirent[]> {
	using directory = HeldDirectory.open(path, true);
	return await readdir(directory.at(), { withFileTypes: true });
}

function ruleNames(dirents: readonly Dirent[]): string[] {
	const names: string[] = [];
	for (const { name } of dirents) if (IgnoreRules.isRuleName(name)) names.push(name);
	return names;
}

export function kindOf(dirent: Dirent): EntryKind {
	if (dirent.isFile()) return "file";
	if (dirent.isDirectory()) return "directory";
	return dirent.isSymbolicLink() ? "link" : "other";
}

/** False when the limit was reached. */
function flatten(top: Directory, entries: ScanEntry[]): boolean {
	for (const { name, kind, below } of top.found.toSorted(byName)) {
		if (entries.length >= limits.entries) return false;
		entries.push({ path: joined(top.path, name), kind });
		// The recursion is as deep as the system's longest path at most.
		if (below && !flatten(below, entries)) return false;
	}
	return true;
}

function byName(a: WalkedFile, b: WalkedFile): number {
	return a.name < b.name ? -1 : 1;
}

function joined(directory: string, name: string): string {
	return directory === "" ? name : `${directory}/${name}`;
}
