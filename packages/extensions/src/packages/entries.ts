/** Finds the files of a path: itself, those that its package.json names, its index, or those that it contains. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { extname, isAbsolute, join, posix, relative, resolve } from "node:path";

import { isRecord } from "@tau/utils";

import { isGlob, meansOne, readPatterns, steadyPart } from "./patterns.ts";
import { walkBelow } from "./walk-below.ts";
import { limits } from "../support/limits.ts";

export interface Entries {
	/** Absolute paths of modules. */
	files: string[];
	/** What is named and cannot be used. */
	problems: { path: string; error: string }[];
	/** A package.json named them. */
	isPackage: boolean;
}

/** In this order, if there are several. */
const manifestKeys = ["tau", "omp", "pi"] as const;
const endings: ReadonlySet<string> = new Set([".ts", ".js", ".mts", ".mjs", ".tsx", ".jsx"]);
const indexes = ["index.ts", "index.js", "index.mts", "index.mjs"] as const;

/** Resolves a path that the user named: a file is used directly, a directory for its contents. */
export function entriesOf(path: string): Entries {
	const kind = kindOf(path);
	if (kind === undefined) return problem(path, "No such file or directory.");
	if (kind === "file") return found([path]);
	return packageEntries(path) ?? indexEntries(path) ?? entriesIn(path);
}

/** The contents of a directory of extensions: modules, and directories with a manifest or an index. */
export function entriesIn(directory: string): Entries {
	const all = found([]);
	const names = namesIn(directory).filter((name) => !name.startsWith(".") && name !== "node_modules");
	for (const name of names.slice(0, limits.perDirectory)) {
		const path = join(directory, name);
		const kind = kindOf(path);
		if (kind === "file" && isModule(name)) all.files.push(path);
		const inner = kind === "directory" ? (packageEntries(path) ?? indexEntries(path)) : undefined;
		all.files.push(...(inner?.files ?? []));
		all.problems.push(...(inner?.problems ?? []));
	}
	return all;
}

function packageEntries(directory: string): Entries | undefined {
	const manifest = join(directory, "package.json");
	const named = readManifest(manifest);
	if (!named) return undefined;
	if ("error" in named) return problem(manifest, named.error);
	const all: Entries = { files: [], problems: [], isPackage: true };
	for (const name of namesOf(directory, named.extensions)) {
		const path = resolve(directory, name);
		const kind = kindOf(path);
		if (!isInside(directory, path))
			all.problems.push({
				path: manifest,
				error: `"${name}" points outside the package and was not loaded.`,
			});
		else if (kind === "directory") all.files.push(...(indexEntries(path) ?? entriesIn(path)).files);
		else if (kind === "file") all.files.push(path);
		else all.problems.push({ path: manifest, error: `It names ${name}, which does not exist.` });
	}
	return all;
}

/** `path`, `glob/*.ts`, and `!glob` for what is left out, as in packages that are installed. */
function namesOf(directory: string, listed: readonly string[]): string[] {
	const { without, minus } = readPatterns(listed);
	const isLeftOut = (name: string): boolean => meansOne([...without, ...minus], posix.normalize(name));
	return listed
		.filter((entry) => !/^[!-]/.test(entry))
		.map((entry) => entry.replace(/^\+/, ""))
		.flatMap((entry) =>
			// What leads out is judged like any other path, and not walked through.
			isGlob(entry) && isInside(directory, resolve(directory, entry))
				? matching(directory, posix.normalize(entry))
				: [entry],
		)
		.filter((name) => !isLeftOut(name));
}

function matching(directory: string, pattern: string): string[] {
	const glob = new Bun.Glob(pattern);
	return walkBelow(directory, steadyPart(pattern)).filter(
		(path) => glob.match(path) && (isModule(path) || kindOf(join(directory, path)) === "directory"),
	);
}

function readManifest(path: string): { extensions: string[] } | { error: string } | undefined {
	const size = statSync(path, { throwIfNoEntry: false })?.size;
	if (size === undefined || size > limits.manifestBytes) return undefined;
	try {
		const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
		if (!isRecord(manifest)) return undefined;
		for (const key of manifestKeys) {
			const own = manifest[key];
			if (!isRecord(own) || own.extensions === undefined) continue;
			const { extensions } = own;
			if (Array.isArray(extensions) && extensions.every((name) => typeof name === "string"))
				return { extensions };
			return { error: `${key}.extensions must be a list of paths.` };
		}
		return undefined;
	} catch (error) {
		return { error: `It is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
	}
}

function indexEntries(directory: string): Entries | undefined {
	const index = indexes.map((name) => join(directory, name)).find((path) => kindOf(path) === "file");
	return index === undefined ? undefined : found([index]);
}

/** Links are followed before it is judged. */
function isInside(directory: string, path: string): boolean {
	const way = relative(realOf(directory), realOf(path));
	return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// What is not there is judged by its name.
		return path;
	}
}

function isModule(name: string): boolean {
	return endings.has(extname(name)) && !name.endsWith(".d.ts") && !/\.(?:test|spec)\.\w+$/.test(name);
}

function kindOf(path: string): "file" | "directory" | undefined {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		if (stats?.isDirectory()) return "directory";
		return stats?.isFile() ? "file" : undefined;
	} catch {
		// Below a file, or unreadable: treated as absent.
		return undefined;
	}
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory).toSorted();
	} catch {
		// Most directories of extensions are not there.
		return [];
	}
}

function found(files: string[]): Entries {
	return { files, problems: [], isPackage: false };
}

function problem(path: string, error: string): Entries {
	return { files: [], problems: [{ path, error }], isPackage: false };
}
