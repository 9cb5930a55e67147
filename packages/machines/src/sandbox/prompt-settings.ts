/**
 * Settings below the project that programs of the user read at the prompt of a shell, and editors that are started there: what a
 * command leaves of them names no program. The directories are those in which repositories are looked for.
 */
import type { BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";

import { readWritten } from "@tau/sys";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { isTrusted, type DirenvTrust } from "./direnv-trust.ts";
import { linkTarget, renamedAside, restoredLink } from "./disarm.ts";
import { hasTimes, isSettled } from "./git-contents.ts";
import { realPath } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { putBack } from "./loose-files.ts";
import { isMiseSettings, miseRoot } from "./mise-files.ts";
import { promptFiles, type PromptScope } from "./prompt-files.ts";
import { isPlain } from "./prompt-names.ts";
import { matching } from "./shell-words.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

/** A file that is the user's, or that a command has left and that names no program. */
interface KnownFile {
	readonly stamp?: Stamp;
	/** Whether each later change shows in the stamp. */
	readonly isSettled?: boolean;
	readonly content?: Buffer;
	/** Where it leads, if it is a link. */
	readonly target?: string;
}

interface SettingsScope extends PromptScope {
	readonly direnv?: DirenvTrust;
	readonly envFiles?: readonly string[];
}

/** Files that were found by now, and which of them are in directories that were not looked into before. */
interface FoundFiles {
	readonly promptFiles: ReadonlySet<string>;
	readonly latePromptFiles: ReadonlySet<string>;
}

export class PromptSettings {
	readonly #scope: SettingsScope;
	readonly #envFiles: ReadonlySet<string>;
	readonly #roots: readonly string[];
	/** Of scripts that are read: patterns for names in a directory. */
	readonly #patterns = new Map<string, readonly [pattern: string, directory: string]>();
	/** Settings that are new, and the user's from the next command on. */
	readonly #newSources = new Set<string>();
	readonly #isWritable: (path: string) => boolean;
	readonly #hasTimes: boolean;
	readonly #known = new Map<string, KnownFile>();
	/** Settings of the user, which name others. */
	readonly #sources: Set<string>;
	#contents = 0;
	/** Those that could not be put back. */
	readonly #stuck = new Set<string>();
	/** Files that such settings name, and those that links of such names lead to: by the path, what they are read as. */
	readonly #readAs = new Map<string, string>();
	readonly #now: () => number;
	readonly #startedAt: number;
	/** The last time at which a process of a command may have run. */
	#ranUntil: number;
	/** When no process of a command ran, between the last command and the one before. */
	#idle: { readonly from: number; readonly to: number } | undefined;

	/** `files` are those that there are, and `roots` the directories in which they were looked for. */
	constructor(
		files: Iterable<string>,
		roots: readonly string[],
		isWritable: (path: string) => boolean,
		scope: SettingsScope,
		now: () => number = Date.now,
	) {
		this.#now = now;
		this.#startedAt = now();
		this.#ranUntil = this.#startedAt;
		this.#scope = scope;
		this.#envFiles = new Set(scope.envFiles?.map((name) => basename(name)));
		this.#roots = roots;
		this.#isWritable = isWritable;
		this.#hasTimes = roots.every(hasTimes);
		const own = [...files];
		// What is there is the user's.
		for (const path of own) if (!path.endsWith("/.env") || !this.#isFree(path)) this.#keep(path);
		this.#sources = new Set(own.filter((path) => directoryNamedBy(path) !== undefined));
		this.#addNamed();
	}

	#hasChanged(path: string): boolean {
		const stats = statsOf(path);
		return stats !== undefined && !isAt(this.#known.get(path)?.stamp, stats);
	}

	#addNamed(): void {
		const directories = new Set([...this.#sources].flatMap((path) => directoryNamedBy(path) ?? []));
		const onPattern = (...of: readonly [string, string]): unknown => this.#patterns.set(of.join("\0"), of);
		const scope = { ...this.#scope, miseSettings: [], onPattern };
		for (const directory of [...directories].slice(0, limits.promptFiles))
			for (const path of promptFiles(directory, scope)) {
				if (!this.#known.has(path)) this.#keep(path);
				// Those that the settings of the project itself name are mounted.
				if (!this.#roots.includes(directory)) this.#readAs.set(path, path);
			}
	}

	/** Called when no process of a command runs. `made`: what the user has made meanwhile, of whatever name. */
	commandStarts(made: Iterable<string> = []): void {
		this.#idle = { from: this.#ranUntil, to: this.#now() };
		for (const path of made) if (this.#hasChanged(path)) this.#keep(path);
		// The content of one of these files decides, and the times of the others are enough.
		const changed = [...this.#known].filter(
			([path, { content, target }]) =>
				(content ?? target) !== undefined && !this.#stuck.has(path) && this.#hasChanged(path),
		);
		for (const [path] of changed) this.#keep(path);
		const names = changed.some(([path]) => this.#sources.has(path) || this.#readAs.has(path));
		const hasNew = this.#newSources.size > 0;
		// The user may have read it, and let direnv run it.
		for (const path of this.#newSources) {
			if (!this.#known.has(path)) this.#keep(path);
			this.#sources.add(path);
		}
		this.#newSources.clear();
		if (names || hasNew) this.#addNamed();
	}

	commandEnded(): void {
		this.#ranUntil = this.#now();
	}

	disarm({ promptFiles: files, latePromptFiles }: FoundFiles): Denial[] {
		// What commands have left behind may have run until now.
		this.commandEnded();
		for (const [pattern, directory] of this.#patterns.values())
			for (const path of matching(pattern, directory)) this.#readAs.set(path, path);
		for (const path of latePromptFiles) if (!this.#known.has(path) && this.#isOlder(path)) this.#keep(path);
		return [...files.union(this.#readAs)].flatMap((path) => this.#disarmed(path));
	}

	/**
	 * direnv asks before it runs a new one, but for what another one reads: that may be each of those above (`source_up`) and below
	 * (`source_env`), of which it looks at none.
	 */
	#isFree(path: string): boolean {
		if (this.#envFiles.has(basename(path))) return false;
		if (!/\/\.env(?:rc)?$/.test(path) || this.#readAs.has(path) || this.#known.has(path)) return false;
		if (isTrusted(path, this.#scope.direnv)) return false;
		if (path.endsWith("/.env")) return true;
		const at = dirname(path);
		const isNear = (other: string): boolean => isBelow(other, at) || isBelow(at, other);
		return ![...this.#known.keys()].some((each) => each.endsWith("/.envrc") && isNear(dirname(each)));
	}

	#disarmed(path: string): Denial[] {
		const stats = statsOf(path);
		// No program reads a directory in its place.
		if (stats === undefined || stats.isDirectory()) return [];
		if (this.#isFree(path)) {
			if (path.endsWith("/.envrc")) this.#newSources.add(path);
			return [];
		}
		const known = this.#known.get(path);
		const isSame = isAt(known?.stamp, stats);
		if (isSame && (known?.isSettled === true || known?.content === undefined)) return [];
		if (!isSame && this.#isOfUser(stats.ctimeNs)) {
			this.#keep(path);
			const directory = directoryNamedBy(path);
			if (directory === undefined) return [];
			this.#newSources.add(path);
			return this.#roots.includes(directory) ? [] : this.#namedAnew(directory, stats.ctimeNs);
		}
		const now = readWritten(path);
		const isOwn = now !== undefined && known?.content?.equals(now) === true;
		const isHarmless = now !== undefined && isPlain(this.#readAs.get(path) ?? path, now.toString("utf8"));
		if (isOwn || isHarmless) {
			this.#known.set(path, { ...this.#stamped(stats), content: now });
			return [];
		}
		if (!this.#isWritable(path)) return [];
		return this.#setRight(path, known);
	}

	/** What the user's new settings name was the user's before the command, which may have changed it before they were found. */
	#namedAnew(directory: string, changedNs: bigint): Denial[] {
		return promptFiles(directory, { ...this.#scope, miseSettings: [] }).flatMap((path) => {
			const stats = statsOf(path);
			if (stats === undefined || stats.isDirectory() || this.#known.has(path) || !this.#isWritable(path))
				return [];
			const isOfUser = this.#isOfUser(stats.ctimeNs) || stats.ctimeNs <= changedNs;
			return isOfUser ? [] : renamedAside(path, reason);
		});
	}

	#setRight(path: string, { content, target }: KnownFile = {}): Denial[] {
		const denials =
			target !== undefined
				? restoredLink(path, target)
				: content === undefined
					? renamedAside(path, reason)
					: putBack(path, content);
		const isRight = target === undefined ? hasContent(path, content) : linkTarget(path) === target;
		if (isRight) this.#stuck.delete(path);
		else this.#stuck.add(path);
		return denials;
	}

	#keep(path: string): void {
		const stats = statsOf(path);
		const target = stats?.isSymbolicLink() === true ? linkTarget(path) : undefined;
		const isCounted = this.#known.get(path)?.content !== undefined;
		const isTooMuch = !isCounted && this.#contents >= limits.promptContents;
		const content = isTooMuch || basename(path) === "package.json" ? undefined : readWritten(path);
		if (content !== undefined && !isCounted) this.#contents++;
		this.#known.set(path, {
			...(stats === undefined ? {} : this.#stamped(stats)),
			...(content === undefined ? {} : { content }),
			...(target === undefined ? {} : { target }),
		});
		const real = target === undefined ? undefined : realPath(path);
		if (real === undefined || this.#known.has(real) || !this.#isWritable(real)) return;
		this.#readAs.set(real, path);
		this.#keep(real);
	}

	#stamped(stats: BigIntStats): Pick<KnownFile, "stamp" | "isSettled"> {
		return { stamp: stampOf(stats), isSettled: this.#hasTimes && isSettled(stats) };
	}

	/** No program can set the time of a change, and a file that is moved gets a new one. */
	#isOfUser(changedNs: bigint): boolean {
		return this.#idle !== undefined && isChanged(changedNs, this.#idle.from, this.#idle.to);
	}

	#isOlder(path: string): boolean {
		const stats = statsOf(path);
		return stats !== undefined && isChanged(stats.ctimeNs, 0, this.#startedAt);
	}
}

/** Undefined: nothing is there. */
function hasContent(path: string, content: Buffer | undefined): boolean {
	if (content === undefined) return statsOf(path) === undefined;
	return readWritten(path)?.equals(content) === true;
}

/** Whether it is sure that it was changed between two times. */
function isChanged(changedNs: bigint, from: number, to: number): boolean {
	const isFine = changedNs % 1_000_000n !== 0n;
	const leastMs = isFine ? limits.coarsestTickMs : limits.coarsestClockMs;
	const changed = Number(changedNs / 1_000_000n);
	return changed > from && changed < to - leastMs;
}

function directoryNamedBy(path: string): string | undefined {
	if (basename(path) === ".envrc") return dirname(path);
	return isMiseSettings(path) ? miseRoot(path) : undefined;
}

const reason = "a prompt of your shell, or an editor, may run what it names";
