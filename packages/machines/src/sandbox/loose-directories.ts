/**
 * Protected directories that a program outside has replaced, as git does when it checks out another branch: the mount is gone. The next
 * command gets a sandbox that has one again; what commands make of such a directory until then is told from what the user had in it.
 */
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { HeldDirectory, readWritten } from "@tau/sys";
import { shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { linkTarget, openForOwner, renamedAside } from "./disarm.ts";
import { entriesOf, isSetAside } from "./hidden-names.ts";
import { limits } from "./limits.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

/** Files have a text, links a target, and anything else neither. */
interface Entry {
	readonly text?: Buffer | undefined;
	readonly target?: string | undefined;
}

interface Content {
	/** Of the directory itself and those below. */
	readonly stamps: ReadonlyMap<string, Stamp>;
	readonly entries: ReadonlyMap<string, Entry>;
}

export class LooseDirectories {
	/** Undefined where there is too much to remember. */
	readonly #own = new Map<string, Content | undefined>();
	readonly #isLarge: (path: string) => boolean;
	/** Those that were reported and cannot be told from what the user had. */
	readonly #reported = new Set<string>();

	/** `isLarge`: what is not remembered. */
	constructor(paths: readonly string[], isLarge: (path: string) => boolean) {
		this.#isLarge = isLarge;
		for (const path of paths) if (statsOf(path)?.isDirectory() === true) this.#remember(path);
	}

	/** Those whose mounts are gone. */
	among(points: ReadonlySet<string> | undefined): string[] {
		return points === undefined ? [] : [...this.#own.keys()].filter((path) => !points.has(path));
	}

	/** What is there is the user's. A file that is written over in place keeps its former content. */
	keep(): void {
		for (const [path, content] of this.#own)
			if (content !== undefined && hasChanged(content)) this.#remember(path);
	}

	disarm(points: ReadonlySet<string> | undefined): Denial[] {
		const loose = points === undefined ? [...this.#own.keys()] : this.among(points);
		return loose.flatMap((path) => {
			const own = this.#own.get(path);
			if (own !== undefined) return disarmed(path, own.entries);
			if (points === undefined || this.#reported.has(path) || statsOf(path) === undefined) return [];
			this.#reported.add(path);
			return [{ what: `${path} was replaced${whileRunning}: look at it first`, mayRunOutside: false }];
		});
	}

	#remember(path: string): void {
		this.#own.set(path, this.#isLarge(path) ? undefined : contentOf(path));
	}
}

const whileRunning = " while a command ran, which could change it from then on";

function disarmed(root: string, own: Content["entries"]): Denial[] {
	const stats = statsOf(root);
	if (stats === undefined) return [];
	if (!stats.isDirectory()) return renamedAside(root, "it is in the place of a protected directory");
	const { directories, others } = listed(root);
	if (directories.length + others.length > limits.looseFiles)
		return renamedAside(root, `it was replaced${whileRunning}, and has too many files`);
	return others.flatMap((path) => putBack(path, own.get(path)));
}

/** What is gone may have gone with the user's branch. */
function putBack(path: string, own: Entry | undefined): Denial[] {
	const now = entryAt(path);
	const isSame =
		own?.target === now.target && (own?.text?.equals(now.text ?? nothing) ?? now.text === undefined);
	if ((own !== undefined && isSame) || isSetAside(path)) return [];
	try {
		using directory = HeldDirectory.open(dirname(path));
		const at = directory.at(basename(path));
		const kept = `${basename(path)}.replaced-${shortId()}`;
		const mode = Number((statsOf(at)?.mode ?? 0n) & 0o777n);
		renameSync(at, directory.at(kept));
		if (own?.text !== undefined) writeFileSync(at, own.text, { flag: "wx", mode });
		if (own?.target !== undefined) symlinkSync(own.target, at);
		const what = `${path} was renamed to ${kept}: its directory was replaced${whileRunning}`;
		return [{ what, mayRunOutside: false }];
	} catch (error) {
		return [
			{ what: `${path} may be a command's (${String(error)}): look at it first`, mayRunOutside: false },
		];
	}
}

const nothing = Buffer.alloc(0);

function entryAt(path: string): Entry {
	const target = linkTarget(path);
	return target === undefined ? { text: readWritten(path) } : { target };
}

function hasChanged({ stamps }: Content): boolean {
	return [...stamps].some(([path, stamp]) => {
		const stats = statsOf(path);
		return stats === undefined || !isAt(stamp, stats);
	});
}

/** Undefined if it is too much to remember. */
function contentOf(root: string): Content | undefined {
	const { directories, others } = listed(root);
	if (directories.length + others.length > limits.looseFiles) return undefined;
	const stamps = directories.flatMap((path) => {
		const stats = statsOf(path);
		return stats === undefined ? [] : [[path, stampOf(stats)] as const];
	});
	return { stamps: new Map(stamps), entries: new Map(others.map((path) => [path, entryAt(path)])) };
}

interface Listed {
	readonly directories: readonly string[];
	/** Everything else, but for the examples that git has for hooks. */
	readonly others: readonly string[];
}

/** Ends when there is more than is remembered. */
function listed(root: string): Listed {
	const directories = [root];
	const others: string[] = [];
	for (const directory of directories) {
		if (directories.length + others.length > limits.looseFiles) break;
		openForOwner(directory);
		for (const entry of entriesOf(directory)) {
			const path = join(directory, entry.name);
			if (entry.isDirectory()) directories.push(path);
			else if (!entry.name.endsWith(".sample")) others.push(path);
		}
	}
	return { directories, others };
}
