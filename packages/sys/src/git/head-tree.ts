/** Tells which files the last commit of a repository has, without starting git. */
import { join, resolve } from "node:path";

import { limits } from "../limits.ts";
import { readSmallFile } from "../small-file.ts";
import { GitObjects } from "./object-store.ts";
import { readHead } from "./repository.ts";

const hashBytes = 20;
const directoryMode = "40000";

interface Entry {
	readonly oid: string;
	readonly isDirectory: boolean;
}

/** Paths are strings of bytes (latin1), relative to the repository, as in `GitIndex`. */
export class HeadTree implements Disposable {
	readonly #objects: GitObjects;
	readonly #root: string;
	readonly #trees = new Map<string, ReadonlyMap<string, Entry>>();

	private constructor(objects: GitObjects, root: string) {
		this.#objects = objects;
		this.#root = root;
	}

	/** Undefined before the first commit, and where refs or objects are stored in a way that this does not read. */
	static async open(gitDir: string): Promise<HeadTree | undefined> {
		const commit = await headCommit(gitDir);
		if (commit === undefined) return undefined;
		const objects = new GitObjects(gitDir);
		const text =
			objects.content(commit, "commit")?.toString("latin1", 0, "tree ".length + 2 * hashBytes + 1) ?? "";
		const root = /^tree ([0-9a-f]{40})\n/.exec(text)?.[1];
		if (root !== undefined) return new HeadTree(objects, root);
		objects[Symbol.dispose]();
		return undefined;
	}

	/** Whether it has a file at this path, a link or a submodule; git knows no directories. */
	has(path: string): boolean {
		let entry: Entry | undefined = { oid: this.#root, isDirectory: true };
		for (const name of path.split("/"))
			entry = entry?.isDirectory ? this.#tree(entry.oid).get(name) : undefined;
		return entry?.isDirectory === false;
	}

	[Symbol.dispose](): void {
		this.#objects[Symbol.dispose]();
	}

	/** The entries of a directory, empty if it is none: `mode name NUL`, then the object's 20 bytes. */
	#tree(oid: string): ReadonlyMap<string, Entry> {
		const known = this.#trees.get(oid);
		if (known) return known;
		const entries = new Map<string, Entry>();
		const bytes = this.#objects.content(oid, "tree") ?? Buffer.alloc(0);
		for (let at = 0; at < bytes.length;) {
			const name = bytes.indexOf(0x20, at) + 1;
			const end = bytes.indexOf(0, name);
			if (name === 0 || end < 0) break;
			entries.set(bytes.toString("latin1", name, end), {
				oid: bytes.toString("hex", end + 1, end + 1 + hashBytes),
				isDirectory: bytes.toString("latin1", at, name - 1) === directoryMode,
			});
			at = end + 1 + hashBytes;
		}
		this.#trees.set(oid, entries);
		return entries;
	}
}

async function headCommit(gitDir: string): Promise<string | undefined> {
	const head = await readHead({ gitDir });
	if (!head) return undefined;
	const read = async (path: string): Promise<string> =>
		(await readSmallFile(path, limits.gitSettingsBytes)) ?? "";
	if (head.isDetached) return hash.exec(await read(join(gitDir, "HEAD")))?.[0];
	const ref = `refs/heads/${head.branch}`;
	const common = (await read(join(gitDir, "commondir"))).trim();
	const shared = common === "" ? gitDir : resolve(gitDir, common);
	const loose = hash.exec(await read(join(shared, ref)))?.[0];
	if (loose !== undefined) return loose;
	const lines = (await read(join(shared, "packed-refs"))).split("\n");
	return hash.exec(lines.find((line) => line.endsWith(` ${ref}`)) ?? "")?.[0];
}

const hash = /^[0-9a-f]{40}(?![0-9a-f])/;
