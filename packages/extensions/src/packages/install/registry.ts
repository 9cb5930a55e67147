/** Resolves the version of a package in an npm registry, and downloads it. */
import { dirs, throwIfAborted, withTimeout, type Env, isRecord } from "@tau/utils";

import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";
import { tableIn, textIn } from "../record.ts";
import { registryFor, type Registry } from "./npmrc.ts";

export interface Release {
	name: string;
	version: string;
	tarball: string;
	/** `sha512-…` */
	integrity: string;
}

export interface RegistryAccess {
	env: Env;
	signal?: AbortSignal | undefined;
}

/** `range`: a version, a range, a tag as `next`; without one the newest. */
export async function findRelease(
	name: string,
	range: string | undefined,
	{ env, signal }: RegistryAccess,
): Promise<Release> {
	const registry = registryFor(name, env, dirs(env).home);
	const url = `${registry.url}${name.replace("/", "%2f")}`;
	const bytes = await download(url, registry, {
		accept: "application/vnd.npm.install-v1+json, application/json;q=0.9",
		most: limits.metadataBytes,
		ms: limits.metadataMs,
		missing: `Package ${name} not found at ${registry.url}.`,
		signal,
	});
	const document = parseDocument(bytes, url);
	const version = chooseVersion(name, document, range);
	return releaseOf(name, version, tableIn(tableIn(document, "versions"), version));
}

export async function fetchTarball(
	{ name, tarball, integrity }: Release,
	{ env, signal }: RegistryAccess,
): Promise<Uint8Array> {
	const registry = registryFor(name, env, dirs(env).home);
	const bytes = await download(tarball, registry, {
		accept: "application/octet-stream, */*",
		most: limits.tarballBytes,
		ms: limits.tarballMs,
		missing: `The registry has no archive of ${name} at ${tarball}.`,
		signal,
	});
	const actual = `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
	if (actual !== integrity)
		throw new PackageError(
			`The archive of ${name} does not match the registry: its checksum is ${actual}, not ${integrity}.`,
		);
	return bytes;
}

function parseDocument(bytes: Uint8Array, url: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
		if (isRecord(value)) return value;
	} catch {
		// The body may be the page of a proxy, for example: the message below names the address.
	}
	throw new PackageError(`${url} did not respond like a registry.`);
}

function chooseVersion(name: string, document: Record<string, unknown>, range: string | undefined): string {
	const versions = Object.keys(tableIn(document, "versions"));
	const tags = tableIn(document, "dist-tags");
	const tagged = textIn(tags, range ?? "latest");
	if (tagged !== undefined && versions.includes(tagged)) return tagged;
	const fitting = versions
		.filter((version) =>
			range === undefined ? !version.includes("-") : Bun.semver.satisfies(version, range),
		)
		.toSorted((a, b) => Bun.semver.order(b, a));
	const [best] = fitting;
	if (best !== undefined) return best;
	const known = versions.toSorted((a, b) => Bun.semver.order(b, a)).slice(0, 5);
	throw new PackageError(
		`Version ${range ?? "latest"} of ${name} not found. ${known.length === 0 ? "No versions are published." : `Latest versions: ${known.join(", ")}.`}`,
	);
}

function releaseOf(name: string, version: string, described: Record<string, unknown>): Release {
	const dist = tableIn(described, "dist");
	const tarball = textIn(dist, "tarball");
	const sum = textIn(dist, "integrity")
		?.split(/\s+/)
		.find((one) => one.startsWith("sha512-"));
	if (tarball === undefined || !URL.canParse(tarball) || !/^https?:/.test(tarball))
		throw new PackageError(`The registry gives no download URL for ${name}@${version}.`);
	if (sum === undefined)
		throw new PackageError(
			`The registry has no sha512 checksum for ${name}@${version}, so it cannot be verified.`,
		);
	return { name, version, tarball, integrity: sum };
}

interface DownloadOptions {
	accept: string;
	most: number;
	ms: number;
	/** The error message if it does not exist. */
	missing: string;
	signal: AbortSignal | undefined;
}

async function download(url: string, registry: Registry, options: DownloadOptions): Promise<Uint8Array> {
	const { most, ms, missing, signal } = options;
	throwIfAborted(signal);
	using deadline = withTimeout(signal, ms, `${new URL(url).host} did not answer within ${ms / 1000} s`);
	try {
		const response = await follow(url, registry, options.accept, deadline.signal);
		if (response.status === 404) throw new PackageError(missing);
		if (!response.ok || !response.body)
			throw new PackageError(`${url} returned ${response.status} ${response.statusText}.`);
		return await bounded(response.body, most, url);
	} catch (error) {
		throwIfAborted(deadline.signal);
		if (error instanceof PackageError) throw error;
		const reason = error instanceof Error ? error.message : String(error);
		throw new PackageError(`Cannot reach ${url}: ${reason}`);
	}
}

/** By hand: a token that belongs to one host must not go along to the next. */
async function follow(
	url: string,
	registry: Registry,
	accept: string,
	signal: AbortSignal,
): Promise<Response> {
	let address = url;
	for (let step = 0; step <= limits.redirects; step++) {
		const authorization = registry.authorizationFor(address);
		const headers = { accept, ...(authorization === undefined ? {} : { authorization }) };
		const response = await fetch(address, { headers, signal, redirect: "manual" });
		const next = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
		if (next === null) return response;
		await response.body?.cancel();
		const target = new URL(next, address);
		if (target.protocol !== "https:" && target.protocol !== new URL(address).protocol)
			throw new PackageError(`${address} redirects to ${target.protocol}//, which is not followed.`);
		address = target.href;
	}
	throw new PackageError(`${url} redirects too many times.`);
}

async function bounded(body: ReadableStream<Uint8Array>, most: number, url: string): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let total = 0;
	for await (const chunk of body) {
		total += chunk.length;
		if (total > most) throw new PackageError(`${url} was rejected: it is larger than ${most} bytes.`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}
