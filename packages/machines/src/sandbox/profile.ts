/** What a sandboxed command can see, write and reach. */
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { log } from "@tau/utils";

import { directoriesAbove, isBelow, isCovered } from "./below.ts";
import { browserData } from "./browser-data.ts";
import { direnvScripts, direnvTrust, type DirenvTrust } from "./direnv-trust.ts";
import { furtherSettings, gitPaths, repositoriesBelow } from "./git-paths.ts";
import { gitUser, type GitUser } from "./git-user.ts";
import { homeEntries, type OwnHome } from "./home-entries.ts";
import { statsOf } from "./stats-of.ts";
import { temporaryEntry } from "./private-directory.ts";
import { miseEnvFiles, miseSettings, userMiseSettings } from "./mise-files.ts";
import { allPromptFiles, type PromptScope } from "./prompt-files.ts";
import { LinksOnWay } from "./protected-links.ts";
import {
	agentSettings,
	editorSettings,
	promptSettings,
	repositorySettings,
	startupFiles,
	systemSettings,
} from "./runs-later.ts";
import { otherHomes, secrets, serviceDirectories } from "./secrets.ts";

/** Where two of its paths are nested, the narrower one decides. Paths are absolute and without links. */
export interface SandboxProfile {
	/** The project. */
	readonly cwd: string;
	/** The home directory: `~` in settings and messages. */
	readonly home: string;
	/** Where git reads the user's settings. */
	readonly gitUser: GitUser;
	readonly writable: readonly string[];
	/** Entries of the shared directories for temporary files that are visible: those with the project and programs of Tau. */
	readonly shown: readonly string[];
	/** Protected even inside of what is writable. */
	readonly readOnly: readonly string[];
	/** Symbolic links on the way to what is protected: nothing can be mounted over those. */
	readonly links: readonly string[];
	/** Start-up files and settings of git that do not exist, where a command could create them. */
	readonly unwanted: readonly string[];
	/** Directories for hooks that git's settings name and that do not exist: what a command puts there is disabled. */
	readonly unwantedHooks: readonly string[];
	/** The home directory, if commands can write to it: they make no hidden entries there. */
	readonly ownHome?: OwnHome;
	/** Where direnv runs each `.envrc` of the project. */
	readonly direnv?: DirenvTrust;
	/** Files of the user with settings of mise. They may not exist. */
	readonly miseSettings?: readonly string[];
	/** Files that mise reads in each directory. */
	readonly envFiles?: readonly string[];
	/** What direnv reads of the user before each. */
	readonly direnvScripts: readonly string[];
	/** Not even readable. */
	readonly hidden: readonly string[];
	/** Hidden, but the directory itself stays usable: sockets of services are below. */
	readonly emptied: readonly string[];
	readonly network: SandboxNetwork;
	/** Whether commands may create Unix sockets. */
	readonly unixSockets: boolean;
	/** Where package managers and compilers keep their caches inside: outside, nothing is run from there. */
	readonly cacheDir?: string;
	/** True if the directory for caches cannot be written: then they are temporary files. */
	readonly hasTemporaryCache?: boolean;
	/**
	 * What was wished for, as a text: another session with the same one contains its commands alike. Rules for the
	 * network are those of each session, whose user is asked; that there are some is all that is compared.
	 */
	readonly boundary?: string;
}

export type SandboxNetwork = "off" | "open" | NetworkRules;

export interface NetworkRules {
	/** Decides about a connection; the command waits meanwhile. */
	allow(host: string, port: number): boolean | Promise<boolean>;
	/** Whether the host may be one of the local network: only if the user has named it. */
	allowsLocal?(host: string, port: number): boolean;
	/** Ports of this machine's loopback that are reachable from the start. */
	localPorts?(): Promise<readonly number[]>;
	/** Decides about each address of a host, this machine's included, instead of `allowsLocal`. */
	allowsAddress?(target: { host: string; port: number; address: string }): boolean | Promise<boolean>;
}

export interface ProfileOptions {
	readonly cwd: string;
	readonly home: string;
	/** Further writable paths: added directories, and those of the settings. */
	readonly writable?: readonly string[];
	readonly hidden?: readonly string[];
	/** The directories of PATH: those in a home directory that is writable are protected. */
	readonly searchPath?: readonly string[];
	/** Settings of the user that variables name: protected where they are in the project. */
	readonly settings?: readonly string[];
	/** Where git reads the user's settings; without variables, if it is not given. */
	readonly gitUser?: GitUser;
	/** What mise reads in each directory, as a variable says. */
	readonly envFile?: string | undefined;
	/** Protected inside the project: Tau's own settings. */
	readonly protected?: readonly string[];
	readonly network?: SandboxNetwork;
	readonly unixSockets?: boolean;
	readonly cacheDir?: string;
	/** Programs that run inside wherever they are; by default Tau's own. */
	readonly programs?: readonly string[];
	/** Nothing but the temporary directory can be written: for planning. */
	readonly isReadOnly?: boolean;
}

/** Configuration of Tau and its peers that runs code: Tau reads all of it. */
const agentConfiguration = [".tau", ".pi", ".omp", ".claude", ".codex", ".gemini", ".opencode"];
/** Below these directories nothing is visible but what is listed here: NixOS keeps its programs there. */
const keptServices = ["/run/current-system", "/run/opengl-driver", "/run/booted-system"];

export async function projectProfile(options: ProfileOptions): Promise<SandboxProfile> {
	const { home, gitUser: user = gitUser(real(home)) } = options;
	const cwd = real(options.cwd);
	const inHome = (path: string): string => resolve(home, path.replace(/^~(?=\/|$)/, home));
	const git = await gitPaths(cwd, user);
	// The root directory is no project: everything would be writable, and the kernel's files with it.
	const named = [cwd, ...(options.writable ?? []).map(inHome).filter(existsSync).map(real)];
	const writable = options.isReadOnly
		? []
		: [...named, ...git.writable.map(real)].filter((path) => path !== "/");
	const explicit = new Set(writable);
	const hidden = hiddenPaths(options, inHome).filter((path) => path !== cwd && !explicit.has(path));
	const programNames = [...agentSettings, ...editorSettings, ...promptSettings, ...repositorySettings];
	const ofHome = homeEntries({ ...userPaths(options, inHome), writable });
	const ofUser = protectedSettings(options, explicit);
	// Where they do not exist yet, a command must not make them either.
	const roots = distinct([cwd, ...writable]);
	const direnv = direnvOf(options);
	const { ofPrompt, ...mise } = promptsOf({ ...options, cwd }, roots, { home, writable, ...direnv });
	const ofPrograms = [...roots.flatMap((path) => programNames.map((name) => join(path, name))), ...ofPrompt];
	const likely = new Set([
		...roots.flatMap((path) => likelyIn(path, [...agentConfiguration, ...programNames])),
		...ofPrompt,
	]);
	const unlikely = new Set(ofPrograms).difference(likely);
	const below = distinct(writable).map((path) => repositoriesBelow(path, user));
	const ofGit = [...git.readOnly, ...below.flatMap(({ readOnly }) => readOnly)];
	const inside = [
		...ofGit,
		...likely,
		// A new `.envrc` is looked at when a command has ended.
		...roots.flatMap((path) => [".envrc", ...(options.protected ?? [])].map((name) => resolve(path, name))),
		...likelyIn(home, startupFiles),
		...(ofHome?.readOnly ?? []),
		...ofUser,
	];
	// A link that a command has made must not show what is hidden.
	const isReachable = (path: string): boolean =>
		writable.some((above) => path === above || isBelow(path, above)) &&
		!hidden.some((above) => path === above || isBelow(path, above));
	const existing = inside.filter(existsSync).filter(isNoWay(ofGit));
	const readOnly = [...existing.map(real).filter(isReachable), ...keptServices];
	return {
		cwd,
		home,
		gitUser: user,
		writable: distinct(writable),
		shown: shownEntries([
			...named,
			...git.writable.map(real),
			...(options.programs ?? ownPrograms()).map(real),
		]),
		readOnly: withoutInner(distinct(readOnly.filter(existsSync)), writable),
		...(ofHome === undefined ? {} : { ownHome: ofHome.home }),
		...direnv,
		...mise,
		...byName(new LinksOnWay(distinct(writable)), isReachable, {
			// In this order: a home that is not the user's may not be looked into.
			links: [...inside, ...(ofHome?.links ?? [])],
			unlikely,
			unwanted: [
				...startupFiles.map(inHome),
				...ofUser,
				...(ofHome?.unwanted ?? []),
				...ofPrograms,
				...git.absent.settings,
				...below.flatMap(({ absent }) => absent.settings),
				// Commands may have such settings in their own repository, which are looked at.
				...furtherSettings(readOnly).filter((path) => !explicit.has(dirname(path))),
			],
			unwantedHooks: [...git.absent.hooks, ...below.flatMap(({ absent }) => absent.hooks)],
		}),
		hidden: distinct(hidden),
		emptied: distinct(serviceDirectories.filter(existsSync).map(real)),
		network: options.network ?? "off",
		unixSockets: options.unixSockets ?? false,
		...(options.cacheDir === undefined ? {} : cacheOf(options.cacheDir)),
		boundary: JSON.stringify({ ...options, cwd }),
	};
}

/** A project that is such a directory is what the user works on: in it, only what starts by itself is protected. */
function protectedSettings(options: ProfileOptions, explicit: ReadonlySet<string>): string[] {
	return userSettings(options).flatMap((path) => (explicit.has(real(path)) ? startupIn(path) : [path]));
}

type ByName = Pick<SandboxProfile, "links" | "unwanted" | "unwantedHooks">;

/** What no mount protects. `unlikely` is in directories that are not there: no link leads to it. */
function byName(
	ways: LinksOnWay,
	isReachable: (path: string) => boolean,
	{ unlikely, ...paths }: ByName & { readonly unlikely: ReadonlySet<string> },
): ByName {
	const withoutLinks = (path: string): string[] => {
		const target = unlikely.has(path) ? path : ways.to(path).path;
		return target === path || isReachable(target) ? [target] : [];
	};
	const named = [...paths.links, ...paths.unwantedHooks, ...paths.unwanted].filter(
		(path) => !unlikely.has(path) && isReachable(path),
	);
	return {
		links: distinct(named.flatMap((path) => ways.to(path).links)).filter(isReachable),
		unwanted: paths.unwanted
			// A new one with plain versions stays.
			.filter((path) => basename(path) !== ".tool-versions")
			.filter((path) => isReachable(path) && (unlikely.has(path) || !existsSync(path)))
			.flatMap(withoutLinks),
		unwantedHooks: paths.unwantedHooks.filter(isReachable).flatMap(withoutLinks),
	};
}

/** What the home directory is judged by. */
function userPaths(
	{ home, writable = [], searchPath = [] }: ProfileOptions,
	inHome: (path: string) => string,
) {
	return {
		home: real(home),
		named: writable.map((path) => real(inHome(path))),
		searchPath: searchPath.filter((path) => path.startsWith("/")),
	};
}

function direnvOf({ home, settings }: ProfileOptions): Pick<SandboxProfile, "direnv" | "direnvScripts"> {
	const direnv = direnvTrust(home, settings);
	return { ...(direnv === undefined ? {} : { direnv }), direnvScripts: direnvScripts(home, settings) };
}

/** Settings above a project hold in it, too. */
function promptsOf(
	{ cwd, home, settings, envFile }: ProfileOptions,
	roots: readonly string[],
	scope: PromptScope,
) {
	const userFiles = userMiseSettings(home, settings);
	const directories = [...roots, ...directoriesAbove(cwd)];
	const named = miseEnvFiles([...userFiles, ...directories.flatMap(miseSettings)]);
	const envFiles = [...new Set([...(envFile === undefined ? [] : [envFile]), ...named])];
	const ofPrompt = [
		...allPromptFiles(directories, { ...scope, miseSettings: userFiles }),
		...directories.flatMap((path) => envFiles.map((name) => resolve(path, name))),
	];
	return { ofPrompt, miseSettings: userFiles, envFiles };
}

function userSettings({ settings = [] }: ProfileOptions): string[] {
	return [...settings, ...systemSettings].filter((path) => path.startsWith("/"));
}

/** A link on the way to another path is protected by its name: what it leads to may be all of the project. */
function isNoWay(paths: readonly string[]): (path: string) => boolean {
	const links = paths.filter((path) => basename(path) !== ".git" && statsOf(path)?.isSymbolicLink());
	const onWay = new Set(links.filter((link) => paths.some((path) => isBelow(path, real(link)))));
	return (path) => !onWay.has(path);
}

/** What starts by itself in a directory of settings that is writable as a whole: what would in `~/.config`, say, in its place. */
function startupIn(directory: string): string[] {
	const names = startupFiles.flatMap(
		(name) => /^(?:\.config\/|\.local\/share\/|(?=\.z))(.+)/.exec(name)?.[1] ?? [],
	);
	return names.map((name) => join(directory, name));
}

function hiddenPaths({ home, hidden = [] }: ProfileOptions, inHome: (path: string) => string): string[] {
	const secretNames = secrets.flatMap(({ home: names = [] }) => names);
	const all = [
		...[home, ...otherHomes(home)].flatMap((each) => [...likelyIn(each, secretNames), ...browserData(each)]),
		...secrets.flatMap(({ system = [] }) => system),
		...hidden.map(inHome),
	];
	return all.filter(existsSync).map(real);
}

/**
 * Without names that a home cannot have: one list of its entries instead of a look at each of 130 names, of which hardly any
 * exists. A home that cannot be listed may have all of them.
 */
function likelyIn(home: string, names: readonly string[]): string[] {
	const entries = lowerEntries(home);
	// Some file systems do not tell small letters from capitals.
	const isLikely = (name: string): boolean => {
		const [first = ""] = name.toLowerCase().split("/", 1);
		return entries === undefined || entries.has(first);
	};
	return names.filter(isLikely).map((name) => join(home, name));
}

function lowerEntries(directory: string): ReadonlySet<string> | undefined {
	try {
		return new Set(readdirSync(directory).map((name) => name.toLowerCase()));
	} catch {
		return undefined;
	}
}

/** What lies beside the project, and above it, is what it is for every other program. */
function shownEntries(paths: readonly string[]): string[] {
	return distinct(paths.flatMap((path) => temporaryEntry(path) ?? []));
}

/** Programs of Tau that run inside: its own executable, and what it has in files where it runs from sources. */
function ownPrograms(): string[] {
	return [process.execPath, ...(Bun.isStandaloneExecutable ? [] : [import.meta.dir])];
}

/** A home that is read-only, full or not the user's must not keep commands from running. */
function cacheOf(path: string): Pick<SandboxProfile, "cacheDir" | "hasTemporaryCache"> {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		accessSync(path, constants.W_OK | constants.X_OK);
		return { cacheDir: path };
	} catch (error) {
		log.debug("caches of commands are temporary", { path, reason: String(error) });
		return { hasTemporaryCache: true };
	}
}

/** The directories between a writable path and a protected one below it: each could be moved away otherwise. */
export function directoriesBetween(profile: SandboxProfile, path: string): string[] {
	const root = profile.writable.filter((above) => isBelow(path, above)).toSorted(byLength)[0];
	if (root === undefined) return [];
	const between: string[] = [];
	for (let at = dirname(path); isBelow(at, root); at = dirname(at)) between.unshift(at);
	return between.filter((at) => !isCovered(at, profile.readOnly, profile.writable));
}

/** Without what a protected directory contains: each mount would be copied for every command. */
function withoutInner(paths: readonly string[], writable: readonly string[]): string[] {
	return paths.filter((path) => !isCovered(path, paths, writable));
}

function byLength(one: string, other: string): number {
	return one.length - other.length;
}

function distinct(paths: readonly string[]): string[] {
	return [...new Set(paths)];
}

function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// It was deleted meanwhile.
		return join(path);
	}
}
