/**
 * Files of a work tree that commands cannot write, and git of the user would write for them: a command may put another version into
 * the index without touching the file. It may put the one that is there, and those that the user has put there stay. The same holds for
 * what is looked at after a command because programs of the user read it in whatever directory: there, plain versions stay, too.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { GitIndex, GitObjects, readWritten } from "@tau/sys";

import { isBelow } from "./below.ts";
import { isTrusted } from "./direnv-trust.ts";
import { realPath } from "./git-directories.ts";
import { workTree } from "./gitlinks.ts";
import { otherSystems } from "./other-systems.ts";
import type { SandboxProfile } from "./profile.ts";
import { isPlain, promptNamesIn } from "./prompt-names.ts";
import { statsOf } from "./stats-of.ts";

type ClosedProfile = Pick<
	SandboxProfile,
	"readOnly" | "links" | "unwanted" | "unwantedHooks" | "direnv" | "envFiles"
>;
/** Paths are strings of bytes (latin1). */
type PathCheck = (path: string, isLink: boolean) => boolean;

interface Checks {
	/** Commands cannot write it. An empty path stands for some other one. */
	readonly isClosed: PathCheck;
	/** It is looked at after a command. */
	readonly isRead: PathCheck;
	/** Above what commands cannot write: a link in its place would lead past that. */
	readonly isAbove: (path: string) => boolean;
}

interface Differences {
	/** One that is neither the user's nor what is there; empty if it is not known which. */
	readonly path?: string;
	/** Whether some are what is there, and that is not looked at yet. */
	readonly isUnsettled: boolean;
}

/** The mark of an index in two parts. */
const split = "\0split";
const submodule = "160000 ";
const link = "120000 ";

export class ClosedPaths {
	/** Protected, or not to be made: files and directories. */
	readonly #paths: readonly string[];
	readonly #profile: ClosedProfile;
	readonly #promptNames: ReadonlySet<string>;
	readonly #isWritable: (path: string) => boolean;
	/** By the directory of the repository. */
	readonly #checks = new Map<string, Checks>();

	/** `remembered` have no mounts, and are put back after a command. */
	constructor(
		profile: ClosedProfile,
		isWritable: (path: string) => boolean,
		remembered: readonly string[] = [],
	) {
		const { readOnly, links, unwanted, unwantedHooks, envFiles = [] } = profile;
		this.#profile = profile;
		this.#paths = [...readOnly, ...links, ...unwanted, ...unwantedHooks, ...remembered];
		this.#promptNames = new Set(envFiles.map((name) => basename(name)));
		this.#isWritable = isWritable;
	}

	/** What an index has of them. */
	versions(gitDir: string, names: readonly string[]): ReadonlyMap<string, string> {
		const { isClosed, isRead, isAbove } = this.#check(gitDir);
		const isWanted = (path: string): boolean => isClosed(path, true) || isAbove(path) || isRead(path, true);
		const versions = names
			.flatMap((name) => [...GitIndex.versions(join(gitDir, name), isWanted)])
			.filter(([key, version]) => {
				const [path, isLink] = [pathOf(key), version.startsWith(link)];
				if (isClosed(path, isLink) || (isLink && isAbove(path))) return true;
				return !version.startsWith(submodule) && isRead(path, isLink);
			});
		return new Map(names.length > 1 ? [...versions, [split, split]] : versions);
	}

	differences(gitDir: string, names: readonly string[], own: ReadonlyMap<string, string>): Differences {
		const root = workTree(gitDir);
		const { isClosed, isAbove } = this.#check(gitDir);
		let isUnsettled = false;
		for (const [key, version] of this.versions(gitDir, names)) {
			if (key === split) continue;
			const name = pathOf(key);
			const path = Buffer.from(name, "latin1");
			// Which it is could only be told from the other part; the user's index has such parts itself.
			if (own.get(key) === version || (path.length === 0 && own.has(split))) continue;
			const isProtected = isClosed(name, version.startsWith(link)) || isAbove(name);
			if (!isProtected && this.#isHarmless(gitDir, join(root, path.toString("utf8")), version)) continue;
			const isThere =
				path.length > 0 &&
				version === versionAt(Buffer.concat([Buffer.from(`${root}/`), path]), version) &&
				!isHead(name);
			if (!isThere) return { path: path.toString("utf8"), isUnsettled };
			isUnsettled ||= !isProtected;
		}
		return { isUnsettled };
	}

	/** Of what is looked at after a command: whether what git would write could stay. */
	#isHarmless(gitDir: string, path: string, version: string): boolean {
		// direnv asks before it runs one that it does not know, but not where another one reads it.
		const isEnv = /\/\.env(?:rc)?$/.test(path) && !this.#promptNames.has(basename(path));
		if (isEnv && !isTrusted(path, this.#profile.direnv))
			return path.endsWith("/.env") || statsOf(path) === undefined;
		if (version.startsWith(link)) return false;
		using objects = new GitObjects(gitDir);
		const text = objects.blob(version.slice(version.indexOf(" ") + 1))?.toString("utf8");
		if (text === undefined) return false;
		return isHead(path) ? !headContent.test(text) : isPlain(path, text);
	}

	#check(gitDir: string): Checks {
		const known = this.#checks.get(gitDir) ?? this.#checkOf(workTree(gitDir));
		this.#checks.set(gitDir, known);
		return known;
	}

	#checkOf(given: string): Checks {
		const root = realPath(given) ?? given;
		const none = (): boolean => false;
		if (!this.#isWritable(root))
			return {
				isClosed: (path) => !this.#isWritable(join(root, textOf(path))),
				isRead: none,
				isAbove: none,
			};
		const closed = this.#paths
			.filter((path) => isBelow(path, root))
			.map((path) => Buffer.from(path.slice(root.length + 1)).toString("latin1"));
		const firsts = new Set(closed.map(firstOf));
		const files = new Set(closed);
		const directories = closed.map((path) => `${path}/`);
		const above = new Set(closed.flatMap(directoriesOf));
		return {
			isClosed: (path) =>
				path === "" ||
				(firsts.has(firstOf(path)) && (files.has(path) || directories.some((each) => path.startsWith(each)))),
			isRead: readIn(root, this.#promptNames),
			isAbove: (path) => above.has(path),
		};
	}
}

/** An index is in order: most paths have the directory of the one before. */
function readIn(root: string, more: ReadonlySet<string>): PathCheck {
	let directory: string | undefined;
	let isPrompt = promptNamesIn(root, more);
	return (path, isLink) => {
		const end = path.lastIndexOf("/");
		const above = path.slice(0, Math.max(0, end));
		if (above !== directory) {
			directory = above;
			isPrompt = promptNamesIn(join(root, textOf(above)), more);
		}
		const name = path.slice(end + 1);
		return isHead(path) || isPrompt(name, isLink) || systems.test(path);
	};
}

/** A directory with such a file may become a repository. */
function isHead(path: string): boolean {
	return /(?:^|\/)head$/i.test(path);
}

const headContent = /^(?:ref:|[0-9a-f]{40})/;
const systems = new RegExp(
	`(?:^|/)(?:${otherSystems.map((name) => name.replaceAll(".", "\\.")).join("|")})(?:/|$)`,
	"i",
);

function textOf(path: string): string {
	return Buffer.from(path, "latin1").toString("utf8");
}

function pathOf(key: string): string {
	return key.slice(0, key.indexOf("\0"));
}

function directoriesOf(path: string): string[] {
	const above = dirname(path);
	return above === "." ? [] : [above, ...directoriesOf(above)];
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
