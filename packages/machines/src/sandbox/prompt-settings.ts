/**
 * Settings below the project that programs of the user read at the prompt of a shell: what a command leaves of them names no
 * program. The directories are those in which repositories are looked for.
 */
import type { BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { isTrusted, type DirenvTrust } from "./direnv-trust.ts";
import { linkTarget, renamedAside, restoredLink } from "./disarm.ts";
import { hasTimes, isSettled } from "./git-contents.ts";
import { realPath } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { putBack } from "./loose-files.ts";
import { isMiseSettings, miseRoot } from "./mise-files.ts";
import { promptFiles } from "./prompt-files.ts";
import type { SandboxProfile } from "./profile.ts";
import { isPlain } from "./prompt-names.ts";
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

export class PromptSettings {
	readonly #direnv: DirenvTrust | undefined;
	readonly #envFiles: ReadonlySet<string>;
	readonly #isWritable: (path: string) => boolean;
	readonly #hasTimes: boolean;
	readonly #known = new Map<string, KnownFile>();
	/** Settings of the user below the project, which name others. */
	readonly #sources: readonly string[];
	#contents = 0;
	/** Files that such settings name, and those that links of such names lead to: by the path, what they are read as. */
	readonly #readAs = new Map<string, string>();
	readonly #now: () => number;
	/** The last time at which a process of a command may have run. */
	#ranUntil: number;
	/** When no process of a command ran, between the last command and the one before. */
	#idle: { readonly from: number; readonly to: number } | undefined;

	/** `files` are those that there are, and `roots` the directories in which they were looked for. */
	constructor(
		files: Iterable<string>,
		roots: readonly string[],
		isWritable: (path: string) => boolean,
		{ direnv, envFiles = [] }: Pick<SandboxProfile, "direnv" | "envFiles">,
		now: () => number = Date.now,
	) {
		this.#now = now;
		this.#ranUntil = now();
		this.#direnv = direnv;
		this.#envFiles = new Set(envFiles.map((name) => basename(name)));
		this.#isWritable = isWritable;
		this.#hasTimes = roots.every(hasTimes);
		const own = [...files];
		for (const path of own) if (!this.#isFree(path)) this.#keep(path);
		// Those that the settings of the project itself name are mounted.
		this.#sources = own.filter((path) => {
			const directory = directoryNamedBy(path);
			return directory !== undefined && !roots.includes(directory);
		});
		this.#addNamedBy(this.#sources);
	}

	#hasChanged(path: string): boolean {
		const stats = statsOf(path);
		return stats !== undefined && !isAt(this.#known.get(path)?.stamp, stats);
	}

	#addNamedBy(settings: readonly string[]): void {
		const directories = new Set(settings.flatMap((path) => directoryNamedBy(path) ?? []));
		const named = [...directories].slice(0, limits.promptFiles).flatMap((path) => promptFiles(path));
		for (const path of named) {
			this.#readAs.set(path, path);
			if (!this.#known.has(path)) this.#keep(path);
		}
	}

	/** Called when no process of a command runs. `made`: what the user has made meanwhile, of whatever name. */
	commandStarts(made: Iterable<string> = []): void {
		this.#idle = { from: this.#ranUntil, to: this.#now() };
		for (const path of made) if (this.#hasChanged(path)) this.#keep(path);
		this.#addNamedBy(this.#sources.filter((path) => this.#hasChanged(path)));
	}

	commandEnded(): void {
		this.#ranUntil = this.#now();
	}

	/** `files` are those that were found by now. */
	disarm(files: ReadonlySet<string>): Denial[] {
		// What commands have left behind may have run until now.
		this.commandEnded();
		return [...files.union(this.#readAs)].flatMap((path) => this.#disarmed(path));
	}

	/** direnv asks before it runs one that has changed. */
	#isFree(path: string): boolean {
		if (this.#envFiles.has(basename(path))) return false;
		return /\/\.env(?:rc)?$/.test(path) && !this.#readAs.has(path) && !isTrusted(path, this.#direnv);
	}

	#disarmed(path: string): Denial[] {
		const stats = this.#isFree(path) ? undefined : statsOf(path);
		// No program reads a directory in its place.
		if (stats === undefined || stats.isDirectory()) return [];
		const known = this.#known.get(path);
		const isSame = isAt(known?.stamp, stats);
		if (isSame && (known?.isSettled === true || known?.content === undefined)) return [];
		if (!isSame && this.#isOfUser(stats.ctimeNs)) {
			this.#keep(path);
			return [];
		}
		const now = readWritten(path);
		const isOwn = now !== undefined && known?.content?.equals(now) === true;
		const isHarmless = now !== undefined && isPlain(this.#readAs.get(path) ?? path, now.toString("utf8"));
		if (isOwn || isHarmless) {
			this.#known.set(path, { ...this.#stamped(stats), content: now });
			return [];
		}
		if (!this.#isWritable(path)) return [];
		if (known?.target !== undefined) return restoredLink(path, known.target);
		return known?.content === undefined ? renamedAside(path, reason) : putBack(path, known.content);
	}

	#keep(path: string): void {
		const stats = statsOf(path);
		const target = stats?.isSymbolicLink() === true ? linkTarget(path) : undefined;
		const isLarge = basename(path) === "package.json" || this.#contents >= limits.promptContents;
		const content = isLarge ? undefined : readWritten(path);
		if (content !== undefined) this.#contents++;
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
		if (this.#idle === undefined) return false;
		const isFine = changedNs % 1_000_000n !== 0n;
		const leastMs = isFine ? limits.coarsestTickMs : limits.coarsestClockMs;
		const changed = Number(changedNs / 1_000_000n);
		return changed > this.#idle.from && changed < this.#idle.to - leastMs;
	}
}

function directoryNamedBy(path: string): string | undefined {
	if (basename(path) === ".envrc") return dirname(path);
	return isMiseSettings(path) ? miseRoot(path) : undefined;
}

const reason = "a prompt of your shell may run what it names";
