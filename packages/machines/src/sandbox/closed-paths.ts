/**
 * Files of a work tree that commands cannot write, and git of the user would write for them: a command may put another version into
 * the index without touching the file. It may put the one that is there, and those that the user has put there stay.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";

import { GitIndex, readWritten } from "@tau/sys";

import { isBelow } from "./below.ts";
import { realPath } from "./git-directories.ts";
import { workTree } from "./gitlinks.ts";
import type { SandboxProfile } from "./profile.ts";

type ClosedProfile = Pick<SandboxProfile, "readOnly" | "links" | "unwanted" | "unwantedHooks">;
type PathCheck = (path: string) => boolean;
/** The mark of an index in two parts. */
const split = "\0split";

export class ClosedPaths {
	/** Protected, or not to be made: files and directories. */
	readonly #paths: readonly string[];
	readonly #isWritable: PathCheck;
	/** By the directory of the repository. */
	readonly #checks = new Map<string, PathCheck>();

	constructor({ readOnly, links, unwanted, unwantedHooks }: ClosedProfile, isWritable: PathCheck) {
		this.#paths = [...readOnly, ...links, ...unwanted, ...unwantedHooks];
		this.#isWritable = isWritable;
	}

	/** What an index has of them. */
	versions(gitDir: string, names: readonly string[]): ReadonlyMap<string, string> {
		const isClosed = this.#check(gitDir);
		const versions = names.flatMap((name) => [...GitIndex.versions(join(gitDir, name), isClosed)]);
		return new Map(names.length > 1 ? [...versions, [split, split]] : versions);
	}

	/** One that is neither the user's nor what is there; empty if it is not known which. */
	otherVersion(
		gitDir: string,
		names: readonly string[],
		own: ReadonlyMap<string, string>,
	): string | undefined {
		const root = workTree(gitDir);
		for (const [key, version] of this.versions(gitDir, names)) {
			if (key === split) continue;
			const path = Buffer.from(key.slice(0, key.indexOf("\0")), "latin1");
			// Which it is could only be told from the other part; the user's index has such parts itself.
			if (own.get(key) === version || (path.length === 0 && own.has(split))) continue;
			if (path.length === 0 || version !== versionAt(Buffer.concat([Buffer.from(`${root}/`), path]), version))
				return path.toString("utf8");
		}
		return undefined;
	}

	#check(gitDir: string): PathCheck {
		const known = this.#checks.get(gitDir) ?? this.#checkOf(workTree(gitDir));
		this.#checks.set(gitDir, known);
		return known;
	}

	/** Paths are strings of bytes (latin1). An empty one stands for some other one. */
	#checkOf(given: string): PathCheck {
		const root = realPath(given) ?? given;
		const text = (path: string): string => Buffer.from(path, "latin1").toString("utf8");
		if (!this.#isWritable(root)) return (path) => !this.#isWritable(join(root, text(path)));
		const closed = this.#paths
			.filter((path) => isBelow(path, root))
			.map((path) => Buffer.from(path.slice(root.length + 1)).toString("latin1"));
		const firsts = new Set(closed.map(firstOf));
		const files = new Set(closed);
		const directories = closed.map((path) => `${path}/`);
		return (path) =>
			path === "" ||
			(firsts.has(firstOf(path)) && (files.has(path) || directories.some((above) => path.startsWith(above))));
	}
}

function firstOf(path: string): string {
	const end = path.indexOf("/");
	return end < 0 ? path : path.slice(0, end);
}

/** That of the file which is there, with the hash of the other one. Undefined if there is none. */
function versionAt(path: Buffer, { length }: string): string | undefined {
	try {
		const info = lstatSync(path, { throwIfNoEntry: false });
		const bytes =
			info?.isSymbolicLink() === true ? readlinkSync(path, { encoding: "buffer" }) : readWritten(path);
		if (info === undefined || bytes === undefined) return undefined;
		const mode = info.isSymbolicLink() ? "120000" : info.mode & 0o100 ? "100755" : "100644";
		const hash = new Bun.CryptoHasher(length > "100644 ".length + 40 ? "sha256" : "sha1");
		return `${mode} ${hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex")}`;
	} catch {
		// A part of its path is a file, or closed.
		return undefined;
	}
}
