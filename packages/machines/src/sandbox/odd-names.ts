/**
 * Directories and links whose names are not text. Programs of the user find a repository or settings there, and we would miss them: if
 * a command has made one that contains some, or has changed what git runs of the user's there, it gets a name that is text.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { readWritten } from "@tau/sys";
import { shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { openForOwner, removed } from "./disarm.ts";
import { textOf } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { otherSystems } from "./other-systems.ts";
import { isPlain, promptNamesIn } from "./prompt-names.ts";
import { statsOf } from "./stats-of.ts";

/** Characters that are kept; a name may have 255 bytes. */
const nameLength = 60;

export class OddNames {
	/** From now on they are those of commands. */
	areKnown = false;
	/** By the path of one of the user, as latin1: what programs run there, or where it leads. */
	readonly #own = new Map<string, string>();
	readonly #reports: Denial[] = [];

	/** What is there is the user's. */
	keep(): void {
		for (const key of this.#own.keys()) this.#own.set(key, factsAt(Buffer.from(key, "latin1")));
	}

	/** Returns whether one was renamed. */
	rename(directory: string): boolean {
		let isRenamed = false;
		for (const name of namesIn(Buffer.from(directory)) ?? []) {
			if (textOf(name) !== undefined) continue;
			const path = at(Buffer.from(directory), name);
			const key = path.toString("latin1");
			const [own, now] = [this.#own.get(key), factsAt(path)];
			// Of one that could not be looked at before, nobody knows what has changed.
			if (now === "" || own === now || own === unknown) continue;
			if (!this.areKnown) {
				this.#own.set(key, now);
				continue;
			}
			isRenamed = this.#hasRenamed(directory, path, name) || isRenamed;
		}
		return isRenamed;
	}

	/** What was renamed since the last call. */
	take(): Denial[] {
		return this.#reports.splice(0);
	}

	/** One that a command has made, and that leads where we would not find what is there. */
	removeLink(path: string): void {
		if (isOddTarget(path)) this.#reports.push(...removed(path, "it leads to a name that is not text"));
	}

	#hasRenamed(directory: string, path: Buffer, name: Buffer): boolean {
		// Each byte may become three.
		const named = join(directory, name.toString("utf8").slice(0, nameLength));
		const kept = existsSync(named) ? `${named}-${shortId()}` : named;
		try {
			renameSync(path, kept);
		} catch {
			// A command has closed the directory, or it is gone.
			return openForOwner(directory) && this.rename(directory);
		}
		this.#own.delete(path.toString("latin1"));
		const what = `An entry of ${directory} was renamed to ${basename(kept)}: a command has changed what programs of yours read there, and its name is not text`;
		this.#reports.push({ what, mayRunOutside: false });
		return true;
	}
}

/** A directory that is too large to look at, or closed, may have some. */
const unknown = "unknown";

/** Empty for what means nothing to programs. */
function factsAt(path: Buffer): string {
	if (isDirectory(path)) return readIn(path);
	return isDirectoryLink(path) ? readlinkSync(path, "latin1") : "";
}

/**
 * What programs read there, by times and numbers of files, which no command can choose; empty without repositories and settings.
 */
function readIn(path: Buffer): string {
	const found: string[] = [];
	const queue = [path];
	for (const directory of queue) {
		const names = namesIn(directory);
		if (names === undefined || queue.length > limits.searchedDirectories) return unknown;
		const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name.toString("latin1")));
		const isRepository = has(/^head$/i);
		const isInSystem = systems.test(directory.toString("latin1"));
		const isPrompt = promptNamesIn(directory.toString());
		const isHooks = /\/hooks$/i.test(directory.toString("latin1"));
		for (const name of names) {
			const below = at(directory, name);
			const text = name.toString("latin1");
			const isOfGit = isRepository ? settings.test(text) : isHooks && !text.endsWith(".sample");
			const isNamed = isPrompt(name.toString(), isDirectoryLink(below)) && !isPlainAt(below);
			const isRead = isOfGit || isNamed || isInSystem || isDirectoryLink(below);
			if (isRead || /^(?:\.git|head)$/i.test(text)) found.push(factsOf(below, isRead));
			if (isDirectory(below) && !(isRepository && unread.test(text))) queue.push(below);
		}
	}
	// A directory may list them in another order.
	return found.toSorted().join("\n");
}

const systems = new RegExp(`/(?:${otherSystems.join("|").replaceAll(".", "\\.")})(?:/repo|/prefs)?$`, "i");

/** By which git runs something, and goes to other directories. */
const settings = /^(?:config|config\.worktree|commondir|gitdir|hooks)$/i;
/** In a repository: git runs nothing of them. */
const unread = /^(?:objects|refs|logs|lfs)$/i;

/** A `.git` directory and a `HEAD` change with each commit: only that they are there counts. */
function factsOf(path: Buffer, isRead: boolean): string {
	const stats = statsOf(path);
	const isDirectoryOrHead = stats?.isDirectory() === true || /\/head$/i.test(path.toString("latin1"));
	const facts = isDirectoryOrHead && !isRead ? "" : `${stats?.dev} ${stats?.ino} ${stats?.ctimeNs}`;
	return `${path.toString("latin1")} ${facts}`;
}

function isPlainAt(path: Buffer): boolean {
	const content = statsOf(path)?.isFile() === true ? readWritten(path) : undefined;
	return content !== undefined && isPlain(path.toString(), content.toString());
}

function isDirectoryLink(path: Buffer): boolean {
	try {
		return statsOf(path)?.isSymbolicLink() === true && statSync(path).isDirectory();
	} catch {
		// It leads nowhere.
		return false;
	}
}

function isOddTarget(path: string): boolean {
	try {
		return textOf(realpathSync.native(path, { encoding: "buffer" })) === undefined;
	} catch {
		return false;
	}
}

function at(directory: Buffer, name: Buffer): Buffer {
	return Buffer.concat([directory, Buffer.from("/"), name]);
}

function namesIn(path: Buffer): Buffer[] | undefined {
	try {
		return readdirSync(path, { encoding: "buffer" });
	} catch {
		// It is gone, or not readable.
		return undefined;
	}
}

function isDirectory(path: Buffer): boolean {
	return statsOf(path)?.isDirectory() === true;
}
