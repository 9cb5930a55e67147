/**
 * Disarms what a command has planted where nothing existed that a mount could protect: hooks and settings of a new repository, and
 * a file that would give a repository another configuration. Git would run them later, outside.
 */
import {
	chmodSync,
	existsSync,
	lstatSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	renameSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import { shortId, timer } from "@tau/utils";

import { readWritten } from "@tau/sys";
import type { Denial } from "./denial.ts";
import { limits } from "./limits.ts";
import { isBelow, type SandboxProfile } from "./profile.ts";
import { RepositorySearch, type FoundRepository } from "./repository-search.ts";

type PlantableProfile = Pick<
	SandboxProfile,
	"cwd" | "writable" | "unwanted" | "links" | "readOnly" | "cacheDir"
>;

/** Whether processes that commands have left behind still run. */
type LeftoverCheck = () => boolean;

export class PlantedFiles implements Disposable {
	readonly #writable: readonly string[];
	readonly #readOnly: ReadonlySet<string>;
	/** A repository that a command may create. */
	readonly #newRepository: string | undefined;
	/** Files that have no place in a repository that is not a worktree. */
	readonly #pointers: readonly string[];
	readonly #startup: readonly string[];
	/** Where protected links lead. */
	readonly #links: ReadonlyMap<string, string>;
	readonly #search: RepositorySearch;
	/** Repositories that commands have made. */
	readonly #made = new Map<string, FoundRepository>();
	#later: Disposable | undefined;
	/** Whether processes that commands have left behind ran at the last look. */
	#areLeft = false;
	#hasLeftovers: LeftoverCheck = () => false;
	/** Called at each look while they run. */
	onLeft: (() => readonly Denial[]) | undefined;
	#disarmed: Denial[] = [];

	constructor({ cwd, writable, unwanted, links, readOnly, cacheDir }: PlantableProfile) {
		this.#writable = cacheDir === undefined ? writable : [...writable, cacheDir];
		this.#readOnly = new Set(readOnly);
		this.#links = new Map(links.map((path) => [path, linkTarget(path) ?? ""]));
		this.#startup = unwanted;
		const dotGit = join(cwd, ".git");
		this.#newRepository = writable.includes(cwd) && !existsSync(dotGit) ? dotGit : undefined;
		const repositories = writable.filter((path) => existsSync(join(path, "HEAD")));
		this.#pointers = [...repositories, dotGit]
			.map((path) => join(path, "commondir"))
			.filter((path) => !existsSync(path));
		this.#search = new RepositorySearch(writable.filter((path) => !isRepository(path)));
		// What is there already is the user's.
		this.#search.appeared();
	}

	/** What a process plants later that the command left behind is disarmed while it runs. */
	commandEnded(hasLeftovers: LeftoverCheck = () => false): void {
		this.#hasLeftovers = hasLeftovers;
		this.#disarmOwn();
		// In a large project the search takes a while, and the result of the command does not wait for it.
		if (this.#search.size <= limits.searchedAtOnce) this.#disarmNew();
		this.#look(limits.leftoverMs);
	}

	/** Whether processes that commands have left behind may have changed something since the last look. */
	mayHaveChanged(): boolean {
		return this.#areLeft || (this.#later !== undefined && this.#hasLeftovers());
	}

	disarm(): void {
		this.#disarmOwn();
		this.#disarmNew();
	}

	/** What was disarmed since the last call. */
	take(): Denial[] {
		return this.#disarmed.splice(0);
	}

	/** At the end of the session, when nothing runs any more. */
	[Symbol.dispose](): void {
		const isPending = this.#later !== undefined;
		this.#later?.[Symbol.dispose]();
		this.#later = undefined;
		if (isPending) this.disarm();
	}

	#look(afterMs: number): void {
		this.#later?.[Symbol.dispose]();
		this.#later = timer(afterMs, () => {
			this.#later = undefined;
			const wereLeft = this.#areLeft;
			this.#areLeft = this.#hasLeftovers();
			this.disarm();
			if (this.#areLeft || wereLeft) this.#report(this.onLeft?.() ?? []);
			if (this.#areLeft) this.#look(Math.min(afterMs * 2, limits.mostLeftoverMs));
		});
	}

	/** What the profile knows by name. */
	#disarmOwn(): void {
		const repository = isDirectory(this.#newRepository) ? this.#newRepository : undefined;
		const pointer =
			repository === undefined && this.#newRepository !== undefined ? [this.#newRepository] : [];
		this.#report([
			...this.#pointers.flatMap((path) => removed(path, "it gives the repository another configuration")),
			...pointer.flatMap((path) => removed(path, "it leads git to another repository")),
			...[...this.#links].flatMap(([path, target]) => restoredLink(path, target)),
			...this.#startup.flatMap((path) => removed(path, "it would run outside")),
			...(repository === undefined ? [] : disarmedRepository(repository, this.#writable)),
		]);
	}

	/** Repositories elsewhere in the project that commands have made, bare ones too; a later command may plant in them. */
	#disarmNew(): void {
		for (const repository of this.#search.appeared())
			if (this.#made.size < limits.submodules) this.#made.set(repository.path, repository);
		for (const { path, isOlder } of this.#made.values())
			this.#report(isOlder ? removed(join(path, "HEAD"), bareReason) : this.#disarmedAt(path, 0));
	}

	/** A file or a link leads to the directory of the repository, and that one may lead to another. */
	#disarmedAt(path: string, depth: number): Denial[] {
		const real = realPath(path);
		if (depth > 2 || real === undefined || this.#isProtected(real)) return [];
		if (!isDirectory(real)) {
			const target = /^gitdir:\s*(.+?)\s*$/m.exec(readWritten(real)?.toString("utf8") ?? "")?.[1];
			return target === undefined ? [] : this.#disarmedAt(resolve(dirname(real), target), depth + 1);
		}
		const common = readWritten(join(real, "commondir"))?.toString("utf8").trim();
		return [
			...disarmedRepository(real, this.#writable),
			...(common ? this.#disarmedAt(resolve(real, common), depth + 1) : []),
		];
	}

	/** Nothing outside of what commands can write is theirs, nor what they could not change. */
	#isProtected(real: string): boolean {
		const isInside = this.#writable.some((above) => isBelow(real, above));
		return !isInside || this.#readOnly.has(real) || this.#readOnly.has(join(real, "config"));
	}

	#report(found: readonly Denial[]): void {
		this.#disarmed = [...this.#disarmed, ...found].slice(-limits.hooks);
	}
}

const bareReason = "it makes a directory of the project a repository of its own";

/** Hooks and settings that name a program; they are looked at again later, because the command may still be at work. */
function disarmedRepository(gitDir: string, writable: readonly string[]): Denial[] {
	return [
		...hooksOf(gitDir).flatMap(disabled),
		...["config", "config.worktree"].flatMap((name) => withoutPrograms(join(gitDir, name), writable)),
	];
}

function hooksOf(gitDir: string): string[] {
	const hooks = join(gitDir, "hooks");
	// Not through a link: we can reach more than the command that made it.
	if (isLink(hooks)) return [hooks];
	if (!isDirectory(hooks)) return [];
	const names = readdirSync(hooks).slice(0, limits.hooks);
	return names.filter((name) => !name.endsWith(".sample")).map((name) => join(hooks, name));
}

function removed(path: string, why: string): Denial[] {
	// First the directory: below a file, which `.git` of a worktree is, lstat throws.
	if (!isDirectory(dirname(path)) || lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
	try {
		unlinkSync(path);
	} catch {
		// A directory, which git does not read either.
		return [];
	}
	return [{ what: `${path} was removed: ${why}`, mayRunOutside: false }];
}

/** What has taken the place of a protected link is kept under another name. */
function restoredLink(path: string, target: string): Denial[] {
	if (linkTarget(path) === target || !isDirectory(dirname(path))) return [];
	try {
		if (lstatSync(path, { throwIfNoEntry: false })) renameSync(path, `${path}.replaced-${shortId()}`);
		symlinkSync(target, path);
	} catch {
		return [];
	}
	return [{ what: `${path} was made a link to ${target} again: it is protected`, mayRunOutside: false }];
}

function linkTarget(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

/** Git runs only hooks that are executable. */
function disabled(path: string): Denial[] {
	const info = lstatSync(path, { throwIfNoEntry: false });
	if (!info || (!info.isSymbolicLink() && (info.mode & 0o111) === 0)) return [];
	try {
		if (info.isSymbolicLink()) unlinkSync(path);
		else if (info.isFile()) chmodSync(path, info.mode & 0o666);
	} catch {
		return [];
	}
	return [{ what: `${path} was disabled: git would run it outside`, mayRunOutside: false }];
}

/** Settings of a repository that name no program. */
const harmless: Readonly<Record<string, RegExp>> = {
	core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/i,
	extensions: /^(?:objectformat|refstorage)$/i,
	user: /^(?:name|email)$/i,
	init: /^defaultbranch$/i,
	remote: /^(?:url|fetch|pushurl)$/i,
	branch: /^(?:remote|merge|rebase)$/i,
	pull: /^(?:rebase|ff)$/i,
	push: /^(?:default|autosetupremote)$/i,
	commit: /^gpgsign$/i,
};

/** Removes what a new repository would make git run, such as filters. */
function withoutPrograms(path: string, writable: readonly string[]): Denial[] {
	const text = readWritten(path)?.toString("utf8");
	if (text === undefined) return [];
	let section = "";
	const kept = text.split("\n").filter((line) => {
		const [, name, rest] = /^\s*\[([\w.-]+)(?:\s+"[^"]*")?\](.*)$/.exec(line) ?? [];
		if (name !== undefined) section = name.toLowerCase();
		if (name !== undefined) return Object.hasOwn(harmless, section) && rest?.trim() === "";
		const [, key, value] = /^\s*([A-Za-z][\w-]*)\s*(?:=([^\\]*))?$/.exec(line) ?? [];
		if (line.trim() === "") return true;
		// Git writes it for submodules.
		if (section === "core" && key?.toLowerCase() === "worktree")
			return writable.some((above) => isBelow(resolve(dirname(path), value?.trim() ?? ""), above));
		return key !== undefined && harmless[section]?.test(key) === true;
	});
	if (kept.length === text.split("\n").length) return [];
	try {
		unlinkSync(path);
		writeFileSync(path, kept.join("\n"), { flag: "wx", mode: 0o644 });
	} catch {
		return [];
	}
	return [{ what: `${path} was reduced to settings that run no program`, mayRunOutside: false }];
}

function isRepository(path: string): boolean {
	const has = (name: string): boolean => existsSync(join(path, name));
	return has("HEAD") && (has("objects") || has("commondir"));
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}

function isLink(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isDirectory(path: string | undefined): boolean {
	return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
