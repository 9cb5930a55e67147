/** The hosts that the user has configured: in ssh.json, and in the configuration of OpenSSH. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

import { errorCode, expandHome, log } from "@tau/utils";

import { isHostName, type SshDestination } from "./destination.ts";
import { limits } from "./limits.ts";

export interface HostSources {
	/** Files in the form of ssh.json, the most important first. */
	files: readonly string[];
	/** OpenSSH's own configuration. */
	config: string;
	home: string;
}

export interface ConfiguredHosts {
	/** By name; the first file that names a host wins. */
	readonly hosts: readonly SshDestination[];
	/** What is wrong with which file, for the user. */
	readonly problems: readonly string[];
}

export function configuredHosts({ files, config, home }: HostSources): ConfiguredHosts {
	const problems: string[] = [];
	const hosts = new Map<string, SshDestination>();
	const add = (host: SshDestination): void => {
		if (hosts.size < limits.hosts && !hosts.has(host.name)) hosts.set(host.name, host);
	};
	for (const path of files) for (const host of readHostFile(path, problems)) add(host);
	for (const name of configNames(config, home, 0)) add({ name, host: name, source: config });
	return { hosts: [...hosts.values()], problems };
}

function readHostFile(path: string, problems: string[]): SshDestination[] {
	const content = readSmall(path);
	if (content === undefined) return [];
	const entries = hostsIn(content);
	if (!entries) {
		problems.push(`${path}: expected { "hosts": { "name": { "host": "…" } } }.`);
		return [];
	}
	return Object.entries(entries).flatMap(([name, entry]) => {
		const host = isRecord(entry) && isHostName(name) ? destinationOf(name, entry) : undefined;
		if (!host) problems.push(`${path}: the host ${JSON.stringify(name)} is not valid.`);
		return host ? [{ ...host, source: path }] : [];
	});
}

function hostsIn(content: string): Record<string, unknown> | undefined {
	try {
		const parsed: unknown = JSON.parse(content);
		return isRecord(parsed) && isRecord(parsed.hosts) ? parsed.hosts : undefined;
	} catch {
		return undefined;
	}
}

/** The names of the fields are omp's; a value that OpenSSH would take for an option is refused. */
function destinationOf(name: string, entry: Record<string, unknown>): SshDestination | undefined {
	const { host, description } = entry;
	const user = entry.user ?? entry.username;
	const port = entry.port === undefined ? undefined : Number(entry.port);
	const keyPath = entry.keyPath ?? entry.key ?? entry.identity;
	const isPlain = (value: unknown): value is string | undefined =>
		value === undefined || (typeof value === "string" && /^[^-\0][^\0]*$/.test(value));
	const isPort = port === undefined || (Number.isInteger(port) && port > 0 && port < 65_536);
	if (typeof host !== "string" || !isHostName(host) || !isPlain(user) || !isPlain(keyPath) || !isPort)
		return undefined;
	return { name, host, user, port, keyPath, ...(typeof description === "string" ? { description } : {}) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names after `Host` that are no patterns, also those of included files. */
function configNames(path: string, home: string, depth: number): string[] {
	const content = depth > limits.includeDepth ? undefined : readSmall(path);
	if (content === undefined) return [];
	return content.split("\n").flatMap((line) => {
		const [, key = "", rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
		const words = wordsIn(rest);
		if (key.toLowerCase() === "host") return words.filter((word) => !/[*?!]/.test(word) && isHostName(word));
		if (key.toLowerCase() !== "include") return [];
		return words
			.flatMap((word) => includedFiles(expandHome(word, home), home))
			.flatMap((file) => configNames(file, home, depth + 1));
	});
}

/** OpenSSH reads relative paths from ~/.ssh, and expands wildcards. */
function includedFiles(pattern: string, home: string): string[] {
	const absolute = isAbsolute(pattern) ? pattern : join(home, ".ssh", pattern);
	const name = basename(absolute);
	if (!/[*?[]/.test(name)) return [absolute];
	const directory = dirname(absolute);
	try {
		const glob = new Bun.Glob(name);
		return readdirSync(directory)
			.filter((each) => glob.match(each))
			.toSorted()
			.map((each) => join(directory, each));
	} catch {
		// A directory that does not exist includes nothing.
		return [];
	}
}

function wordsIn(line: string): string[] {
	return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

function readSmall(path: string): string | undefined {
	try {
		const { size } = statSync(path);
		return size <= limits.configBytes ? readFileSync(path, "utf8") : undefined;
	} catch (error) {
		if (errorCode(error) !== "ENOENT") log.debug("a list of hosts cannot be read", { path });
		return undefined;
	}
}
