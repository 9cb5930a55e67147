/** Searches the paths below a directory: by glob, and by fuzzy query. */
import { fuzzyPaths, type FuzzyPath } from "../fuzzy/index.ts";
import { compileGlob } from "./glob-pattern.ts";
import { scans, type Scan, type ScanOptions } from "./scan-cache.ts";
import type { ScanEntry } from "./walk.ts";

interface FindOptions extends ScanOptions {
	/** Also search inside `node_modules`; default false. */
	nodeModules?: boolean;
}

export interface GlobOptions extends FindOptions {
	pattern: string;
}

export interface GlobResult {
	/** The root with every link resolved. */
	root: string;
	/** Sorted by path. */
	entries: readonly ScanEntry[];
	/** True if the tree has more entries than a scan can hold. */
	isCut: boolean;
}

/** Throws a `GlobError` for an invalid pattern. */
export async function glob(options: GlobOptions): Promise<GlobResult> {
	const matches = compileGlob(options.pattern);
	const nodeModules = options.nodeModules === true || options.pattern.includes("node_modules");
	return inScan(
		options,
		({ root, entries, isCut }) => {
			const matching = entries.filter(
				({ path, kind }) => matches(path, kind) && (nodeModules || !inNodeModules(path)),
			);
			return { root, entries: matching, isCut };
		},
		(result) => result.entries.length > 0,
	);
}

export interface FuzzyFindOptions extends FindOptions {
	query: string;
	limit: number;
}

/** The best matching paths, best first; directories end with a slash. */
export async function fuzzyFind(options: FuzzyFindOptions): Promise<FuzzyPath[]> {
	return inScan(
		options,
		(scan) => fuzzyPaths(options.query, pathsOf(scan, options.nodeModules === true), options.limit),
		(results) => results.length > 0 || options.query.trim() === "",
	);
}

/** A cached scan without a result is repeated once: the file may be new. */
async function inScan<T>(
	options: ScanOptions,
	answer: (scan: Scan) => T,
	isAnswer: (answer: T) => boolean,
): Promise<T> {
	const scan = await scans.scan(options);
	const first = answer(scan);
	if (isAnswer(first) || !scans.isWorthRecheck(scan)) return first;
	return answer(await scans.rescan(options));
}

/** One list per scan, so that the cache of fuzzy matching helps for the next letter of the query. */
const lists = new WeakMap<readonly ScanEntry[], Map<boolean, readonly string[]>>();

function pathsOf({ entries }: Scan, nodeModules: boolean): readonly string[] {
	const made = lists.get(entries) ?? new Map<boolean, readonly string[]>();
	lists.set(entries, made);
	const cached = made.get(nodeModules);
	if (cached) return cached;
	const paths: string[] = [];
	for (const { path, kind } of entries) {
		if (nodeModules || !inNodeModules(path)) paths.push(kind === "directory" ? `${path}/` : path);
	}
	made.set(nodeModules, paths);
	return paths;
}

function inNodeModules(path: string): boolean {
	const at = path.indexOf("node_modules");
	return at >= 0 && /(?:^|\/)node_modules(?:\/|$)/.test(path);
}
