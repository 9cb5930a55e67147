/** Paths that are asked about in every mode but `full`, whatever a rule allows: secrets, and what runs by itself later. */
import { accessSync, constants, existsSync, readdirSync, type Dirent } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

import {
	agentSettings,
	browserData,
	browsers,
	editorSettings,
	gitUser,
	type GitUser,
	isBrowserData,
	promptSettings,
	repositorySettings,
	runsLater,
	secrets,
} from "@tau/machines/sandbox";
import { codeNamedBySettings } from "@tau/machines/sandbox/git";

import { holdsTokens } from "./git-settings-file.ts";
import { ProtectedLinks } from "./protected-links.ts";
import type { ProtectedLocations } from "./protected-locations.ts";
import { limits } from "./limits.ts";
import { isUnreadable, isWithin, realPath } from "./real-path.ts";

type Access = "read" | "write";

interface ProtectedPath {
	/** What it is, as a user would say it. */
	readonly what: string;
	/** `read` implies `write`: a secret that may not be read may not be replaced either. */
	readonly from: Access;
	/** Files and directories below the home directory. */
	readonly home?: readonly string[];
	/** Absolute paths. */
	readonly system?: readonly string[];
	/** The same in every directory: `.git` is protected in each repository. */
	readonly anywhere?: readonly string[];
}

const table: readonly ProtectedPath[] = [
	...secrets.map(({ what, home = [], asked = home, system = [] }): ProtectedPath => ({
		what,
		from: "read",
		home: asked,
		system,
	})),
	{
		what: "a shell start-up file",
		from: "write",
		home: runsLater.shell,
	},
	{
		what: "a program that starts automatically",
		from: "write",
		home: runsLater.automatic,
	},
	{
		what: "configuration that runs commands",
		from: "write",
		home: runsLater.commands,
	},
	{
		what: "the inside of a Git repository",
		from: "write",
		anywhere: [".git"],
	},
	{
		what: "configuration of Tau or of another agent in the project",
		from: "write",
		anywhere: [".tau", ".omp", ".pi", ".claude/hooks", ...agentSettings],
	},
	{
		what: "settings of an editor, which starts the programs that they name",
		from: "write",
		anywhere: editorSettings,
	},
	{
		what: "settings of a repository, which name programs",
		from: "write",
		anywhere: repositorySettings,
	},
	{
		what: "settings from which a shell runs programs at its prompt",
		from: "write",
		anywhere: promptSettings,
	},
];

const processFiles =
	/^\/proc\/(?:self|thread-self|\d+)\/(?:task\/\d+\/)?(?:environ|mem|cwd|root|fd|map_files|auxv)(?:\/|$)/;

/** What is typed into terminals, and what disks and memory contain, whatever the permissions of files say. */
const devices =
	/^\/(?:proc\/kcore|dev\/(?:k?mem|port|vcs|tty(?:\d|S|USB|ACM)|pts\/|input\/|hidraw|uinput|(?:sd|hd|vd|xvd)[a-z]|nvme|mmcblk|dm-|md\d|mapper\/|disk\/|loop\d|sr\d|nbd|video|snd\/))/;

/** Why the path is protected, or undefined. It is judged as it was given and without its links. */
export function protection(
	paths: readonly string[],
	access: Access,
	places: ProtectedLocations,
): string | undefined {
	for (const path of paths) {
		const why = protectionOf(path, access, places);
		if (why !== undefined) return why;
	}
	return undefined;
}

function protectionOf(path: string, access: Access, places: ProtectedLocations): string | undefined {
	if (places.ownSecrets.some((secret) => isWithin(path, secret))) return "Tau's credentials";
	const isOwn =
		access === "write" &&
		places.own.some((directory) => isWithin(path, directory)) &&
		!places.except.some((directory) => isWithin(path, directory));
	if (isOwn) return "Tau's own configuration";
	// Its links lead elsewhere for the process that opens them than for the one that judges them.
	if (processFiles.test(path)) return "the environment, memory or files of a process";
	if (devices.test(path)) return "a terminal, disk or input device of this machine";
	// A protected name in other letters is nothing that a project needs.
	const lower = fold(path);
	const home = fold(places.home);
	// The trees of agents are in a directory of Tau: that alone protects nothing in them.
	const around = places.except.find((directory) => isWithin(path, directory)) ?? "";
	const inside = lower.slice(fold(around).length);
	const row = rows.find(
		({ from, isMatch }) => (from === "read" || access === "write") && isMatch(lower, inside, home),
	);
	return (
		row?.what ??
		(homesOf(path, places.home).some((each) => isBrowserData(path, each)) ? browsers : undefined) ??
		linkedName(path, access, places.home) ??
		(userGitFiles(places.home).includes(path) && holdsTokens(path, places.home)
			? "your settings of git, which hold a password or token"
			: undefined) ??
		(access === "write" ? repositoryFile(path, places.gitUser ?? gitUser(places.home)) : undefined)
	);
}

function userGitFiles(home: string): string[] {
	return [join(home, ".gitconfig"), join(home, ".config/git/config")];
}

/**
 * In a project that contains the home directory, whatever is hidden there belongs to the user's programs, and so does what PATH
 * names; in each project, settings that variables name. An added directory inside of them is a project of its own.
 */
export function ofUserInside(
	paths: readonly string[],
	roots: readonly string[],
	{ home, except, searchPath, settings = [] }: ProtectedLocations,
): string | undefined {
	const own = realPath(home);
	const isHome = roots.some((root) => isWithin(own, root));
	const isAmong = (path: string, places: readonly string[]): boolean =>
		places.some((place) => {
			const isFree = [...roots, ...except].some((each) => isWithin(each, place) && isWithin(path, each));
			return isWithin(path, place) && !isFree && roots.some((root) => isWithin(place, root));
		});
	const real = (places: readonly string[]): string[] =>
		places.filter((each) => isAbsolute(each)).map(realPath);
	const entries = paths.flatMap(
		(path) => /^\/\.[^/]*/.exec(path.startsWith(own) ? path.slice(own.length) : "") ?? [],
	);
	if (
		isHome &&
		paths.some((path) =>
			isAmong(
				path,
				entries.map((entry) => own + entry),
			),
		)
	)
		return "it is in a hidden entry of your home directory, which is for your programs";
	const programs = real(searchPath).filter((each) => isHome && each !== own && isWithin(each, own));
	if (paths.some((path) => isAmong(path, programs))) return "commands look for programs there";
	return paths.some((path) => isAmong(path, real(settings)))
		? "it is among your settings, which a variable names"
		: undefined;
}

/** What git runs, or reads as settings, although it is not in a `.git`: whoever writes it chooses what git runs later. */
function repositoryFile(path: string, user: GitUser): string | undefined {
	// No repository is without one, and nothing else is named like it.
	if (basename(path) === "HEAD") return "it makes a directory a Git repository";
	let isRepositoryFound = false;
	for (const at of above(path)) {
		const has = (name: string): boolean => existsSync(join(at, name));
		if (has("HEAD") && has("objects") && has("refs")) return "the inside of a Git repository";
		if (isRepositoryFound || !has(".git")) continue;
		isRepositoryFound = true;
		const { hooks, settings, programs } = codeNamedBySettings(at, user);
		if (hooks.some((directory) => isWithin(path, directory))) return "git runs it as a hook";
		if (settings.some((file) => isWithin(path, file))) return "git reads it as settings, which name programs";
		if (programs.includes(path)) return "settings of git name it, or a hook is a link to it: git runs it";
	}
	return undefined;
}

function above(path: string): string[] {
	const parent = dirname(path);
	return parent === path ? [] : [parent, ...above(parent)];
}

/** A directory that comes in the place of this one may bring hooks or settings along, which git looks for below it. */
export function holdsCodeOfGit(path: string, places: ProtectedLocations): string | undefined {
	const root = above(path).find((at) => existsSync(join(at, ".git")));
	if (root === undefined) return undefined;
	const { hooks, settings, programs } = codeNamedBySettings(root, places.gitUser);
	const isHeld = [...hooks, ...settings, ...programs].some((each) => isWithin(each, path));
	return isHeld ? "git looks for hooks or settings below it" : undefined;
}

interface Row {
	what: string;
	from: Access;
	/** `inside` is the path without the directory of Tau that it may be in. */
	isMatch(path: string, inside: string, home: string): boolean;
}

const rows: readonly Row[] = table.map(({ what, from, home = [], system = [], anywhere = [] }) => {
	const ofSystem = system.map(fold);
	const inHome = belowHome(home.map(fold));
	const everywhere = anywhere.map((name) => `/${fold(name)}/`);
	// A link or a directory in the place of one above them would replace them.
	const parents = [...new Set(anywhere.flatMap((name) => parentsOf(`/${fold(name)}`)))];
	return {
		what,
		from,
		isMatch: (path, inside, root) =>
			inHome(root).some((name) => isWithin(path, name)) ||
			isOfOtherHome(path, root, home) ||
			ofSystem.some((name) => isWithin(path, name)) ||
			// Entries of an archive are unpacked under their names: `a.zip:.git/config`.
			everywhere.some((name) => `${inside}/`.replaceAll(":", "/").includes(name)) ||
			parents.some((name) => inside.endsWith(name)),
	};
});

/** File systems may ignore case, in full (`ſ` is `s`, `ﬁ` is `fi`), and letters that nobody sees. */
function fold(path: string): string {
	if (/^[\0-\x7f]*$/u.test(path)) return path.toLowerCase();
	return path
		.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
		.toUpperCase()
		.toLowerCase();
}

function parentsOf(path: string): string[] {
	const parent = dirname(path);
	return parent === "/" ? [] : [parent, ...parentsOf(parent)];
}

const linked = table.flatMap(({ what, from, home }) =>
	home ? [{ what, from, links: new ProtectedLinks(home) }] : [],
);

/** What a link in the home directory makes of the path. */
function linkedName(path: string, access: Access, home: string): string | undefined {
	const found = linked.find(
		({ from, links }) =>
			(from === "read" || access === "write") && links.targets(home).some((target) => isSame(path, target)),
	);
	return found && `${found.what}, by a link in your home directory`;
}

function isSame(path: string, target: string): boolean {
	return isWithin(fold(path), fold(target));
}

/** Root, and whoever is let in, can read what others keep in theirs. */
function isOfOtherHome(path: string, home: string, names: readonly string[]): boolean {
	const other = otherHome.exec(path)?.[0];
	if (other === undefined || other === home) return false;
	return names.some((name) => isWithin(path, `${other}/${fold(name)}`));
}

/** That of another user, or of all. */
const homeDirectories = /^\/(?:root|(?:home|Users)(?:\/[^/]+)?)$/u;
const otherHome = /^\/(?:root|(?:home|users)\/[^/]+)(?=\/)/;

/** Resolved once for a home: each file that a call names is compared with all of them. */
function belowHome(names: readonly string[]): (home: string) => readonly string[] {
	let known: { home: string; paths: readonly string[] } | undefined;
	return (home) => {
		if (known?.home !== home) known = { home, paths: names.map((name) => resolve(home, name)) };
		return known.paths;
	};
}

/** The home directory, and that of another user which the path is in. */
function homesOf(path: string, home: string): string[] {
	const other = /^\/(?:root|(?:home|users)\/[^/]+)(?=\/)/i.exec(path)?.[0];
	return other === undefined || other === home ? [home] : [home, other];
}

/** Below the home directory, everything that may not be read unasked. */
const homeSecrets = table.flatMap(({ from, home = [] }) => (from === "read" ? home : []));
const secretNames = new Set(homeSecrets.map((path) => fold(path).split("/", 1)[0]));

const systemSecrets = table.flatMap(({ system = [] }) => system);

function linkedSecrets(home: string): string[] {
	return linked.flatMap(({ from, links }) => (from === "read" ? links.targets(home) : []));
}

/** What is also in a project, because a link in the home directory leads there. */
export function linkedSecretBelow(directory: string, { home }: ProtectedLocations): string | undefined {
	const secret = linkedSecrets(home).find((path) => isWithin(path, directory) && isReadable(path));
	return secret === undefined ? undefined : `it contains ${secret}`;
}

/** A cheap check that never misses a protected file, for long lists of paths. */
export function mayBeSecret(path: string, { home, ownSecrets }: ProtectedLocations): boolean {
	if (linkedSecrets(home).some((target) => isSame(path, target))) return true;
	if (/^\/(?:proc|dev)\//.test(path) || ownSecrets.some((secret) => path.startsWith(secret))) return true;
	if (systemSecrets.some((secret) => path.startsWith(secret))) return true;
	if (userGitFiles(home).includes(path)) return true;
	const lower = fold(path);
	const own = fold(home);
	const around = lower.startsWith(`${own}/`) ? own : otherHome.exec(lower)?.[0];
	if (around === undefined) return false;
	const isNamed = secretNames.has(lower.slice(around.length + 1).split("/", 1)[0]);
	return isNamed || homesOf(path, home).some((each) => isBrowserData(path, each));
}

/** What is protected below a directory that is deleted or overwritten as a whole: in it, or in a project that it contains. */
export function protectedBelow(directory: string, roots: readonly string[]): string | undefined {
	const places = [directory, ...roots.filter((root) => isWithin(root, directory))];
	const names = new Set([".git", ".tau"]);
	const found = [...names].find((name) => places.some((place) => existsSync(join(place, name))));
	const below = found ?? nameBelow(directory, names);
	return below === undefined ? undefined : `it contains ${below}`;
}

/** The nearest entries first, and what packages have installed last: only of that, the rest is not looked for. */
function nameBelow(directory: string, names: ReadonlySet<string>): string | undefined {
	const [own, installed]: [string[], string[]] = [[], []];
	(basename(directory) === installedName ? installed : own).push(directory);
	let entries = 0;
	for (const pending of [own, installed])
		for (const at of pending)
			for (const entry of listing(at)) {
				const path = join(at, entry.name);
				if (names.has(entry.name)) return relative(directory, path);
				if (++entries > limits.deletedEntries)
					return pending === own ? "too many files to look for .git" : undefined;
				if (!entry.isDirectory()) continue;
				if (isUnreadable(entry.name)) return "a directory whose name is not text";
				(entry.name === installedName ? installed : pending).push(path);
			}
	return undefined;
}

const installedName = "node_modules";

/** Whether what is unpacked or copied there may follow a link out of these directories. */
export function leadsOutside(directory: string, roots: readonly string[], isDeep: boolean): boolean {
	return hasLink(directory, isDeep, (real) => !roots.some((root) => isWithin(real, root)));
}

/** Whether a search that follows links below a directory would read secrets. */
export function leadsToSecrets(directory: string, places: ProtectedLocations): boolean {
	return hasLink(
		directory,
		true,
		(real) => (secretsBelow(real, places) ?? protectionOf(real, "read", places)) !== undefined,
	);
}

/**
 * Looks for a link below the directory that leads to such a path, also behind other links; a tree that is too large to
 * look at may have one, and so may one with names that only bytes can tell.
 */
function hasLink(directory: string, isDeep: boolean, leads: (real: string) => boolean): boolean {
	const pending = [directory];
	const seen = new Set<string>();
	for (let entries = 0; pending.length > 0;) {
		for (const entry of listing(pending.pop() ?? "")) {
			const path = join(entry.parentPath, entry.name);
			if (++entries > limits.treeEntries) return true;
			if (isUnreadable(entry.name) && !entry.isFile()) return true;
			if (entry.isDirectory() && isDeep) pending.push(path);
			else if (entry.isSymbolicLink()) {
				const real = realPath(path);
				if (leads(real)) return true;
				if (isDeep && !seen.has(real)) pending.push(real);
				seen.add(real);
			}
		}
	}
	return false;
}

function listing(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		// A directory that is not there, or cannot be listed, has no links that could be followed.
		return [];
	}
}

const processDirectory = /^\/proc(?:\/(?:self|thread-self|\d+)(?:\/task(?:\/\d+)?)?)?$/;

/** What a search below this directory would read that is asked about: of a home directory, of processes, of the system. */
export function secretsBelow(
	directory: string,
	{ home, ownSecrets }: Pick<ProtectedLocations, "home" | "ownSecrets">,
): string | undefined {
	if (isWithin(home, directory) || homeDirectories.test(directory))
		return "your home directory, which contains credentials";
	if (processDirectory.test(directory)) return "the environment, memory or files of processes";
	const homes = homesOf(directory, home);
	const secret = [
		...systemSecrets,
		...ownSecrets,
		...linkedSecrets(home),
		...homes.flatMap((each) => homeSecrets.map((name) => join(each, name))),
		...homes.filter((each) => isWithin(directory, each)).flatMap(browserData),
		...userGitFiles(home).filter((path) => isWithin(path, directory) && holdsTokens(path, home)),
	].find((path) => isWithin(path, directory) && isReadable(path));
	return secret === undefined ? undefined : `it contains ${secret}`;
}

function isReadable(path: string): boolean {
	try {
		accessSync(path, constants.R_OK);
		return true;
	} catch {
		// It is not there, or the system protects it from this user.
		return false;
	}
}
