/** The arguments of bubblewrap for a profile. */
import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { temporaryRoot } from "./private-directory.ts";
import { isBelow } from "./below.ts";
import { directoriesBetween, type SandboxProfile } from "./profile.ts";

/** Directories of this process that the sandbox uses, and where it sees them. */
export interface SandboxDirectories {
	/** Private directories for temporary files. */
	readonly temporary: string;
	readonly otherTemporary: string;
	/** What Tau writes for its shells, and what they write for Tau. */
	readonly orders: string;
	readonly states: string;
	/** An empty file that nobody can read. */
	readonly nothing: string;
}

/** Below a directory that is emptied in every sandbox. A mount of its own, which a command can neither move nor change. */
const channelInside = "/run/tau";
export const ordersInside = `${channelInside}/orders`;
export const statesInside = `${channelInside}/states`;

interface Mount {
	readonly path: string;
	/** Of two mounts at one path, the later rank is mounted last. */
	readonly rank: number;
	readonly args: readonly string[];
}

/** Builds the file system of the sandbox, as nested mounts: what is narrower is mounted later. */
export function fileSystemArgs(profile: SandboxProfile, own: SandboxDirectories): string[] {
	const mounts: Mount[] = [
		...profile.emptied.map((path) => ({ path, rank: 0, args: ["--tmpfs", path] })),
		{ path: "/tmp", rank: 0, args: ["--bind", own.temporary, "/tmp"] },
		{ path: "/var/tmp", rank: 0, args: ["--bind-try", own.otherTemporary, "/var/tmp"] },
		...profile.shown.map((path) => ({ path, rank: 0, args: ["--ro-bind-try", path, path] })),
		{ path: "/dev", rank: 0, args: ["--dev", "/dev"] },
		{ path: "/proc", rank: 0, args: ["--proc", "/proc"] },
		{ path: channelInside, rank: 0, args: ["--tmpfs", channelInside] },
		{ path: ordersInside, rank: 0, args: ["--ro-bind", own.orders, ordersInside] },
		{ path: statesInside, rank: 0, args: ["--bind", own.states, statesInside] },
		...profile.writable.map((path) => ({ path, rank: 1, args: ["--bind", path, path] })),
		...(profile.cacheDir === undefined ? [] : [cacheMount(profile.cacheDir)]),
		...[...profile.readOnly, ...profile.hidden]
			.flatMap((path) => directoriesBetween(profile, path))
			.map((path) => ({ path, rank: 1, args: ["--bind", path, path] })),
		// Programs of the user may remove a file of theirs at any time.
		...profile.readOnly.map((path) => ({ path, rank: 2, args: ["--ro-bind-try", path, path] })),
		...ownRoots(profile, own).map((path) => ({ path, rank: 5, args: ["--perms", "0000", "--tmpfs", path] })),
		...reachableHidden(profile).map((path) => ({ path, rank: 3, args: hideArgs(profile, own, path) })),
	];
	// A mount that is not visible in the end would only hide the one above.
	const seen = new Map<string, Mount>();
	for (const mount of mounts.toSorted((one, other) => one.rank - other.rank)) seen.set(mount.path, mount);
	const ordered = [...seen.values()].toSorted((one, other) => depth(one.path) - depth(other.path));
	// The root itself and the channel were writable until all directories for mounts existed.
	const final = ["--remount-ro", channelInside, "--remount-ro", "/"];
	return [...rootArgs(), ...ordered.flatMap(({ args }) => args), ...final];
}

/** Where TMPDIR is visible inside, perhaps as a part of the project, a command must not replace the filter there. */
function ownRoots({ shown }: SandboxProfile, { orders, temporary }: SandboxDirectories): string[] {
	const isPrivate = (path: string): boolean =>
		temporaryRoot(path) !== undefined && !shown.some((above) => isBelow(path, above));
	return [dirname(orders), dirname(temporary)].filter((path) => !isPrivate(path));
}

/** Directories of the root that the sandbox has itself, or has no use for. */
const ownDirectories = new Set(["proc", "dev", "sys", "run", "tmp", "boot", "lost+found"]);
/** The parts of /sys that describe the machine; others control it. */
const systemParts = ["block", "bus", "class", "dev", "devices"];

/** Entry by entry: each mount below the root would be copied for every command. */
function rootArgs(): string[] {
	return rootEntries().flatMap((path) =>
		lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
			? ["--symlink", readlinkSync(path), path]
			: ["--ro-bind-try", path, path],
	);
}

/** What the root contains for every sandbox; some are links, and some may not exist. */
export function rootEntries(): string[] {
	const names = readdirSync("/").filter((name) => !ownDirectories.has(name));
	return [...names.map((name) => `/${name}`), ...systemParts.map((name) => `/sys/${name}`)];
}

function cacheMount(path: string): Mount {
	return { path, rank: 4, args: ["--bind", path, path] };
}

/** In a directory that is hidden as a whole, or that another user has closed, there is nothing left to hide, and nowhere to mount it. */
function reachableHidden(profile: SandboxProfile): string[] {
	const shown = [...shownPaths(profile), ...profile.readOnly];
	const isCovered = (path: string): boolean =>
		profile.hidden.some(
			(above) =>
				isBelow(path, above) &&
				!shown.some((between) => isBelow(between, above) && (between === path || isBelow(path, between))),
		);
	const isClosed = process.getuid?.() === 0 ? closedToRoot() : () => false;
	return profile.hidden.filter((path) => !isCovered(path) && !isClosed(path));
}

/**
 * Root itself may enter directories of others that it may not enter inside, where it has no rights over what is theirs.
 * Many paths have the same directories above them: each is looked at once.
 */
function closedToRoot(): (path: string) => boolean {
	const groups = new Set(process.getgroups?.());
	const known = new Map<string, boolean>([["/", false]]);
	const isEntered = (directory: string): boolean => {
		const { uid, gid, mode } = statSync(directory);
		// What is root's own stays hidden, whoever may enter.
		return uid === 0 || (mode & (groups.has(gid) ? 0o010 : 0o001)) !== 0;
	};
	const isClosed = (path: string): boolean => {
		const before = known.get(path);
		if (before !== undefined) return before;
		const above = dirname(path);
		const isIt = !isEntered(above) || isClosed(above);
		known.set(path, isIt);
		return isIt;
	};
	return isClosed;
}

function shownPaths({ writable, cacheDir }: SandboxProfile): string[] {
	return [...writable, ...(cacheDir === undefined ? [] : [cacheDir])];
}

function hideArgs(profile: SandboxProfile, own: SandboxDirectories, path: string): string[] {
	if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
		return ["--ro-bind", own.nothing, path];
	// What is shown below must be reachable.
	if (shownPaths(profile).some((shown) => isBelow(shown, path))) return ["--perms", "0711", "--tmpfs", path];
	return ["--perms", "0000", "--tmpfs", path, "--remount-ro", path];
}

function depth(path: string): number {
	return path === "/" ? 0 : path.split("/").length;
}
