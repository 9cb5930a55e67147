/**
 * Disarms what a command has planted where nothing existed that a mount could protect: hooks and settings of a new repository, and
 * a file that would give a repository another configuration. Git would run them later, outside.
 */
import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import { readWritten } from "@tau/sys";
import { timer } from "@tau/utils";

import type { Denial } from "./denial.ts";
import {
	disarmedHooks,
	disarmedRebase,
	disarmedRepository,
	disarmedSettings,
	disarmedShared,
	eachOf,
	linkTarget,
	rebaseCommands,
	remotePaths,
	removed,
	renamedToText,
	reported,
	restoredLink,
} from "./disarm.ts";
import { ClosedPaths } from "./closed-paths.ts";
import { GitContents } from "./git-contents.ts";
import { gitDirectories, isSameForAll, isWithoutLinks, pointerAt, realPath } from "./git-directories.ts";
import { configuredCode } from "./git-paths.ts";
import { Gitlinks, gitlinksOf, type Gitlink, namedWorkTree, workTree } from "./gitlinks.ts";
import { settingsIn, settingsText } from "./git-settings.ts";
import { IndexPaths, replacedIndex } from "./index-paths.ts";
import { NewHomeEntries } from "./home-entries.ts";
import { limits } from "./limits.ts";
import { LooseFiles } from "./loose-files.ts";
import { localRemotes } from "./made-settings.ts";
import { disarmedOther, otherSystems } from "./other-systems.ts";
import { OwnRepositories } from "./own-repositories.ts";
import { isPrivate } from "./private-directory.ts";
import { isBelow, isCovered } from "./below.ts";
import type { SandboxProfile } from "./profile.ts";
import { RepositorySearch, type FoundRepository } from "./repository-search.ts";
import { dataFiles } from "./runs-later.ts";
import { UnwantedPaths } from "./unwanted-paths.ts";

type PlantableProfile = Pick<
	SandboxProfile,
	"cwd" | "home" | "writable" | "unwanted" | "unwantedHooks" | "links" | "readOnly" | "cacheDir" | "ownHome"
>;

/** Whether processes that commands have left behind still run. */
type LeftoverCheck = () => boolean;

export class PlantedFiles implements Disposable {
	readonly #writable: readonly string[];
	readonly #readOnly: ReadonlySet<string>;
	readonly #home: string;
	/** Settings that own repositories do not have, and could get: git reads them when another setting says so. */
	readonly #furtherSettings: readonly string[];
	/** Directories for hooks that settings name, and that did not exist. */
	readonly #newHooks: readonly string[];
	/** A repository that a command may create. */
	readonly #newRepository: string | undefined;
	readonly #startup: UnwantedPaths;
	readonly #homeEntries: NewHomeEntries | undefined;
	/** The directories of the user's own repositories, and the lines of a rebase in progress that the user has written. */
	readonly #ownDirectories: ReadonlySet<string>;
	readonly #gitlinks: readonly Gitlinks[];
	readonly #contents: readonly GitContents[];
	/** Where the user's repositories have remotes in the project: a push runs hooks there. */
	readonly #remotes: readonly string[];
	/** Undefined while the user's repositories are looked for. */
	readonly #deeper: OwnRepositories | undefined;
	/** The same of repositories that commands have made. */
	readonly #madeContents = new Map<string, GitContents>();
	readonly #indexPaths: IndexPaths;
	#ownCommands: ReadonlySet<string> = new Set();
	readonly #loose: LooseFiles;
	/** Commands that have not ended. */
	#running = 0;
	/** Where protected links lead. */
	readonly #links: ReadonlyMap<string, string>;
	/** Directories in which repositories are looked for. */
	readonly #roots: readonly string[];
	readonly #search: RepositorySearch;
	/** Repositories that commands have made. */
	readonly #made = new Map<string, FoundRepository>();
	#later: Disposable | undefined;
	/** The next look at names while a command runs, which may do so all day. */
	#during: Disposable | undefined;
	/** Whether processes that commands have left behind ran at the last look. */
	#areLeft = false;
	#hasLeftovers: LeftoverCheck = () => false;
	/** Whether they have been there since the end of the command. */
	#mayMake = false;
	/** Called at each look while they run. */
	onLeft: (() => readonly Denial[]) | undefined;
	#disarmed: Denial[] = [];
	/** Whether a look was put off because there are many directories: what commands have made is not known yet. */
	#isPutOff = false;
	#hasRun = false;

	/** `mounted`: what is protected by a mount of its own. */
	constructor(profile: PlantableProfile, mounted: readonly string[] = profile.readOnly) {
		const { cwd, home, writable, unwanted, unwantedHooks, links, readOnly, cacheDir, ownHome } = profile;
		this.#writable = cacheDir === undefined ? writable : [...writable, cacheDir];
		this.#readOnly = new Set(readOnly);
		this.#home = home;
		this.#links = new Map(links.map((path) => [path, linkTarget(path) ?? ""]));
		// What programs of the user replace all the time is not put back.
		const data = new Set(dataFiles.map((name) => join(ownHome?.path ?? home, name)));
		this.#loose = new LooseFiles(
			mounted.filter((path) => !data.has(path)),
			this.#isWritable,
		);
		this.#indexPaths = new IndexPaths(new ClosedPaths(profile, this.#isWritable));
		this.#startup = new UnwantedPaths(unwanted, directoriesOf(unwanted, writable)).keep();
		this.#homeEntries = ownHome && new NewHomeEntries(ownHome);
		this.#newHooks = unwantedHooks;
		const dotGit = join(cwd, ".git");
		this.#newRepository = writable.includes(cwd) && !existsSync(dotGit) ? dotGit : undefined;
		const repositories = [...new Set([...writable.filter((path) => existsSync(join(path, "HEAD"))), dotGit])];
		const missing = (name: string): string[] =>
			repositories.map((path) => join(path, name)).filter((path) => !existsSync(path));
		// Those below it, whose settings are protected, are the user's as well.
		const below = readOnly.filter((path) => basename(path) === "config").map((path) => dirname(path));
		const all = [...repositories, ...below.filter((path) => existsSync(join(path, "HEAD")))];
		this.#roots = writable.filter((path) => !isRepository(path));
		this.#search = new RepositorySearch(this.#roots, this.#readOnly, cacheDir ? [cacheDir] : []);
		// What is there already is the user's.
		const found = this.#search.appeared().map(({ path }) => path);
		const isDeeper = (path: string): boolean =>
			isDirectory(path) && !this.#isProtected(path) && isRepository(path);
		this.#remotes = [...all, ...found].flatMap(ownRemotes).filter(this.#isWritable);
		const deeper = [...new Set([...found, ...this.#remotes])].filter(isDeeper).slice(0, limits.submodules);
		const directories = deeper.flatMap((path) => gitDirectories(path));
		this.#deeper = new OwnRepositories(directories, this.#loose, this.#isWritable, home);
		this.#loose.add(
			found.filter((path) => basename(path) === ".git" && !isDirectory(path) && !this.#isProtected(path)),
		);
		const own = outermost([...all, ...deeper]);
		this.#contents = own.map((path) => new GitContents(path, this.#isWritable).keep());
		this.#ownDirectories = new Set(this.#gitDirectories());
		this.#gitlinks = [...this.#ownDirectories].map((path) => new Gitlinks(path));
		this.#furtherSettings = missing("config.worktree");
	}

	/** What is there while no process of a command runs is the user's. */
	commandStarts(): void {
		this.#watch(limits.leftoverMs);
		if (this.mayHaveChanged() || this.#running > 0) this.#running++;
		else {
			this.#running = 1;
			this.#loose.commandStarts();
			this.#homeEntries?.accept();
			this.#deeper?.keep();
			if (this.#isPutOff) return;
			for (const contents of this.#contents) {
				contents.keep();
				for (const path of contents.repositories) this.#indexPaths.keep(path, contents.indexes(path));
			}
			const unfinished = this.#contents.flatMap((each) => each.unfinished);
			this.#ownCommands = new Set(unfinished.flatMap(rebaseCommands));
		}
	}

	/** What a process plants later that the command left behind is disarmed while it runs. */
	commandEnded(hasLeftovers: LeftoverCheck = () => false): void {
		this.#running = Math.max(0, this.#running - 1);
		if (this.#running === 0) this.#endWatch();
		this.#hasLeftovers = hasLeftovers;
		this.#hasRun = true;
		// They may change something, and end before the next command starts or the first look: that is not the user's.
		this.#areLeft = hasLeftovers();
		this.#mayMake = this.#areLeft;
		this.#report(reported(() => this.#homeEntries?.disarm() ?? []));
		this.#disarmOwn(false);
		// In a large project the search takes a while, and the result of the command does not wait for it.
		if (this.#search.size <= limits.searchedAtOnce) this.#disarmNew();
		this.#look(limits.leftoverMs);
	}

	/** Whether processes that commands have left behind may have changed something since the last look. */
	mayHaveChanged(): boolean {
		return this.#areLeft;
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
		this.#endWatch();
		this.#later?.[Symbol.dispose]();
		this.#later = undefined;
		// What was left behind may have planted something after the last look.
		if (this.#hasRun) this.disarm();
	}

	/** What git reads is looked at when the command has ended: it may be at work there. */
	#watch(afterMs: number): void {
		this.#endWatch();
		this.#during = timer(afterMs, () => {
			this.#report(this.#disarmNames());
			this.#watch(Math.min(afterMs * 2, limits.mostLeftoverMs));
		});
	}

	#endWatch(): void {
		this.#during?.[Symbol.dispose]();
		this.#during = undefined;
	}

	#disarmNames(): Denial[] {
		// While no process of a command runs, the user makes them.
		const mayBeMade = this.#running > 0 || this.#mayMake;
		return [
			...reported(() => (mayBeMade ? this.#homeEntries?.disarm() : undefined) ?? []),
			...reported(() => this.#startup.disarm()),
		];
	}

	#look(afterMs: number): void {
		this.#later?.[Symbol.dispose]();
		this.#later = timer(afterMs, () => {
			this.#later = undefined;
			const wereLeft = this.#areLeft;
			// Only a command is at work, such as a rebase with `--exec`: all is looked at when it has ended.
			if (this.#running > 0 && !wereLeft) return;
			this.#areLeft = this.#hasLeftovers();
			this.disarm();
			this.#mayMake &&= this.#areLeft;
			if (this.#areLeft || wereLeft) this.#report(this.onLeft?.() ?? []);
			if (this.#areLeft) this.#look(Math.min(afterMs * 2, limits.mostLeftoverMs));
		});
	}

	/** What the profile knows by name. */
	#disarmOwn(isComplete = true): void {
		const size = this.#contents.reduce((sum, contents) => sum + contents.size, 0);
		this.#isPutOff = !isComplete && size > limits.gitDirectoriesAtOnce;
		const looked = this.#isPutOff ? [] : this.#contents;
		const repository = isDirectory(this.#newRepository) ? this.#newRepository : undefined;
		const pointer =
			repository === undefined && this.#newRepository !== undefined ? [this.#newRepository] : [];
		this.#report([
			...reported(() => this.#loose.disarm()),
			...reported(() => this.#deeper?.disarm() ?? []),
			...eachOf(this.#remotes.filter(isRemote), (path) => this.#disarmedNested(path)),
			...eachOf(this.#deeper?.replaced() ?? [], (path) => this.#disarmedNested(path)),
			...eachOf(looked, (contents) => contents.disarm(isComplete)),
			...eachOf(this.#furtherSettings, (path) => disarmedSettings(path, this.#isWritable)),
			...eachOf(this.#contents, (contents) => this.#disarmedIn(contents)),
			...eachOf(this.#newHooks, (path) => disarmedHooks(path)),
			...eachOf(pointer, (path) => removed(path, leads)),
			...eachOf([...this.#links], ([path, target]) => restoredLink(path, target)),
			...this.#disarmNames(),
			...eachOf(this.#gitlinks, (links) =>
				eachOf(links.added(), (link) => this.#disarmedLink(link, 0, new Set())),
			),
			...(repository === undefined ? [] : this.#disarmedNested(repository)),
		]);
	}

	/** The own repository, its worktrees and submodules. */
	#disarmedIn(contents: GitContents): Denial[] {
		return [
			...eachOf(contents.unfinished, (path) => disarmedRebase(path, this.#ownCommands)),
			...eachOf(contents.repositories, (path) => [
				// A submodule or worktree that a command has made; git uses it when the user initializes the submodule.
				...(this.#ownDirectories.has(path)
					? this.#indexPaths.disarm(path, contents.indexes(path))
					: this.#disarmedNested(path)),
			]),
		];
	}

	/** Repositories elsewhere in the project that commands have made, bare ones too; a later command may plant in them. */
	#disarmNew(): void {
		// As many as the search looks at directories: one that is not remembered could be armed later.
		for (const repository of this.#search.appeared()) this.#made.set(repository.path, repository);
		const seen = new Set<string>();
		for (const { path, isOlder } of this.#made.values())
			this.#report(reported(() => this.#disarmedMade(path, isOlder, seen)));
	}

	#disarmedMade(path: string, isOlder: boolean, seen: Set<string>): Denial[] {
		if (otherSystems.includes(basename(path))) return disarmedOther(path, this.#leadsAway);
		return isOlder ? removed(join(path, "HEAD"), bareReason) : this.#disarmedAt(path, 0, seen);
	}

	#gitDirectories(): string[] {
		return this.#contents.flatMap(({ repositories }) => repositories);
	}

	#disarmedNested(path: string): Denial[] {
		return this.#disarmedAt(path, 0, new Set());
	}

	/** A file leads to the directory of the repository, and that one may lead to others, and to those that were seen. */
	#disarmedAt(path: string, depth: number, seen: Set<string>, at?: string): Denial[] {
		const tree = at ?? (basename(path) === ".git" ? dirname(path) : path);
		const real = realPath(path);
		if (linkTarget(path) !== undefined)
			return real !== undefined && this.#isProtected(real) ? this.#misled(path, real) : removed(path, leads);
		if (real === undefined || isPrivate(real) || this.#isProtected(real)) return [];
		if (!isDirectory(real)) return this.#disarmedBehind(real, depth, dirname(path), seen);
		const key = `${real}\0${tree}`;
		if (seen.has(key)) return [];
		seen.add(key);
		const contents = this.#contentsOf(real);
		return [
			...reported(() => contents.disarm()),
			...disarmedRepository(real, namedWorkTree(real) ?? tree, this.#isWritable),
			...reported(() => this.#indexPaths.disarm(real, contents.indexes(real))),
			...disarmedRebase(real, new Set()),
			...reported(() => this.#disarmedTree(real, tree)),
			...this.#disarmedBehind(join(real, "commondir"), depth, tree, seen),
			...reported(() => this.#disarmedRemotes(real, namedWorkTree(real) ?? tree, depth + 1, seen)),
			...eachOf(
				contents.repositories.filter((each) => each !== real),
				(each) => this.#disarmedAt(each, depth + 1, seen),
			),
			...reported(() => this.#disarmedLinks(real, tree, depth + 1, seen)),
		];
	}

	/** A push runs hooks of a repository on this machine. Worktrees share their remotes, and reach them from their own directories. */
	#disarmedRemotes(gitDir: string, tree: string, depth: number, seen: Set<string>): Denial[] {
		const isLinked = basename(dirname(gitDir)) === "worktrees";
		const shared = isLinked ? dirname(dirname(gitDir)) : gitDir;
		if (this.#isProtected(shared)) return [];
		const isTooMuch = depth > limits.nestedRepositories || seen.size > limits.repositoriesAtOnce;
		if (isTooMuch) return disarmedShared(shared, undefined, this.#isWritable);
		const reduced = isLinked ? disarmedShared(shared, tree, this.#isWritable) : [];
		const settings = readWritten(join(shared, "config"));
		const paths = localRemotes(settings).flatMap((path) => remotePaths(tree, path));
		const found = paths.filter(isRemote);
		return [...reduced, ...eachOf(found, (path) => this.#disarmedAt(path, depth, seen))];
	}

	/** Git looks into them however deep they are: beyond the limit, it does so no longer. */
	#disarmedLinks(gitDir: string, tree: string, depth: number, seen: Set<string>): Denial[] {
		const links = gitlinksOf(gitDir, namedWorkTree(gitDir) ?? tree);
		// A `.git` file takes a step of its own.
		const isDeep = links.length > 0 && depth + 1 > limits.nestedRepositories;
		if (isDeep || links.length + seen.size > limits.repositoriesAtOnce)
			return replacedIndex(gitDir, "index", isDeep ? tooDeep : tooMany);
		return links.flatMap((link) => this.#disarmedLink(link, depth, seen));
	}

	#disarmedLink({ path, odd }: Gitlink, depth: number, seen: Set<string>): Denial[] {
		return odd === undefined ? this.#disarmedAt(path, depth, seen) : renamedToText(odd.directory, odd.name);
	}

	/**
	 * Where `core.hooksPath` is no whole path, each work tree has hooks of its own. In a worktree of the user's repository, those that
	 * the project has are the user's, and what differs goes: hooks read files that are not executable, as those of husky do.
	 */
	#disarmedTree(gitDir: string, at: string): Denial[] {
		const above = dirname(dirname(gitDir));
		const isOfUser = basename(dirname(gitDir)) === "worktrees" && this.#ownDirectories.has(above);
		const tree = namedWorkTree(gitDir) ?? at;
		const root = isOfUser ? workTree(above) : undefined;
		return configuredCode(gitDir, tree, this.#home)
			.hooks.filter((path) => isBelow(path, tree))
			.flatMap((path) => {
				const real = realPath(path);
				if (real === undefined || this.#isProtected(real)) return [];
				return disarmedHooks(real, root && join(root, relative(tree, path)));
			});
	}

	#contentsOf(gitDir: string): GitContents {
		const contents = this.#madeContents.get(gitDir) ?? new GitContents(gitDir, this.#isWritable);
		this.#madeContents.set(gitDir, contents);
		return contents;
	}

	/** `file` names another directory. Commands can write files of the session, which lie outside of the project. */
	#disarmedBehind(file: string, depth: number, tree: string, seen: Set<string>): Denial[] {
		const pointer = pointerAt(file);
		if (pointer === undefined) return [];
		if (pointer === "odd") return removed(file, leads);
		const target = resolve(dirname(file), pointer.target);
		// What is not there may be made later, or be there for other processes alone.
		if (this.#isWritable(target) ? !isWithoutLinks(target) : !isSameForAll(target))
			return removed(file, leads);
		const real = realPath(target);
		if (real === undefined) return this.#isWritable(target) ? [] : removed(file, leads);
		if (isPrivate(real)) return removed(file, leads);
		// Worktrees have the settings of their repository.
		const isProtected = this.#isProtected(real);
		const isOfUser = isProtected || basename(dirname(real)) === "worktrees";
		const misled = isOfUser ? this.#misled(file, real) : [];
		if (isProtected || misled.length > 0) return misled;
		return depth < limits.nestedRepositories
			? this.#disarmedAt(target, depth + 1, seen, tree)
			: removed(file, leads);
	}

	/**
	 * Settings of the user that name a program of the project, such as `core.hooksPath`, would mean one of the directory that is led
	 * there, and git would write the user's index. The user's own files are known by the repository, which names them.
	 */
	#misled(file: string, gitDir: string): Denial[] {
		const tree = namedWorkTree(gitDir);
		const isOwn =
			basename(file) === "commondir"
				? this.#ownDirectories.has(gitDir)
				: tree !== undefined && realPath(tree) === dirname(file);
		return isOwn ? [] : removed(file, leads);
	}

	/** Nothing outside of what commands can write is theirs, nor what they could not change. */
	#isProtected(real: string): boolean {
		if (this.#deeper?.has(real) === true) return true;
		return !this.#isWritable(real) || this.#readOnly.has(real) || this.#readOnly.has(join(real, "config"));
	}

	/**
	 * Whether a path in settings of Mercurial leads to what is not looked at: it reads the settings of the repository there. Hosts and
	 * what only the user can write are the user's to choose.
	 */
	readonly #leadsAway = (value: string, directory: string): boolean => {
		if (/^(?:https?:\/\/|ssh:\/\/(?!-))[^\s]+$/.test(value)) return false;
		if (!/^[\w./@+~-]+$/.test(value)) return true;
		const real = realPath(resolve(directory, value));
		// What is not there yet is looked at again after each command.
		if (real === undefined) return false;
		if (isPrivate(real)) return true;
		const isSearched = this.#roots.some((root) => real === root || isBelow(real, root));
		return this.#isWritable(real) && !isSearched;
	};

	readonly #isWritable = (real: string): boolean =>
		this.#writable.some((above) => real === above || isBelow(real, above)) &&
		!isCovered(real, this.#readOnly, this.#writable);

	#report(found: readonly Denial[]): void {
		this.#disarmed = [...this.#disarmed, ...found].slice(-limits.hooks);
	}
}

/** A work tree is none by itself: what is in it stays. A file may lead to a repository. */
function isRemote(path: string): boolean {
	return existsSync(path) && (isRepository(path) || !isDirectory(path));
}

/** Where git may find the remotes of a repository of the user, as far as they are paths. */
function ownRemotes(gitDir: string): string[] {
	const tree = workTree(gitDir);
	return settingsIn(settingsText(join(gitDir, "config")))
		.filter(({ section, key }) => section === "remote" && /^(?:push)?url$/.test(key))
		.map(({ value }) => value.replace(/^file:\/\//, ""))
		.filter((value) => !value.includes(":"))
		.flatMap((value) => remotePaths(tree, value));
}

/** Without those that are looked at with another one. */
function outermost(gitDirs: readonly string[]): string[] {
	return [...new Set(gitDirs)].filter((path) => !gitDirs.some((above) => isBelow(path, above)));
}

/** The directories of these files: a link that takes their place would lead past them. */
function directoriesOf(paths: readonly string[], writable: readonly string[]): string[] {
	const all = new Set<string>();
	for (const path of paths)
		for (let at = dirname(path); writable.some((above) => isBelow(at, above)); at = dirname(at)) all.add(at);
	return [...all].filter((path) => linkTarget(path) === undefined).toReversed();
}

const leads = "it leads git to another repository";

const tooDeep = "names a repository inside of too many others";
const tooMany = "names too many repositories";

const bareReason = "it makes a directory of the project a repository of its own";

function isRepository(path: string): boolean {
	const has = (name: string): boolean => existsSync(join(path, name));
	return has("HEAD") && (has("objects") || has("commondir"));
}

function isDirectory(path: string | undefined): boolean {
	try {
		return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
	} catch {
		// A part of its path is a file, or was closed.
		return false;
	}
}
