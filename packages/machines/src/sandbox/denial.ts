/** Recognizes in the output of a command what the sandbox has denied it. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { registryOf } from "./network/registries.ts";
import type { RefusedHost } from "./network/proxy.ts";
import { isBelow } from "./below.ts";
import { isInHiddenEntry } from "./hidden-names.ts";
import { allowed } from "./home-entries.ts";
import type { SandboxProfile } from "./profile.ts";

export interface Denial {
	/** For the model and the user: `/etc/hosts is read-only`. */
	readonly what: string;
	/** The host, path or service in short, for one line: `/etc/hosts`. */
	readonly subject?: string;
	/** The setting that would allow it, and what to add there. */
	readonly allow?: AllowedBy;
	/** The port of a service of this machine that the user may be asked about. */
	readonly localPort?: number;
	/** True if the sandbox has denied nothing, and the reason is another one. */
	readonly isOther?: boolean;
	/** Whether running the command outside may help: not if the user has just refused it. */
	readonly mayRunOutside: boolean;
}

/** A setting of the sandbox with the values that would have allowed something. */
export interface AllowedBy {
	readonly setting:
		"sandbox.network.allow" | "sandbox.network.local" | "sandbox.writable" | "sandbox.unixSockets";
	/** Empty for a switch. */
	readonly values: readonly string[];
}

/** `sandbox.writable: [/etc/hosts]`. */
export function allowText({ setting, values }: AllowedBy): string {
	return `${setting}: ${values.length === 0 ? "true" : `[${values.join(", ")}]`}`;
}

interface Ran {
	readonly output: string;
	readonly cwd: string;
	readonly refused: readonly RefusedHost[];
	/** True in Landlock: a write is refused as a missing permission, and there are no sockets at all. */
	readonly isLandlock?: boolean;
}

/** Denials that one message names; a program may print the same failure for thousands of files. */
const mostDenials = 5;
/** The part of the output that is searched, from its end: what made a command fail is rarely printed earlier. */
const searchedChars = 20_000;

export function findDenials(ran: Ran, profile: SandboxProfile): Denial[] {
	const lines = ran.output.slice(-searchedChars).split("\n");
	const found = [
		...ran.refused.map((host) => (host.isUnresolved === true ? unresolved(host) : refusedHost(host))),
		...pushDenial(lines, ran, profile),
		...lines.flatMap((line) => fileDenial(line, ran, profile) ?? []),
		...(ran.refused.length > 0 ? [] : lines.flatMap((line) => networkDenial(line, ran) ?? [])),
		...lines.flatMap((line) => callDenial(line, ran) ?? []),
	];
	return [...new Map(found.map((denial) => [denial.what, denial])).values()].slice(0, mostDenials);
}

/** The user has said yes: the model must not take it for a denial. */
function unresolved({ host, reason }: RefusedHost): Denial {
	return { what: `${host}: ${reason}`, subject: host, mayRunOutside: false, isOther: true };
}

const notPushed =
	/remote unpack failed: unable to create temporary object directory|insufficient permission for adding an object to repository database|\[remote rejected\] .*\(unpacker error\)/;

/** Git on the other side of a push says nothing about a read-only file system, and the path is in a line of its own. */
function pushDenial(lines: readonly string[], { cwd }: Ran, profile: SandboxProfile): Denial[] {
	if (!lines.some((line) => notPushed.test(line))) return [];
	const named = /^(?:To |error: failed to push some refs to '(?=.*'$))(?:file:\/\/)?(\S.*?)'?$/;
	const names = lines.flatMap((line) => named.exec(line)?.[1] ?? []);
	const paths = names
		.filter((name) => !/^[\w.@-]+:/.test(name))
		.map((name) => resolve(cwd, name.replace(/^~(?=\/|$)/, profile.home)))
		.filter((path) => isDenied(path, true, profile));
	return [...new Set(paths)].map(readOnlyPath);
}

function refusedHost({ host, port, reason }: RefusedHost): Denial {
	const registry = registryOf(host);
	const name = registry === undefined ? `${host}:${port}` : `${host} (the ${registry.name})`;
	const values = registry?.hosts ?? [port === 443 || port === 80 ? host : `${host}:${port}`];
	return {
		what: `the connection to ${name} was refused: ${reason}`,
		subject: host,
		allow: { setting: "sandbox.network.allow", values },
		mayRunOutside: false,
	};
}

const readOnly = /read-only file system|EROFS/i;
const inaccessible = /permission denied|EACCES/i;
const busy = /device or resource busy|EBUSY/i;

function fileDenial(
	line: string,
	{ cwd, isLandlock = false }: Ran,
	profile: SandboxProfile,
): Denial | undefined {
	const isReadOnly = readOnly.test(line);
	const isRefused = isReadOnly || (isLandlock && inaccessible.test(line));
	if (!isReadOnly && !inaccessible.test(line) && !busy.test(line)) return undefined;
	const path = pathsIn(line)
		.map((name) => resolve(cwd, name.replace(/^~(?=\/|$)/, profile.home)))
		.find((candidate) => isDenied(candidate, isRefused && (isLandlock || !isTemporary(candidate)), profile));
	if (path === undefined)
		return isReadOnly
			? { what: "it wrote to a read-only part of the file system", mayRunOutside: true }
			: undefined;
	const within = (list: readonly string[]): boolean =>
		list.some((above) => path === above || isBelow(path, above));
	if (within(profile.hidden)) return { what: `${path} is hidden`, subject: path, mayRunOutside: true };
	const home = profile.ownHome?.path;
	if (home !== undefined && isInHiddenEntry(path, home))
		return {
			what: `${path} is protected: it is in a hidden entry of your home directory, which is for your programs`,
			...allowed(nearestExisting(path), home),
			mayRunOutside: true,
		};
	if (within(profile.readOnly)) return { what: `${path} is protected`, subject: path, mayRunOutside: true };
	if (isLandlock && isTemporary(path))
		return { what: `${path} is not accessible: use $TMPDIR for temporary files`, mayRunOutside: true };
	if (isLandlock && home !== undefined && nearestExisting(path) === home)
		return {
			what: `${path} is read-only: without bubblewrap, commands make nothing new right in your home directory`,
			subject: path,
			mayRunOutside: true,
		};
	return readOnlyPath(path);
}

function readOnlyPath(path: string): Denial {
	const writable = nearestExisting(path);
	return {
		what: `${path} is read-only`,
		subject: path,
		// The root directory is never writable.
		...(writable === "/" ? {} : { allow: { setting: "sandbox.writable", values: [writable] } }),
		mayRunOutside: true,
	};
}

/** A file that would be created needs its directory: what does not exist cannot be made writable. */
function nearestExisting(path: string): string {
	let at = path;
	while (!existsSync(at)) at = dirname(at);
	return at;
}

function isDenied(path: string, isRefused: boolean, profile: SandboxProfile): boolean {
	const below = (list: readonly string[]): boolean =>
		list.some((above) => path === above || isBelow(path, above));
	if (below(profile.hidden) || below(profile.readOnly)) return true;
	return isRefused && !below(profile.writable);
}

function isTemporary(path: string): boolean {
	return isBelow(path, "/tmp") || isBelow(path, "/var/tmp");
}

/** Quoted words first, then words that contain a slash. */
function pathsIn(line: string): string[] {
	const quoted = [...line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)].map(([, path = ""]) => path);
	const words = line.split(/[\s:,()]+/).filter((word) => word.includes("/"));
	return [...quoted, ...words].filter((path) => path.length > 1 && !path.includes("://"));
}

const noNetwork =
	/network is unreachable|ENETUNREACH|could not resolve host|temporary failure in name resolution|EAI_AGAIN|name or service not known|getaddrinfo|no address associated|unable to resolve/i;

function networkDenial(line: string, { isLandlock = false }: Ran): Denial | undefined {
	if (line.startsWith("The sandbox has no ssh"))
		return { what: "SSH keys are hidden in the sandbox", subject: "ssh", mayRunOutside: true };
	if (!noNetwork.test(line)) return undefined;
	if (/^(?:ssh|scp|sftp): /.test(line))
		return { what: "SSH keys are hidden in the sandbox", subject: "ssh", mayRunOutside: true };
	if (isLandlock) return noSockets;
	return {
		what: "there is no network except through the proxy of http_proxy",
		subject: "network",
		mayRunOutside: true,
	};
}

/** Allowed hosts need a network of their own. */
const noSockets: Denial = {
	what: "there is no network and there are no sockets: this machine has no bubblewrap, which would allow hosts by name",
	subject: "network",
	mayRunOutside: true,
};

interface RefusedCall {
	readonly line: RegExp;
	readonly what: string;
	readonly subject: string;
	readonly allow?: AllowedBy;
}

const refusedCalls: readonly RefusedCall[] = [
	{
		line: /docker.*(?:permission denied|not permitted|cannot connect)|cannot connect to the docker daemon/i,
		what: "Docker is not reachable from the sandbox",
		subject: "Docker",
	},
	{
		line: /^sudo: .*no new privileges|^sudo: .*must be owned by uid 0|^su: .*(?:cannot set|authentication failure)/i,
		what: "a command cannot become another user (sudo, su)",
		subject: "sudo",
	},
	{
		line: /(?:listen|bind|socket|connecting to)\b.*(?:EPERM|operation not permitted)/i,
		what: "Unix sockets are refused",
		subject: "Unix sockets",
		allow: { setting: "sandbox.unixSockets", values: [] },
	},
	{ line: /ptrace.*operation not permitted/i, what: "tracing other processes is refused", subject: "ptrace" },
	{
		line: /(?:unshare|clone|No usable sandbox).*(?:not permitted|sandbox)/i,
		what: "new namespaces are refused (start browsers without their own sandbox)",
		subject: "namespaces",
	},
];

function callDenial(line: string, { isLandlock = false }: Ran): Denial | undefined {
	const found = refusedCalls.find((refused) => refused.line.test(line));
	if (!found) return undefined;
	const { line: _, ...denial } = found;
	if (isLandlock && denial.allow !== undefined) return noSockets;
	return { ...denial, mayRunOutside: true };
}
