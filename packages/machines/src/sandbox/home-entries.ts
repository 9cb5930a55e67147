/**
 * A project that contains the home directory: what is hidden there belongs to the user's programs and not to the project, and so
 * do the directories in which shells look for programs. No list of names says which: such a list never ends.
 */
import { readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { openForOwner, renamedAside, renamedToText } from "./disarm.ts";
import { realPath } from "./git-directories.ts";
import { entriesOf, hiddenNames, isInHiddenEntry, oddHiddenNames } from "./hidden-names.ts";
import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";
import { dataFiles, startupFiles } from "./runs-later.ts";
import { historyNames } from "./secrets.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

/** The home directory of such a project. */
export interface OwnHome {
	/** Without links. */
	readonly path: string;
	/** Names of the hidden entries that there are. */
	readonly hidden: readonly string[];
	/** Names of those that commands may make. */
	readonly free: readonly string[];
}

interface HomeEntries {
	readonly home: OwnHome;
	/** What exists and is protected. */
	readonly readOnly: readonly string[];
	/** Hidden entries that are links: what they lead to is among the others, unless it is a project or contains one. */
	readonly links: readonly string[];
	/** What does not exist, and is no hidden entry: directories of PATH, and what links of the user lead to. */
	readonly unwanted: readonly string[];
}

interface HomeOptions {
	/** Without links, like the others. */
	readonly home: string;
	readonly writable: readonly string[];
	/** What settings make writable, whether it exists or not. */
	readonly named: readonly string[];
	/** The directories of PATH. */
	readonly searchPath: readonly string[];
}

/** Undefined if commands cannot write to the home directory. */
export function homeEntries({ home, writable, named, searchPath }: HomeOptions): HomeEntries | undefined {
	if (!writable.some((path) => path === home || isBelow(home, path))) return undefined;
	// A repository of the home directory has rules of its own.
	const free = new Set([join(home, ".git"), ...named]);
	const isHidden = (path: string): boolean => isInHiddenEntry(path, home);
	// What contains a project cannot be protected as a whole.
	const isProtected = (path: string): boolean =>
		isBelow(path, home) && !free.has(path) && !writable.some((root) => root === path || isBelow(root, path));
	const hidden = hiddenNames(home).map((name) => join(home, name));
	const entries = hidden.filter((path) => !free.has(path));
	const programs = new Set(searchPath.map((path) => realPath(path) ?? path).filter(isProtected));
	const linked = linkedBelow(entries, programs).filter((path) => isProtected(path) && !isHidden(path));
	const exists = (path: string): boolean => statsOf(path) !== undefined;
	const isLink = (path: string): boolean => statsOf(path)?.isSymbolicLink() === true;
	const others = [...programs, ...linked];
	return {
		home: {
			path: home,
			hidden: hidden.map((path) => basename(path)),
			free: [
				...[...free].filter((path) => dirname(path) === home).map((path) => basename(path)),
				...dataFiles,
				...historyNames,
			],
		},
		readOnly: [...entries.filter((path) => !isLink(path)), ...others.filter(exists)],
		links: entries.filter(isLink),
		unwanted: others.filter((path) => !exists(path) && !isHidden(path)),
	};
}

/** How deep links are followed: `~/.config/systemd/user/x.service` has three directories. */
const linkDepth = 3;

/**
 * Where links lead that are in such entries, as they are for those who keep their settings in a repository. Programs that PATH or
 * Node find through a link are often built by a project, and are its own.
 */
function linkedBelow(entries: readonly string[], programs: ReadonlySet<string>): string[] {
	const queue = entries.map((path) => ({ path, depth: 0 }));
	const targets = new Set<string>();
	for (const { path, depth } of queue) {
		if (queue.length > limits.homeEntries) break;
		const stats = statsOf(path);
		if (stats?.isSymbolicLink()) targets.add(targetOf(path));
		if (stats?.isDirectory() !== true || programs.has(path)) continue;
		for (const entry of entriesOf(path)) {
			if (entry.isSymbolicLink()) targets.add(targetOf(join(path, entry.name)));
			else if (entry.isDirectory() && depth + 1 < linkDepth && entry.name !== "node_modules")
				queue.push({ path: join(path, entry.name), depth: depth + 1 });
		}
	}
	return [...targets];
}

/** Of a link to what does not exist: what would be made there. */
function targetOf(link: string): string {
	const real = realPath(link);
	if (real !== undefined) return real;
	try {
		return resolve(dirname(link), readlinkSync(link));
	} catch {
		// It was removed meanwhile.
		return link;
	}
}

/**
 * The same without the home directory itself, for a mechanism that cannot protect what a writable directory contains: commands
 * write to what there is in it, and make nothing new beside that.
 */
export function besideHome({ writable, readOnly, ownHome }: Writable): string[] {
	if (ownHome === undefined) return [...writable];
	const home = ownHome.path;
	const isKept = (path: string): boolean => !readOnly.includes(path) && !isInHiddenEntry(path, home);
	const partsOf = (path: string): string[] => {
		if (path !== home && !isBelow(home, path)) return [path];
		return entriesOf(path)
			.filter((entry) => !entry.isSymbolicLink())
			.flatMap(({ name }) => partsOf(join(path, name)))
			.filter(isKept);
	};
	return [...new Set(writable.flatMap(partsOf))];
}

type Writable = Pick<SandboxProfile, "writable" | "readOnly" | "ownHome">;

/** Sets hidden entries aside that commands make. */
export class NewHomeEntries {
	readonly #home: OwnHome;
	#own: ReadonlySet<string>;
	/** Whose names are not text. */
	#ownOdd: ReadonlySet<string>;
	/** The directory at the last look, if each later change shows. */
	#seen: Stamp | undefined;

	constructor(home: OwnHome) {
		this.#home = home;
		this.#own = new Set(home.hidden);
		this.#ownOdd = new Set(oddHiddenNames(home.path));
	}

	/** What is there is the user's. */
	accept(): void {
		if (!this.#hasChanged()) return;
		this.#own = new Set(hiddenNames(this.#home.path));
		this.#ownOdd = new Set(oddHiddenNames(this.#home.path));
	}

	disarm(): Denial[] {
		const { path, free } = this.#home;
		if (!this.#hasChanged()) return [];
		// A command may have closed it, so that it cannot be listed.
		openForOwner(path);
		const odd = oddHiddenNames(path).filter((name) => !this.#ownOdd.has(name));
		const renamed = odd.flatMap((name) => renamedToText(path, Buffer.from(name, "latin1"), reason));
		const made = hiddenNames(path).filter((name) => !this.#own.has(name) && !free.includes(name));
		if (made.length > 0) this.#seen = undefined;
		const aside = made.flatMap((name) =>
			renamedAside(join(path, name), reason).map((denial) => ({
				...denial,
				...allowed(join(path, name), path),
			})),
		);
		return [...renamed, ...aside];
	}

	#hasChanged(): boolean {
		const stats = statsOf(this.#home.path);
		if (stats !== undefined && isAt(this.#seen, stats)) return false;
		// The clock of the file system is coarse: a later change may have the same time.
		const isOld =
			stats !== undefined && Date.now() - Number(stats.ctimeNs / 1_000_000n) > limits.coarsestClockMs;
		this.#seen = isOld ? stampOf(stats) : undefined;
		return true;
	}
}

const reason = "hidden entries of your home directory are for your programs, which may run them";

/** How commands may write to a hidden entry of the home directory: not to what shells and the desktop start. */
export function allowed(path: string, home: string): Pick<Denial, "subject" | "allow"> {
	const isStarted = startupFiles.some((name) => {
		const file = join(home, name);
		return path === file || isBelow(path, file);
	});
	return { subject: path, ...(isStarted ? {} : { allow: { setting: "sandbox.writable", values: [path] } }) };
}
