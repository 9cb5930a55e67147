/**
 * Disarms what a command has planted where nothing existed that a mount could protect: hooks and settings of a new repository, and
 * a file that would give a repository another configuration. Git would run them later, outside.
 */
import { existsSync } from "node:fs";
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
	linkTarget,
	rebaseCommands,
	remotePaths,
	removed,
	renamedToText,
} from "./disarm.ts";
import { ClosedPaths } from "./closed-paths.ts";
import { GitContents } from "./git-contents.ts";
import { gitDirectories, isSameForAll, isWithoutLinks, pointerAt, realPath } from "./git-directories.ts";
import { configuredCode } from "./git-paths.ts";
import { Gitlinks, gitlinksOf, type Gitlink, namedWorkTree, workTree } from "./gitlinks.ts";
import type { GitUser } from "./git-user.ts";
import { IndexPaths, replacedIndex } from "./index-paths.ts";
import { NewHomeEntries } from "./home-entries.ts";
import { limits } from "./limits.ts";
import { localRemotes } from "./made-settings.ts";
import { disarmedOther, otherSystems } from "./other-systems.ts";
import { MovableProject, type FormerProject } from "./moved-project.ts";
import { MountedPaths, noMounts, type ProtectedMounts } from "./mount-points.ts";
import { OwnRepositories } from "./own-repositories.ts";
import { isPrivate } from "./private-directory.ts";
import { PromptSettings } from "./prompt-settings.ts";
import { ProtectedLinks } from "./protected-links.ts";
import { isBelow, isCovered } from "./below.ts";
import type { SandboxProfile } from "./profile.ts";
import { isDirectory, isRemote, isRepository, outermost, ownRemotes } from "./repository-paths.ts";
import { eachOf, reported } from "./reports.ts";
import { RepositorySearch, type FoundRepository } from "./repository-search.ts";
import { UnreadRepositories } from "./unread-repositories.ts";
import { directoriesOf, UnwantedPaths } from "./unwanted-paths.ts";

export class PlantedFiles implements Disposable {
	readonly #writable: readonly string[];
	readonly #readOnly: ReadonlySet<string>;
	readonly #user: GitUser;
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
	readonly #unread: UnreadRepositories;
	/** Whether it was reported that not all of what commands have made is looked at. */
	#isCut = false;
	/** The same of repositories that commands have made. */
	readonly #madeContents = new Map<string, GitContents>();
	readonly #indexPaths: IndexPaths;
	#ownCommands: ReadonlySet<string> = new Set();
	readonly #project: MovableProject<SandboxProfile>;
	readonly #mounted: MountedPaths;
	/** Commands that have not ended. */
	#running = 0;
	readonly #links: ProtectedLinks;
	/** Directories in which repositories are looked for. */
	readonly #roots: readonly string[];
	readonly #search: RepositorySearch;
	readonly #prompts: PromptSettings;
	/** Repositories of the user. */
	readonly #found: readonly string[];
	/** Repositories that commands have made. */
	readonly #made = new Map<string, FoundRepository>();
	#later: Disposable | undefined;
	/** The next look at names while a command runs, which may do so all day. */
	#during: Disposable | undefined;
	/** Whether processes that commands have left behind ran at the last look. */
	#areLeft = false;
	/** Whether processes that commands have left behind still run. */
	#hasLeftovers = (): boolean => false;
	/** Whether they have been there since the end of the command. */
	#mayMake = false;
	/** Called at each look while they run. */
	onLeft: (() => readonly Denial[]) | undefined;
	#disarmed: Denial[] = [];
	/** Whether a look was put off because there are many directories: what commands have made is not known yet. */
	#isPutOff = false;

	/** `former`: the project was there while commands ran, which may have made the rest. */
	constructor(profile: SandboxProfile, mounts: ProtectedMounts = noMounts, former?: FormerProject) {
		const { cwd, gitUser, writable, unwanted, unwantedHooks, links, readOnly, cacheDir, ownHome } = profile;
		this.#writable = cacheDir === undefined ? writable : [...writable, cacheDir];
		this.#readOnly = new Set(readOnly);
		this.#user = gitUser;
		this.#project = new MovableProject(profile, mounts, (...moved) => new PlantedFiles(...moved));
		this.#links = new ProtectedLinks(links, writable);
		this.#mounted = new MountedPaths(profile, mounts, this.#isWritable);
		this.#indexPaths = new IndexPaths(new ClosedPaths(profile, this.#isWritable));
		this.#startup = new UnwantedPaths(unwanted, directoriesOf(unwanted, writable));
		this.#homeEntries = ownHome && new NewHomeEntries(ownHome);
		this.#newHooks = unwantedHooks;
		const dotGit = join(cwd, ".git");
		const isNew = former ? former.newRepository === dotGit : writable.includes(cwd) && !existsSync(dotGit);
		this.#newRepository = isNew ? dotGit : undefined;
		const repositories = [...new Set([...writable.filter((path) => existsSync(join(path, "HEAD"))), dotGit])];
		const missing = (name: string): string[] =>
			repositories.map((path) => join(path, name)).filter((path) => !existsSync(path));
		// Those below it, whose settings are protected, are the user's as well.
		const below = readOnly.filter((path) => basename(path) === "config").map((path) => dirname(path));
		const all = [...repositories, ...below.filter((path) => existsSync(join(path, "HEAD")))];
		this.#roots = writable.filter((path) => !isRepository(path));
		this.#search = new RepositorySearch(this.#roots, this.#readOnly, profile);
		// What is there already is the user's.
		const appeared = this.#search.appeared();
		for (const each of appeared)
			if (former?.repositories.has(each.path) === false) this.#made.set(each.path, each);
		const found = appeared.map(({ path }) => path).filter((path) => !this.#made.has(path));
		const isDeeper = (path: string): boolean =>
			isDirectory(path) && !this.#isProtected(path) && isRepository(path);
		const isFree = (path: string): boolean => this.#isWritable(path) && !this.#readOnly.has(path);
		this.#prompts = new PromptSettings(this.#search.promptFiles, this.#roots, isFree, profile);
		this.#remotes = [...all, ...found].flatMap(ownRemotes).filter(this.#isWritable);
		const gitlinks = new Map([...new Set(all)].map((path) => [path, new Gitlinks(path)]));
		// No search comes to some of those that an index names.
		const named = [...gitlinks.values()].flatMap((each) => each.own).filter(this.#isWritable);
		const linked = former ? named.filter((path) => former.repositories.has(path)) : named;
		this.#found = [...found, ...linked];
		const others = new Set([...found, ...this.#remotes, ...linked]);
		const unprotected = [...others].filter(isDeeper);
		const deeper = unprotected.slice(0, limits.submodules);
		this.#unread = new UnreadRepositories(unprotected.slice(limits.submodules));
		const directories = deeper.flatMap((path) => gitDirectories(path));
		this.#deeper = new OwnRepositories(directories, this.#mounted.files, this.#isWritable, gitUser);
		this.#mounted.files.add(
			[...found, ...linked].filter(
				(path) => basename(path) === ".git" && !isDirectory(path) && !this.#isProtected(path),
			),
		);
		const own = outermost([...all, ...deeper]);
		this.#contents = own.map((path) => new GitContents(path, this.#isWritable));
		this.#ownDirectories = new Set(this.#gitDirectories());
		this.#gitlinks = [...this.#ownDirectories].map((path) => gitlinks.get(path) ?? new Gitlinks(path));
		this.#furtherSettings = former?.furtherSettings ?? missing("config.worktree");
		if (former) this.#mounted.files.take(former.files);
		else {
			this.#startup.keep();
			for (const contents of this.#contents) contents.keep();
		}
	}

	commandStarts(): void {
		this.#watch(limits.leftoverMs);
		if (this.#running === 0 && !this.mayHaveChanged()) this.#accept();
		this.#running++;
	}

	/** Another sandbox protects from now on. What the user has changed for it is not taken back. */
	retire(): void {
		if (this.#running === 0 && !this.mayHaveChanged()) this.#accept();
	}

	/** What is there while no process of a command runs is the user's. */
	#accept(): void {
		this.#mounted.keep(this.#startup.keep().own);
		this.#homeEntries?.accept();
		this.#links.keep();
		this.#prompts.commandStarts(this.#startup.own);
		this.#deeper?.keep();
		this.#unread.keep();
		for (const links of this.#gitlinks) links.keep();
		if (this.#isPutOff) return;
		for (const contents of this.#contents) {
			contents.keep();
			for (const path of contents.repositories) this.#indexPaths.keep(path, contents.indexes(path));
		}
		const unfinished = this.#contents.flatMap((each) => each.unfinished);
		this.#ownCommands = new Set(unfinished.flatMap(rebaseCommands));
	}

	/** What a process plants later that the command left behind is disarmed while it runs. */
	commandEnded(hasLeftovers = (): boolean => false): void {
		this.#running = Math.max(0, this.#running - 1);
		if (this.#running === 0) this.#endWatch();
		this.#hasLeftovers = hasLeftovers;
		this.#prompts.commandEnded();
		// They may change something, and end before the next command starts or the first look: that is not the user's.
		this.#areLeft = hasLeftovers();
		this.#mayMake = this.#areLeft;
		this.#report(reported(() => this.#homeEntries?.disarm() ?? []));
		this.#disarmOwn(false);
		// In a large project the search takes a while, and the result of the command does not wait for it.
		if (this.#search.size <= limits.searchedAtOnce) this.#disarmNew();
		this.#look(limits.leftoverMs);
	}

	/** Whether a directory has lost its protection, or the user has made what needs some: a new sandbox gives it. */
	get isLoose(): boolean {
		return this.#startup.hasOwn(this.#running === 0 && !this.mayHaveChanged()) || this.#mounted.hasLost;
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
		// What was left behind may have planted something after the last look. What changed without it is the user's.
		const mayBePlanted = this.#later !== undefined || this.#running > 0;
		this.#later?.[Symbol.dispose]();
		this.#later = undefined;
		if (mayBePlanted) this.disarm();
		this.#project[Symbol.dispose]();
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
			...reported(() => this.#prompts.disarm(this.#search)),
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

	#formerly(move: (path: string) => string): FormerProject {
		return {
			repositories: new Set(this.#found.map(move)),
			newRepository: this.#newRepository && move(this.#newRepository),
			furtherSettings: this.#furtherSettings.map(move),
			files: this.#mounted.files.moved(move),
		};
	}

	/** What the profile knows by name. */
	#disarmOwn(isComplete = true): void {
		if (this.#project.movedTo() !== undefined) {
			this.#report(this.#project.disarm((move) => this.#formerly(move)));
			return;
		}
		const size = this.#contents.reduce((sum, contents) => sum + contents.size, 0);
		this.#isPutOff = !isComplete && size > limits.gitDirectoriesAtOnce;
		const looked = this.#isPutOff ? [] : this.#contents;
		const repository = isDirectory(this.#newRepository) ? this.#newRepository : undefined;
		const pointer =
			repository === undefined && this.#newRepository !== undefined ? [this.#newRepository] : [];
		this.#report([
			...reported(() => this.#mounted.disarm()),
			...reported(() => this.#deeper?.disarm() ?? []),
			...eachOf(this.#remotes.filter(isRemote), (path) => this.#disarmedNested(path)),
			...eachOf(this.#deeper?.replaced() ?? [], (path) => this.#disarmedNested(path)),
			...eachOf(looked, (contents) => contents.disarm(isComplete)),
			...eachOf(this.#furtherSettings, (path) => disarmedSettings(path, this.#isWritable)),
			...eachOf(this.#contents, (contents) => this.#disarmedIn(contents)),
			...eachOf(this.#newHooks, (path) => disarmedHooks(path)),
			...eachOf(pointer, (path) => removed(path, leads)),
			...reported(() => this.#links.restored()),
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
		if (this.#project.movedTo() !== undefined) return;
		// As many as the search looks at directories: one that is not remembered could be armed later.
		for (const repository of this.#search.appeared())
			if (!repository.isLate || !this.#unread.add(repository.path))
				this.#made.set(repository.path, repository);
		for (const path of this.#unread.changed()) this.#made.set(path, { path, isOlder: false, isLate: true });
		if (this.#search.isCut && !this.#isCut)
			this.#report([{ what: tooManyDirectories, mayRunOutside: false }]);
		this.#isCut = this.#search.isCut;
		this.#report(reported(() => this.#prompts.disarm(this.#search)));
		const seen = new Set<string>();
		for (const { path, isOlder } of this.#made.values())
			this.#report(reported(() => this.#disarmedMade(path, isOlder, seen)));
	}

	#disarmedMade(path: string, isOlder: boolean, seen: Set<string>): Denial[] {
		if (otherSystems.includes(basename(path)))
			return disarmedOther(path, { isWritable: this.#isWritable, roots: this.#roots });
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
		return configuredCode(gitDir, tree, this.#user)
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

	readonly #isWritable = (real: string): boolean =>
		this.#writable.some((above) => real === above || isBelow(real, above)) &&
		!isCovered(real, this.#readOnly, this.#writable);

	#report(found: readonly Denial[]): void {
		this.#disarmed = [...this.#disarmed, ...found].slice(-limits.hooks);
	}
}

const leads = "it leads git to another repository";
const tooDeep = "names a repository inside of too many others";
const tooMany = "names too many repositories";
const tooManyDirectories =
	"Commands have made more directories than Tau looks at for repositories: look for a .git in them before you run git there";
const bareReason = "it makes a directory of the project a repository of its own";
