/** Answers questions about the paths below a directory: by glob, and by what somebody roughly remembers. */
import { fuzzyPaths, type FuzzyPath } from "../fuzzy/index.ts";
import { compileGlob } from "./glob-pattern.ts";
import { scans, type Scan, type ScanOptions } from "./scan-cache.ts";
import type { ScanEntry } from "./walk.ts";

interface FindOptions extends ScanOptions {
	/** Also what lies in a `node_modules`; default false. */
	nodeModules?: boolean;
}

export interface GlobOptions extends FindOptions {
	pattern: string;
}

export interface GlobResult {
	/** With every link resolved. */
	root: string;
	/** In the order of paths. */
	entries: readonly ScanEntry[];
	/** The tree has more entries than a scan holds. */
	isCut: boolean;
}

/** Throws a `GlobError` for a pattern that cannot be meant. */
export async function glob(options: GlobOptions): Promise<GlobResult> {
	const matches = compileGlob(options.pattern);
	const nodeModules = options.nodeModules === true || options.pattern.includes("node_modules");
	return inScan(
		options,
		({ root, entries, isCut }) => {
			const found = entries.filter(
				({ path, kind }) => matches(path, kind) && (nodeModules || !inNodeModules(path)),
			);
			return { root, entries: found, isCut };
		},
		(result) => result.entries.length > 0,
	);
}

export interface FuzzyFindOptions extends FindOptions {
	query: string;
	limit: number;
}

/** The paths that fit best, best first; directories end with a slash. */
export async function fuzzyFind(options: FuzzyFindOptions): Promise<FuzzyPath[]> {
	return inScan(
		options,
		(scan) => fuzzyPaths(options.query, pathsOf(scan, options.nodeModules === true), options.limit),
		(found) => found.length > 0 || options.query.trim() === "",
	);
}

/** When a kept scan has no answer it is made once more: the file may have come since. */
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

/** One list a scan, so that what fuzzy matching keeps of it is of use for the next letter of the query. */
const lists = new WeakMap<readonly ScanEntry[], Map<boolean, readonly string[]>>();

function pathsOf({ entries }: Scan, nodeModules: boolean): readonly string[] {
	const made = lists.get(entries) ?? new Map<boolean, readonly string[]>();
	lists.set(entries, made);
	const known = made.get(nodeModules);
	if (known) return known;
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
