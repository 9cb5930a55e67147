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
	renameSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import { readWritten } from "../shell/index.ts";
import type { Denial } from "./denial.ts";
import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";

type PlantableProfile = Pick<SandboxProfile, "cwd" | "writable" | "unwanted" | "links">;

export class PlantedFiles {
	/** A repository that a command may create. */
	readonly #newRepository: string | undefined;
	/** Files that have no place in a repository that is not a worktree. */
	readonly #pointers: readonly string[];
	readonly #startup: readonly string[];
	/** Where protected links lead. */
	readonly #links: ReadonlyMap<string, string>;
	#disarmed: Denial[] = [];

	constructor({ cwd, writable, unwanted, links }: PlantableProfile) {
		this.#links = new Map(links.map((path) => [path, linkTarget(path) ?? ""]));
		this.#startup = unwanted;
		const dotGit = join(cwd, ".git");
		this.#newRepository = writable.includes(cwd) && !existsSync(dotGit) ? dotGit : undefined;
		const repositories = writable.filter((path) => existsSync(join(path, "HEAD")));
		this.#pointers = [...repositories, dotGit]
			.map((path) => join(path, "commondir"))
			.filter((path) => !existsSync(path));
	}

	/** After a command. */
	disarm(): void {
		const repository = isDirectory(this.#newRepository) ? this.#newRepository : undefined;
		const configured = repository === undefined ? [] : withoutPrograms(join(repository, "config"));
		const pointer =
			repository === undefined && this.#newRepository !== undefined ? [this.#newRepository] : [];
		const found = [
			...this.#pointers.flatMap((path) => removed(path, "it gives the repository another configuration")),
			...pointer.flatMap((path) => removed(path, "it leads git to another repository")),
			...[...this.#links].flatMap(([path, target]) => restoredLink(path, target)),
			...this.#startup.flatMap((path) => removed(path, "it would run outside")),
			...this.#hooks().flatMap(disabled),
			...configured,
		];
		this.#disarmed = [...this.#disarmed, ...found].slice(-limits.hooks);
	}

	/** What was disarmed since the last call. */
	take(): Denial[] {
		return this.#disarmed.splice(0);
	}

	#hooks(): string[] {
		const hooks = this.#newRepository === undefined ? undefined : join(this.#newRepository, "hooks");
		// Not through a link: we can reach more than the command that made it.
		if (hooks === undefined || !isDirectory(this.#newRepository) || !isDirectory(hooks)) return [];
		const names = readdirSync(hooks).slice(0, limits.hooks);
		return names.filter((name) => !name.endsWith(".sample")).map((name) => join(hooks, name));
	}
}

function removed(path: string, why: string): Denial[] {
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
function withoutPrograms(path: string): Denial[] {
	const text = readWritten(path)?.toString("utf8");
	if (text === undefined) return [];
	let section = "";
	const kept = text.split("\n").filter((line) => {
		const [, name, rest] = /^\s*\[([\w.-]+)(?:\s+"[^"]*")?\](.*)$/.exec(line) ?? [];
		if (name !== undefined) section = name.toLowerCase();
		if (name !== undefined) return Object.hasOwn(harmless, section) && rest?.trim() === "";
		const [, key] = /^\s*([A-Za-z][\w-]*)\s*(?:=[^\\]*)?$/.exec(line) ?? [];
		return line.trim() === "" || (key !== undefined && harmless[section]?.test(key) === true);
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

function isDirectory(path: string | undefined): boolean {
	return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
