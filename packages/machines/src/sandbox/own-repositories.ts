/**
 * Repositories of the user that lie deeper in the project than mounts protect: what git runs of them is remembered when a command
 * starts, and what differs afterwards is taken back.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { disarmedHooks, disarmedSettings, linkTarget, modeRestored, removed, setAside } from "./disarm.ts";
import { realPath } from "./git-directories.ts";
import { configuredCode, pathsOf } from "./git-paths.ts";
import { refuseOdd } from "./git-values.ts";
import { workTree } from "./gitlinks.ts";
import type { GitUser } from "./git-user.ts";
import type { LooseFiles } from "./loose-files.ts";
import { LinksOnWay, ProtectedLinks } from "./protected-links.ts";
import { statsOf } from "./stats-of.ts";

interface OwnRepositoriesOptions {
	readonly isWritable: (path: string) => boolean;
	/** The directories that commands can write. */
	readonly writable: readonly string[];
	readonly user?: GitUser;
}

export class OwnRepositories {
	/** Directories of repositories. */
	readonly #directories: readonly string[];
	readonly #loose: LooseFiles;
	readonly #isWritable: (path: string) => boolean;
	/** By the directory: its hooks, and for those that are links where they lead. */
	readonly #hooks = new Map<string, ReadonlyMap<string, Buffer | string>>();
	/** Of hooks that are files. */
	readonly #modes = new Map<string, number>();
	/** On the way to what git runs. */
	#links = new ProtectedLinks([], []);
	/** What settings and links name and what does not exist. */
	#absent: readonly string[] = [];
	/** Of that, what a command has made and what could not be set aside. */
	readonly #stuck = new Set<string>();
	#code: readonly string[] = [];
	/** Of the settings, when they were read last. */
	#readAt = "";
	readonly #writable: readonly string[];
	readonly #user: GitUser | undefined;

	constructor(
		directories: readonly string[],
		loose: LooseFiles,
		{ isWritable, writable, user }: OwnRepositoriesOptions,
	) {
		this.#directories = directories;
		this.#loose = loose;
		this.#isWritable = isWritable;
		this.#writable = writable;
		this.#user = user;
		this.keep();
	}

	/** What git runs because settings name it, with the links on the way. */
	get code(): readonly string[] {
		return this.#code;
	}

	/** What is there is the user's. */
	keep(): void {
		const now = this.#stamps();
		if (now === this.#readAt || this.#links.hasLost) this.#links.keep();
		else this.#readNamed();
		this.#readAt = now;
		for (const path of this.#directories) {
			const files = ["config", "config.worktree", "commondir"].map((name) => join(path, name));
			this.#loose.add(files.filter((file) => statsOf(file) !== undefined));
		}
		for (const path of this.#hooks.keys()) {
			const hooks = hooksIn(path);
			this.#hooks.set(path, hooks);
			const files = [...hooks].filter(([, content]) => typeof content !== "string");
			const paths = files.map(([name]) => join(path, name));
			this.#loose.add(paths);
			for (const file of paths) this.#modes.set(file, Number(statsOf(file)?.mode ?? 0n) & 0o777);
		}
	}

	/** The user may have changed settings, or made a link among the hooks. */
	#stamps(): string {
		const own = ["config", "config.worktree", "hooks"];
		const files = this.#directories.flatMap((path) => own.map((name) => join(path, name)));
		return [...files, ...this.#hooks.keys()].map((path) => String(statsOf(path)?.ctimeNs)).join(" ");
	}

	#readNamed(): void {
		const isWritable = this.#isWritable;
		const named = this.#directories.map((path) => configuredCode(path, workTree(path), this.#user));
		refuseOdd(named.flatMap(pathsOf));
		const ofHooks = [
			...this.#directories.map((path) => join(path, "hooks")),
			...named.flatMap(({ hooks }) => hooks).filter(isWritable),
		];
		for (const path of ofHooks) this.#hooks.set(realPath(path) ?? path, new Map());
		const files = named.flatMap(({ settings, programs }) => [...settings, ...programs]).filter(isWritable);
		const ways = new LinksOnWay(this.#writable);
		const onWay = [...ofHooks, ...files].map((path) => ways.to(path));
		const links = [...new Set(onWay.flatMap((way) => way.links))].filter(isWritable);
		const targets = onWay.map(({ path }) => path);
		this.#links = new ProtectedLinks(links, this.#writable, targets);
		this.#code = [...links, ...targets, ...files];
		this.#loose.add(files.filter((path) => statsOf(path)?.isFile() && !this.#stuck.has(path)));
		this.#absent = files.filter((path) => statsOf(path) === undefined || this.#stuck.has(path));
	}

	has(directory: string): boolean {
		return this.#directories.includes(directory);
	}

	/** In whose place a command has put a file or a link. */
	replaced(): string[] {
		return this.#directories.filter((path) => {
			const stats = statsOf(path);
			return stats !== undefined && !stats.isDirectory();
		});
	}

	/** After what is loose was put back. */
	disarm(): Denial[] {
		const named = [
			...this.#links.restored(),
			...this.#absent.flatMap((path) => this.#setAside(path)),
			...[...this.#hooks].flatMap(([path, hooks]) => disarmedHooks(path, hooks)),
			...[...this.#modes].flatMap(([path, mode]) => modeRestored(path, mode)),
		];
		const own = this.#directories.flatMap((path) => {
			const isOwn = (name: string): boolean => this.#loose.has(join(path, name));
			return [
				...(isOwn("config.worktree")
					? []
					: disarmedSettings(join(path, "config.worktree"), this.#isWritable)),
				...(isOwn("commondir") ? [] : removed(join(path, "commondir"), "it leads git to another repository")),
			];
		});
		return [...named, ...own];
	}

	#setAside(path: string): Denial[] {
		const denials = setAside(path, "it would run outside");
		if (statsOf(path) === undefined) this.#stuck.delete(path);
		else this.#stuck.add(path);
		return denials;
	}
}

function hooksIn(directory: string): ReadonlyMap<string, Buffer | string> {
	const hooks = new Map<string, Buffer | string>();
	try {
		for (const name of readdirSync(directory)) {
			const path = join(directory, name);
			const content = name.endsWith(".sample") ? undefined : (readWritten(path) ?? linkTarget(path));
			if (content !== undefined) hooks.set(name, content);
		}
	} catch {
		// There are none.
	}
	return hooks;
}
