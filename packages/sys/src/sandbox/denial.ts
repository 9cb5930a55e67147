/** Recognizes in the output of a command what the sandbox has denied it. */
import { resolve } from "node:path";

import { registryOf } from "./network/registries.ts";
import type { RefusedHost } from "./network/proxy.ts";
import { isBelow, type SandboxProfile } from "./profile.ts";

export interface Denial {
	/** For the model and the user: `/etc/hosts is read-only`. */
	readonly what: string;
	/** What would allow it. */
	readonly help?: string;
	/** Whether running the command outside may help: not if the user has just refused it. */
	readonly mayRunOutside: boolean;
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
		...ran.refused.map(refusedHost),
		...lines.flatMap((line) => fileDenial(line, ran, profile) ?? []),
		...(ran.refused.length > 0 ? [] : lines.flatMap((line) => networkDenial(line, ran) ?? [])),
		...lines.flatMap((line) => callDenial(line, ran) ?? []),
	];
	return [...new Map(found.map((denial) => [denial.what, denial])).values()].slice(0, mostDenials);
}

function refusedHost({ host, port, reason }: RefusedHost): Denial {
	const registry = registryOf(host);
	const name = registry === undefined ? `${host}:${port}` : `${host} (the ${registry.name})`;
	const hosts = (registry?.hosts ?? [port === 443 || port === 80 ? host : `${host}:${port}`]).join(", ");
	return {
		what: `the connection to ${name} was refused: ${reason}`,
		help: `sandbox.network.allow: [${hosts}]`,
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
	if (within(profile.hidden)) return { what: `${path} is hidden`, mayRunOutside: true };
	if (within(profile.readOnly)) return { what: `${path} is protected`, mayRunOutside: true };
	if (isLandlock && isTemporary(path))
		return { what: `${path} is not accessible: use $TMPDIR for temporary files`, mayRunOutside: true };
	return { what: `${path} is read-only`, help: `sandbox.writable: [${path}]`, mayRunOutside: true };
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
		return { what: "git over ssh is not possible inside", mayRunOutside: true };
	if (!noNetwork.test(line)) return undefined;
	if (/^(?:ssh|scp|sftp): /.test(line))
		return { what: "ssh is not possible inside: keys are hidden", mayRunOutside: true };
	if (isLandlock) return noSockets;
	return { what: "there is no network except through the proxy of http_proxy", mayRunOutside: true };
}

/** Allowed hosts need a network of their own. */
const noSockets: Denial = {
	what: "there is no network and there are no sockets: this machine has no bubblewrap, which would allow hosts by name",
	mayRunOutside: true,
};

const refusedCalls: readonly { readonly line: RegExp; readonly what: string; readonly help?: string }[] = [
	{
		line: /docker.*(?:permission denied|not permitted|cannot connect)|cannot connect to the docker daemon/i,
		what: "the Docker daemon cannot be reached from inside",
	},
	{
		line: /^sudo: .*no new privileges|^sudo: .*must be owned by uid 0|^su: .*(?:cannot set|authentication failure)/i,
		what: "a command cannot become another user (sudo, su)",
	},
	{
		line: /(?:listen|bind|socket|connecting to)\b.*(?:EPERM|operation not permitted)/i,
		what: "Unix sockets are refused",
		help: "sandbox.unixSockets: true",
	},
	{ line: /ptrace.*operation not permitted/i, what: "tracing other processes is refused" },
	{
		line: /(?:unshare|clone|No usable sandbox).*(?:not permitted|sandbox)/i,
		what: "new namespaces are refused (start browsers without their own sandbox)",
	},
];

function callDenial(line: string, { isLandlock = false }: Ran): Denial | undefined {
	const found = refusedCalls.find((refused) => refused.line.test(line));
	if (!found) return undefined;
	const { what, help } = found;
	if (isLandlock && help !== undefined) return noSockets;
	return { what, mayRunOutside: true, ...(help === undefined ? {} : { help }) };
}
