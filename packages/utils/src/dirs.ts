/** Computes where Tau's own files are, from the environment and the home directory alone. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";

import type { Env } from "./env.ts";
import { UsageError } from "./usage-error.ts";
import { errorCode } from "./values.ts";

export interface Dirs {
	readonly home: string;
	/** The config root, `~/.tau`. */
	readonly config: string;
	/** The user's files and the agent's configuration, `~/.tau/agent`. */
	readonly agent: string;
	/** The settings and credentials of the profile in use (`TAU_PROFILE`, `--profile`); undefined without one. */
	readonly profile: string | undefined;
	/** The user's sessions, blobs and artifacts: the agent directory, unless XDG says otherwise. */
	readonly data: string;
	readonly sessions: string;
	/** Files that may be deleted at any time. */
	readonly cache: string;
	/** Files that outlive a run and matter to this machine only. */
	readonly state: string;
	/** The isolated trees of agents: work that is not merged yet. */
	readonly trees: string;
	readonly logs: string;
}

/**
 * `TAU_CONFIG_DIR` (a name under home, or an absolute path) and `TAU_CODING_AGENT_DIR` (the whole agent path)
 * win over everything. Otherwise an XDG variable that is set moves its share: XDG_CONFIG_HOME config and agent,
 * XDG_DATA_HOME sessions, XDG_CACHE_HOME cache, XDG_STATE_HOME state and logs.
 */
export function dirs(from: Env = process.env, home: string = homeOf(from)): Dirs {
	const classic = join(home, ".tau");
	// The alias rule does not apply: the PI_ and OMP_ variables name the directories of other programs, which Tau
	// never writes to.
	const named = from.TAU_CONFIG_DIR || undefined;
	const root = named === undefined ? undefined : resolve(home, expandHome(named, home));
	const xdg = (variable: string) => (root === undefined ? xdgDir(from[variable], classic) : undefined);

	const config = root ?? xdg("XDG_CONFIG_HOME") ?? classic;
	const ownAgent = from.TAU_CODING_AGENT_DIR || undefined;
	const agent = ownAgent === undefined ? join(config, "agent") : resolve(expandHome(ownAgent, home));
	// Users override the agent directory to keep two setups apart, so their sessions must not mix.
	const data = ownAgent === undefined ? (xdg("XDG_DATA_HOME") ?? agent) : agent;
	const state = xdg("XDG_STATE_HOME");
	return {
		home,
		config,
		agent,
		profile: from.TAU_PROFILE ? join(agent, "profiles", profileName(from.TAU_PROFILE)) : undefined,
		data,
		sessions: join(data, "sessions"),
		cache: xdg("XDG_CACHE_HOME") ?? join(config, "cache"),
		state: state ?? join(config, "state"),
		trees: join(state ?? join(config, "state"), "trees"),
		logs: join(state ?? config, "logs"),
	};
}

/** HOME, or what the system knows of the user. A user of a container may have neither. */
export function homeOf(from: Env = process.env): string {
	const home = from.HOME || systemHome();
	if (home === undefined)
		throw new UsageError("HOME is not set. Set it to a directory that you can write to.");
	if (!isAbsolute(home))
		throw new UsageError(
			`HOME is not an absolute path: ${home}. Set it to a directory that you can write to.`,
		);
	return home;
}

function systemHome(): string | undefined {
	try {
		return homedir() || undefined;
	} catch {
		// The user has no entry in the password file.
		return undefined;
	}
}

/** Nobody can read settings, rules or trust there: what a file, or a directory of another user's, would allow is unknown. */
export function checkHome(from: Env = process.env): void {
	const home = homeOf(from);
	const help = "Set HOME to a directory that you can write to.";
	if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false)
		throw new UsageError(`HOME is not a directory: ${home}. ${help}`);
	if (isClosed(home)) throw new UsageError(`You have no access to HOME, ${home}. ${help}`);
	// `sudo tau` leaves them behind where it keeps the HOME of who calls it.
	const { config, agent } = dirs(from, home);
	const closed = [config, agent].find(isClosed);
	if (closed !== undefined) throw new UsageError(`You have no access to ${closed}. ${directoryFix(closed)}`);
}

function isClosed(directory: string): boolean {
	try {
		accessSync(directory, constants.X_OK);
		return false;
	} catch (error) {
		return errorCode(error) === "EACCES";
	}
}

/** How the user gets a directory of Tau's that cannot be used. */
export function directoryFix(directory: string): string {
	const user = process.getuid?.();
	if (ownerOf(directory) === user) return `Run: chmod u+rwx ${directory}`;
	return `As root, run: chown -R ${user} ${directory}; or set TAU_CONFIG_DIR to a directory that you can write to.`;
}

/** Of the directory, or of the one above it that keeps it from being looked at. */
function ownerOf(directory: string): number | undefined {
	try {
		return statSync(directory).uid;
	} catch {
		const above = dirname(directory);
		return above === directory ? undefined : ownerOf(above);
	}
}

/** A name, not a path: a profile cannot be outside its directory. */
function profileName(name: string): string {
	return name.replaceAll(/[^\w.-]/g, "_").replace(/^\.+/, "_");
}

/** Turns a leading `~` into the home directory; `~user` is left alone. */
export function expandHome(path: string, home?: string): string {
	if (path === "~") return home ?? homeOf();
	return path.startsWith("~/") || path.startsWith(`~${sep}`) ? join(home ?? homeOf(), path.slice(2)) : path;
}

/** The reverse of `expandHome`, for display. */
export function shortenHome(path: string, home: string = process.env.HOME || (systemHome() ?? "")): string {
	// `~` is not used if the home is the root directory or unknown.
	if (home === "" || home === sep) return path;
	if (path === home) return "~";
	const inside = home.endsWith(sep) ? home : home + sep;
	return path.startsWith(inside) ? `~${sep}${path.slice(inside.length)}` : path;
}

/**
 * A fresh install follows the variable. But a user who already has `~/.tau` and sets XDG later must not lose settings
 * and sessions: then `$XDG/tau` is used only once it exists.
 */
function xdgDir(base: string | undefined, classic: string): string | undefined {
	// The XDG specification says that relative values are to be ignored.
	if (!base || !isAbsolute(base)) return undefined;
	const own = join(base, "tau");
	return isDirectory(own) || !isDirectory(classic) ? own : undefined;
}

function isDirectory(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch {
		// An unreadable path, or one below a file, counts as absent here.
		return false;
	}
}
