/** Walks a project in short slices: every directory, file and link that git does not ignore, with its facts. */
import { existsSync, lstatSync, readdirSync, type BigIntStats } from "node:fs";

import { IgnoreRules } from "../walk/ignore-rules.ts";

export interface ScannedEntry {
	/** The path from the root as a string of bytes (latin1); empty for the root itself. */
	path: string;
	stats: BigIntStats;
	/** For a directory: what is ignored in it. */
	rules?: TreeRules;
}

/** What is ignored in a directory. */
export interface TreeRules {
	readonly ignore: IgnoreRules;
}

export interface TreeScanOptions {
	/** The root of the project, without links. */
	root: Buffer;
	/** Where to begin: the root, or a directory below it with the rules of the directory that holds it. */
	from?: { path: string; rules: TreeRules };
	/** Returns whether the entry belongs to the scan although it is ignored. */
	isKept(path: string, isDirectory: boolean): boolean;
	/** Returns whether a directory that is not ignored is left out. */
	isExcluded(path: string, name: string): boolean;
	/** Called before the contents of a directory that is the top of a repository. */
	enterRepository(path: string, absolute: string): Promise<void>;
	/** Called in the order of the walk, a directory before what is in it. False ends the walk. */
	visit(entry: ScannedEntry): boolean;
	/** How long the walk may block, in milliseconds, before other work gets its turn. */
	sliceMs: number;
	signal: AbortSignal;
}

interface Pending {
	path: string;
	ignore: IgnoreRules;
}

/** False if it was ended before everything was seen. Whatever cannot be read is left out. */
export async function scanTree(options: TreeScanOptions): Promise<boolean> {
	const { root, from, signal, sliceMs } = options;
	// No rule applies above the root: the root is the top of a repository, or in none.
	const ignore = from?.rules.ignore ?? (await IgnoreRules.above("/"));
	const pending: Pending[] = [{ path: from?.path ?? "", ignore }];
	let slice = performance.now();
	for (let next = pending.pop(); next; next = pending.pop()) {
		if (signal.aborted) return false;
		if (!(await readOne(options, root, next, pending))) return false;
		if (performance.now() - slice < sliceMs) continue;
		await new Promise(setImmediate);
		slice = performance.now();
	}
	return true;
}

async function readOne(
	options: TreeScanOptions,
	root: Buffer,
	{ path, ignore }: Pending,
	pending: Pending[],
): Promise<boolean> {
	const { isKept, isExcluded, visit } = options;
	const absolute = absoluteOf(root, path);
	const stats = statsOf(absolute);
	const names = stats?.isDirectory() ? namesIn(absolute) : undefined;
	if (!stats || !names) return true;
	const has = (name: string): boolean => names.some((each) => each.toString("latin1") === name);
	const ruleNames = [".git", ".gitignore"].filter(has);
	const rules = ruleNames.length === 0 ? ignore : await entered(ignore, absolute, path, ruleNames);
	if (ruleNames.includes(".git")) await options.enterRepository(path, absolute.toString());
	if (!visit({ path, stats, rules: { ignore: rules } })) return false;
	const text = Buffer.from(path, "latin1").toString();
	for (const bytes of names) {
		const name = bytes.toString("latin1");
		if (name === ".git") continue;
		const below = path === "" ? name : `${path}/${name}`;
		const entry = statsOf(absoluteOf(root, below));
		if (!entry) continue;
		const isDirectory = entry.isDirectory();
		const isIgnored = rules.verdict(text, bytes.toString(), isDirectory) === "ignored";
		if ((isIgnored || (isDirectory && isExcluded(below, name))) && !isKept(below, isDirectory)) continue;
		if (isDirectory) pending.push({ path: below, ignore: rules });
		else if (!visit({ path: below, stats: entry })) return false;
	}
	return true;
}

/** A directory whose name is no text keeps the rules of the directory above. */
async function entered(
	ignore: IgnoreRules,
	absolute: Buffer,
	path: string,
	names: readonly string[],
): Promise<IgnoreRules> {
	const text = absolute.toString();
	return existsSync(text) ? await ignore.enter(text, Buffer.from(path, "latin1").toString(), names) : ignore;
}

function absoluteOf(root: Buffer, path: string): Buffer {
	if (path === "") return root;
	return Buffer.concat([root, Buffer.from(`/${path}`, "latin1")]);
}

function statsOf(path: Buffer): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		// A directory without permission, or one that became a file meanwhile.
		return undefined;
	}
}

function namesIn(path: Buffer): Buffer[] | undefined {
	try {
		return readdirSync(path, { encoding: "buffer" });
	} catch {
		return undefined;
	}
}
