/**
 * A project that contains the home directory: what is hidden there belongs to the user's programs and not to the project, and so
 * do the directories in which shells look for programs. No list of names says which: such a list never ends.
 */
import { basename, dirname, join } from "node:path";

import { isBelow, isCovered } from "./below.ts";
import type { Denial } from "./denial.ts";
import { openForOwner, renamedAside, renamedToText } from "./disarm.ts";
import { entriesOf, hiddenNames, isInHiddenEntry, oddHiddenNames } from "./hidden-names.ts";
import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";
import { LinksOnWay, type Way } from "./protected-links.ts";
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
	/** Hidden entries that are links, and all links on the way to the others. */
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
	const ways = new LinksOnWay([home]);
	const searched = searchPath.map((path) => ways.to(path));
	const programs = new Set(searched.map(({ path }) => path).filter(isProtected));
	const followed = linkedBelow(entries, { ways, programs, isProtected });
	const linked = followed.map(({ path }) => path).filter((path) => isProtected(path) && !isHidden(path));
	const exists = (path: string): boolean => statsOf(path) !== undefined;
	const isLink = (path: string): boolean => statsOf(path)?.isSymbolicLink() === true;
	const others = new Set([...programs, ...linked]);
	const mounted = [...entries.filter((path) => !isLink(path)), ...[...others].filter(exists)];
	const links = new Set([
		...entries.filter(isLink),
		...[...searched, ...followed].flatMap((way) => way.links),
	]);
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
		readOnly: mounted,
		links: [...links].filter((path) => isBelow(path, home) && !isCovered(path, mounted, writable)),
		unwanted: [...others].filter((path) => !exists(path) && !isHidden(path)),
	};
}

/** How deep links are followed: `~/.config/systemd/user/x.service` has three directories. */
const linkDepth = 3;

interface Followed {
	readonly ways: LinksOnWay;
	readonly programs: ReadonlySet<string>;
	isProtected(path: string): boolean;
}

/**
 * Where links lead that are in such entries, as they are for those who keep their settings in a repository, and in directories that
 * these lead to. Programs that PATH or Node find through a link are often built by a project, and are its own.
 */
function linkedBelow(entries: readonly string[], { ways, programs, isProtected }: Followed): Way[] {
	const queue: { readonly path: string; readonly depth: number }[] = [];
	const found: Way[] = [];
	const targets = new Set<string>();
	const follow = (path: string, depth: number): void => {
		const way = ways.to(path);
		found.push(way);
		if (targets.has(way.path) || !isProtected(way.path)) return;
		targets.add(way.path);
		queue.push({ path: way.path, depth });
	};
	for (const path of entries) follow(path, 0);
	for (const { path, depth } of queue) {
		if (queue.length > limits.homeEntries) break;
		if (programs.has(path) || statsOf(path)?.isDirectory() !== true) continue;
		for (const entry of entriesOf(path)) {
			const isInner = entry.isDirectory() && depth + 1 < linkDepth && entry.name !== "node_modules";
			if (isInner) queue.push({ path: join(path, entry.name), depth: depth + 1 });
			else if (entry.isSymbolicLink()) follow(join(path, entry.name), depth + 1);
		}
	}
	return found;
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
