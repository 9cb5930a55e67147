/** Lists and reads the files of a tree that belong to the project: what git tracks or would track. */
import { lstat, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { run } from "./process.ts";

/** The root of this repository. */
export const repository = resolve(import.meta.dir, "../..");

export type SourceFile = { path: string; text: string };

const notOurs = new Set([".git", "node_modules", "dist", "coverage"]);

/** Twenty checks read this repository in one process, in which it does not change. Other trees are fixtures, and do. */
const known = new Map<string, Promise<string>>();
let listed: Promise<string[]> | undefined;

export async function listFiles(root: string): Promise<string[]> {
	return root === repository ? await (listed ??= list(root)) : await list(root);
}

export async function readFiles(root: string, wanted: (path: string) => boolean): Promise<SourceFile[]> {
	const paths = (await listFiles(root)).filter(wanted);
	const read = (path: string): Promise<string> => Bun.file(join(root, path)).text();
	const textOf = (path: string): Promise<string> =>
		root === repository ? known.getOrInsertComputed(path, read) : read(path);
	return Promise.all(paths.map(async (path) => ({ path, text: await textOf(path) })));
}

async function list(root: string): Promise<string[]> {
	const git = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root);
	const names = git.code === 0 ? git.stdout.split("\0").filter(Boolean) : await walk(root, "");
	// A tracked file may be missing on disk, and a link may point outside the tree.
	const kept = await Promise.all(names.map(async (name) => ((await isFile(join(root, name))) ? [name] : [])));
	return [...new Set(kept.flat())].toSorted();
}

async function walk(root: string, folder: string): Promise<string[]> {
	const entries = await readdir(join(root, folder), { withFileTypes: true });
	const problems = entries.map(async (entry) => {
		const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
		if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : walk(root, path);
		return [path];
	});
	return (await Promise.all(problems)).flat();
}

async function isFile(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isFile();
	} catch {
		// It was deleted after the listing, so it is not a file.
		return false;
	}
}
