/**
 * Looks after commands: what they have planted for programs of the user, which would run it outside, is disarmed. Where something
 * existed, mounts protect it; each kind of the rest has a looker, which remembers what is the user's and takes back what differs.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { timer } from "@tau/utils";

import { ClosedPaths } from "./closed-paths.ts";
import type { Denial } from "./denial.ts";
import { disarmedHooks, disarmedSettings, removed } from "./disarm.ts";
import { NewHomeEntries } from "./home-entries.ts";
import { IndexPaths } from "./index-paths.ts";
import { limits } from "./limits.ts";
import { disarmedBy, keptBy, lookerAt, type Looker } from "./lookers.ts";
import { MadeRepositories } from "./made-repositories.ts";
import { MountedPaths, noMounts, type ProtectedMounts } from "./mount-points.ts";
import { MovableProject, type FormerProject } from "./moved-project.ts";
import { OwnContents } from "./own-contents.ts";
import type { SandboxProfile } from "./profile.ts";
import { PromptSettings } from "./prompt-settings.ts";
import { ProtectedLinks } from "./protected-links.ts";
import { Reach } from "./reach.ts";
import { leads, ReachedRepositories } from "./reached-repositories.ts";
import { isDirectory, isRemote } from "./repository-paths.ts";
import { RepositorySearch } from "./repository-search.ts";
import { directoriesOf, UnwantedPaths } from "./unwanted-paths.ts";
import { ownRepositories, userRepositories, type UserRepositories } from "./user-repositories.ts";

export class PlantedFiles implements Disposable {
	readonly #project: MovableProject<SandboxProfile>;
	readonly #mounted: MountedPaths;
	/** What starts programs and does not exist yet. */
	readonly #startup: UnwantedPaths;
	readonly #search: RepositorySearch;
	/** A repository that a command may create. */
	readonly #newRepository: string | undefined;
	/** Settings that own repositories do not have, and could get: git reads them when another setting says so. */
	readonly #furtherSettings: readonly string[];
	/** Repositories of the user. */
	readonly #found: readonly string[];
	/** What the profile knows by name. */
	readonly #own: readonly Looker[];
	/** Those of them that look while a command runs, too. What git reads is looked at later: it may be at work there. */
	readonly #names: readonly Looker[];
	/** What has to be searched for. */
	readonly #searching: readonly Looker[];
	/** Commands that have not ended. */
	#running = 0;
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

	/** `former`: the project was there while commands ran, which may have made the rest. */
	constructor(profile: SandboxProfile, mounts: ProtectedMounts = noMounts, former?: FormerProject) {
		const { cwd, writable } = profile;
		const reach = new Reach(profile);
		this.#project = new MovableProject(profile, mounts, (...moved) => new PlantedFiles(...moved));
		this.#mounted = new MountedPaths(profile, mounts, reach.isWritable);
		const dotGit = join(cwd, ".git");
		const isNew = former ? former.newRepository === dotGit : writable.includes(cwd) && !existsSync(dotGit);
		this.#newRepository = isNew ? dotGit : undefined;
		this.#furtherSettings =
			former?.furtherSettings ??
			ownRepositories(profile)
				.map((path) => join(path, "config.worktree"))
				.filter((path) => !existsSync(path));
		this.#search = new RepositorySearch(reach.roots, reach.readOnly, profile);
		// What is there already is the user's.
		const appeared = this.#search.appeared();
		const isOfUser = (path: string): boolean => former?.repositories.has(path) !== false;
		const prompts = new PromptSettings(this.#search.promptFiles, reach.roots, reach.isFree, profile);
		const user = userRepositories({
			profile,
			reach,
			found: appeared.map(({ path }) => path).filter(isOfUser),
			files: this.#mounted.files,
			isOfUser,
		});
		this.#found = user.found;
		const indexPaths = new IndexPaths(new ClosedPaths(profile, reach.isWritable, user.deeper.code));
		const own = user.directories;
		const reached = new ReachedRepositories({ reach, user: profile.gitUser, indexPaths, own });
		const startup = new UnwantedPaths(profile.unwanted, directoriesOf(profile.unwanted, writable));
		this.#startup = startup;
		if (!former) startup.keep();
		const mountLooker: Looker = {
			keep: () => this.#mounted.keep(startup.keep().own),
			disarm: () => this.#mounted.disarm(),
		};
		const promptLooker = {
			keep: () => prompts.commandStarts(startup.own),
			disarm: () => prompts.disarm(this.#search),
		};
		this.#names = [...this.#homeLookers(profile), { disarm: () => startup.disarm() }, promptLooker];
		const { contents, unread } = user;
		const ownContents = new OwnContents({
			contents,
			indexPaths,
			reached,
			isOfUser: (path) => own.has(path) || reach.isProtected(path),
		});
		// Files and directories of the user are in their places again before it is looked at what git reaches from them.
		this.#own = [
			mountLooker,
			...remoteLookers(user, reached),
			ownContents,
			lookerAt(this.#furtherSettings, (path) => disarmedSettings(path, reach.isWritable)),
			lookerAt(profile.unwantedHooks, (path) => disarmedHooks(path)),
			linkLooker(profile),
			...this.#names,
			{ disarm: () => ownContents.disarmIndexes() },
			...gitlinkLookers(user, reached),
			lookerAt(isNew ? [dotGit] : [], (path) =>
				isDirectory(path) ? reached.disarmed(path) : removed(path, leads),
			),
		];
		const made = appeared.filter(({ path }) => !isOfUser(path));
		this.#searching = [
			new MadeRepositories({ search: this.#search, made, unread, reached, reach }),
			promptLooker,
			{ disarm: () => indexPaths.disarmUnsettled() },
		];
		if (former) this.#mounted.files.take(former.files);
		else for (const each of contents) each.keep();
	}

	commandStarts(): void {
		this.#watch(limits.leftoverMs);
		this.#accept();
		this.#running++;
	}

	/** Another sandbox protects from now on. What the user has changed for it is not taken back. */
	retire(): void {
		this.#accept();
	}

	/** What is there while no process of a command runs is the user's. */
	#accept(): void {
		if (this.#running > 0 || this.mayHaveChanged()) return;
		this.#report(keptBy(new Set([...this.#own, ...this.#searching])));
	}

	/** What a process plants later that the command left behind is disarmed while it runs. */
	commandEnded(hasLeftovers = (): boolean => false): void {
		this.#running = Math.max(0, this.#running - 1);
		if (this.#running === 0) this.#endWatch();
		this.#hasLeftovers = hasLeftovers;
		// They may change something, and end before the next command starts or the first look: that is not the user's.
		this.#areLeft = hasLeftovers();
		this.#mayMake = true;
		this.#disarmOwn(false);
		this.#mayMake = this.#areLeft;
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

	#watch(afterMs: number): void {
		this.#endWatch();
		this.#during = timer(afterMs, () => {
			this.#report(disarmedBy(this.#names));
			this.#watch(Math.min(afterMs * 2, limits.mostLeftoverMs));
		});
	}

	#endWatch(): void {
		this.#during?.[Symbol.dispose]();
		this.#during = undefined;
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

	#disarmOwn(isComplete = true): void {
		const isMoved = this.#project.movedTo() !== undefined;
		const moved = {
			disarm: () => this.#project.disarm((move) => this.#formerly(move)),
		};
		this.#report(disarmedBy(isMoved ? [moved] : this.#own, isComplete));
	}

	#disarmNew(): void {
		if (this.#project.movedTo() === undefined) this.#report(disarmedBy(this.#searching));
	}

	#homeLookers({ ownHome }: SandboxProfile): Looker[] {
		if (ownHome === undefined) return [];
		const entries = new NewHomeEntries(ownHome);
		// While no process of a command runs, the user makes them.
		const disarm = (): Denial[] => (this.#running > 0 || this.#mayMake ? entries.disarm() : []);
		return [{ keep: () => entries.accept(), disarm }];
	}

	#report(found: readonly Denial[]): void {
		this.#disarmed = [...this.#disarmed, ...found].slice(-limits.hooks);
	}
}

function linkLooker({ links: paths, writable, unwantedHooks }: SandboxProfile): Looker {
	const links = new ProtectedLinks(paths, writable, unwantedHooks);
	return { keep: () => links.keep(), disarm: () => links.restored() };
}

/** Repositories without mounts that the user has, and those that a command has put in their places. */
function remoteLookers({ deeper, remotes }: UserRepositories, reached: ReachedRepositories): Looker[] {
	return [
		deeper,
		lookerAt(remotes, (path) => (isRemote(path) ? reached.disarmed(path) : [])),
		{ disarm: () => disarmedBy([lookerAt(deeper.replaced(), (path) => reached.disarmed(path))]) },
	];
}

function gitlinkLookers({ gitlinks }: UserRepositories, reached: ReachedRepositories): Looker[] {
	return gitlinks.map((links) => ({
		keep: () => links.keep(),
		disarm: () => links.added().flatMap((link) => reached.disarmedLink(link)),
	}));
}
