/** Resolves links before a path is judged, also for a file that does not exist yet. */
import { readlinkSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";

/** Links that are followed one after the other, as the kernel limits them. */
const mostLinks = 40;

/** The path without links: that of its nearest existing parent for what does not exist, where a dangling link points to. */
export function realPath(path: string): string {
	const real = resolved(path);
	// What is there cannot be looked at: it is judged as everything.
	if (isUnreadable(real)) return "/";
	return real !== path && passesProcess(path) ? ofProcess : real;
}

/** Bun puts U+FFFD in the place of bytes that are no UTF-8: with such a name it finds another file, or none. */
export function isUnreadable(name: string): boolean {
	return name.includes("\ufffd");
}

/** Whether a link on the way leads to such a name. */
export function leadsToUnreadable(path: string): boolean {
	return isUnreadable(resolved(path));
}

function resolved(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		// It does not exist, or may not be looked at: link by link, as far as there are any.
		return followed(path);
	}
}

/** As the system would resolve it if what does not exist were directories: `..` of a target is behind what its words lead to. */
function followed(path: string): string {
	let at = "/";
	let links = 0;
	const rest = path.split("/").toReversed();
	for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
		const next = join(at, name);
		const target = links < mostLinks ? linkTarget(next) : undefined;
		if (isUnreadable(target ?? "")) return `/${target}`;
		if (target === undefined) at = next;
		else {
			links++;
			if (target.startsWith("/")) at = "/";
			rest.push(...target.split("/").toReversed());
		}
	}
	return at;
}

/** Stands for what only the process that opens it knows. */
const ofProcess = "/proc/self/root";

/** Whether the way to it leads through the directories or descriptors of a process, which for a command are not Tau's. */
export function passesProcess(path: string): boolean {
	// What they are is given with the command.
	if (/^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/.test(path)) return false;
	let at = "/";
	let links = 0;
	const rest = path.split("/").toReversed();
	for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
		const next = join(at, name);
		if (/^\/proc\/[\w-]+(?:\/task\/\d+)?\/(?:cwd|root|fd)$/.test(next)) return true;
		const target = linkTarget(next);
		if (target === undefined) at = next;
		else {
			if (++links > mostLinks) return true;
			if (target.startsWith("/")) at = "/";
			rest.push(...target.split("/").toReversed());
		}
	}
	return false;
}

/** Whether it has `..` behind a name: where that is a link, the system goes elsewhere than the words say. */
export function climbs(path: string): boolean {
	return /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/s.test(path);
}

export function isLink(path = ""): boolean {
	return linkTarget(path) !== undefined;
}

/** Writing through a dangling link creates the file that it names. */
function linkTarget(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

/** An empty part, `.` or `..`. */
const uneven = /\/\.{0,2}(?:\/|$)/;

function isPlain(path: string): boolean {
	return path.startsWith("/") && !uneven.test(path);
}

export function isWithin(path: string, root: string): boolean {
	// A judgment compares a path with dozens of others: `relative` takes ten times as long.
	if (isPlain(path) && isPlain(root))
		return path.startsWith(root) && (path.length === root.length || path[root.length] === "/");
	const from = relative(root, path);
	return from === "" || (from !== ".." && !from.startsWith("../") && !isAbsolute(from));
}
