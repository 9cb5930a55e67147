/** What lists of paths mean: `path`, `glob/*.ts`, `!glob` leaves out, `+path` and `-path` put in and leave out exactly one. */
import { posix } from "node:path";

/** The four kinds of entries, each without its sign. */
export interface Patterns {
	plain: string[];
	without: string[];
	plus: string[];
	minus: string[];
}

export function readPatterns(entries: readonly string[]): Patterns {
	const all: Patterns = { plain: [], without: [], plus: [], minus: [] };
	for (const entry of entries) {
		const sign = entry[0];
		if (sign === "!") all.without.push(plainPath(entry.slice(1)));
		else if (sign === "+") all.plus.push(plainPath(entry.slice(1)));
		else if (sign === "-") all.minus.push(plainPath(entry.slice(1)));
		else all.plain.push(plainPath(entry));
	}
	return all;
}

/** Without `./` in front and `/` behind, so that two ways to write a path compare. */
function plainPath(path: string): string {
	const normal = posix.normalize(path.replaceAll("\\", "/"));
	return normal.length > 1 ? normal.replace(/\/$/, "") : normal;
}

export function isGlob(path: string): boolean {
	return /[*?[\]{}]/.test(path);
}

/** The directory of a glob that no part of it varies. */
export function steadyPart(glob: string): string {
	const parts = glob.split("/");
	const first = parts.findIndex(isGlob);
	return parts.slice(0, Math.max(first, 0)).join("/");
}

/** Whether one of the patterns means the file: itself, by a glob, or by a directory above it. */
export function meansOne(patterns: readonly string[], file: string): boolean {
	if (patterns.length === 0) return false;
	const ways = [file, ...directoriesAbove(file)];
	return patterns.some((pattern) => {
		if (!isGlob(pattern)) return ways.includes(pattern) || pattern === ".";
		const glob = new Bun.Glob(pattern);
		return ways.some((way) => glob.match(way));
	});
}

/** Applies the user's selection to the package's files. */
export function isChosen(file: string, { plain, without, plus, minus }: Patterns): boolean {
	const isExactly = (paths: readonly string[]): boolean =>
		paths.some((path) => path === file || directoriesAbove(file).includes(path));
	if (isExactly(minus)) return false;
	if (isExactly(plus)) return true;
	if (meansOne(without, file)) return false;
	if (plain.length > 0) return meansOne(plain, file);
	// `[]` takes nothing; a list that only puts in and leaves out single ones takes the rest.
	return plus.length + without.length + minus.length > 0;
}

function directoriesAbove(file: string): string[] {
	const parts = file.split("/");
	return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
