/** Where sealed shares are kept: on a relay, or in a secret gist. */
import { cutUnits, errorText, hostProgram, isRecord, oneLine, stripControls, withTimeout } from "@tau/utils";
import { shareLimits, type ShareLink } from "@tau/wire/share";

import { limits } from "./limits.ts";

export interface StoredShare {
	readonly id: string;
	/** The link without the key. */
	readonly address: string;
	readonly deleteToken?: string;
	/** Milliseconds since 1970. */
	readonly expiresAt?: number;
}

/** `https://relay.example.com`, with or without `/s`; a relay's WebSocket address means the same server. */
export function serverOf(text: string): string {
	const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
	let url: URL;
	try {
		url = new URL(withScheme.replace(/^ws(s?):/i, "http$1:"));
	} catch {
		throw new Error(`share.serverUrl: ${text} is not an address. It looks like https://relay.example.com.`);
	}
	const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
	if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere))
		throw new Error(`share.serverUrl: ${text} must begin with https:// (http:// only for this machine).`);
	return `${url.origin}${url.pathname.replace(/\/s?\/?$/, "")}`;
}

export async function uploadToRelay(
	server: string,
	bytes: Uint8Array<ArrayBuffer>,
	ttlSeconds: number,
	signal: AbortSignal,
): Promise<StoredShare> {
	const response = await request(`${server}/s?ttl=${ttlSeconds}`, "upload", {
		method: "POST",
		body: bytes,
		headers: { "content-type": "application/octet-stream" },
		signal,
		ms: limits.uploadMs,
	});
	const answer: unknown = await response.json().catch(() => undefined);
	if (!isRecord(answer) || typeof answer.id !== "string" || !/^[\w-]{22}$/.test(answer.id))
		throw new Error(`${server} did not answer as a relay of Tau does.`);
	return {
		id: answer.id,
		address: `${server}/s/${answer.id}`,
		...(typeof answer.deleteToken === "string" ? { deleteToken: answer.deleteToken } : {}),
		...(typeof answer.expiresAt === "number" ? { expiresAt: answer.expiresAt } : {}),
	};
}

/** Resolves also if it was gone already. */
export async function deleteFromRelay(address: string, token: string, signal: AbortSignal): Promise<void> {
	await request(address, "delete", {
		method: "DELETE",
		headers: { authorization: `Bearer ${token}` },
		signal,
		ms: limits.requestMs,
		isFine: (status) => status === 404,
	});
}

const gistFile = "session.taushare.txt";

export async function uploadToGist(bytes: Uint8Array, signal: AbortSignal): Promise<StoredShare> {
	const text = Buffer.from(bytes).toString("base64");
	const address =
		(await gh(["gist", "create", "--filename", gistFile, "-"], text, signal)).trim().split("\n").at(-1) ?? "";
	const [, id] = /^https:\/\/gist\.github\.com\/(?:[\w-]+\/)?([0-9a-f]{20,40})$/.exec(address) ?? [];
	if (id === undefined) throw new Error(`gh did not answer with the address of a gist: ${reasonIn(address)}`);
	return { id, address };
}

export async function deleteGist(id: string, signal: AbortSignal): Promise<void> {
	await gh(["gist", "delete", id, "--yes"], "", signal);
}

async function gh(args: readonly string[], input: string, signal: AbortSignal): Promise<string> {
	const program = hostProgram("gh");
	if (program === undefined)
		throw new Error(
			"share.store is gist, and the program gh is not installed. Install it, or set share.store to relay or file.",
		);
	using deadline = withTimeout(signal, limits.uploadMs, "gh did not answer in time");
	const run = Bun.spawn([program, ...args], {
		stdin: Buffer.from(input),
		stdout: "pipe",
		stderr: "pipe",
		signal: deadline.signal,
	});
	const [code, out, error] = await Promise.all([run.exited, run.stdout.text(), run.stderr.text()]);
	if (code !== 0) throw new Error(`gh ${args[1]} failed: ${reasonIn(error) || `exit ${code}`}`);
	return out;
}

/** The sealed bytes of a link. Rejects with the reason for the user. */
export async function fetchSealed(
	{ from }: ShareLink,
	signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
	if (from.kind === "relay") return await bytesOf(from.raw, signal);
	const about = await request(`https://api.github.com/gists/${from.id}`, "read", {
		signal,
		ms: limits.requestMs,
	});
	const gist: unknown = await about.json().catch(() => undefined);
	const files = isRecord(gist) && isRecord(gist.files) ? gist.files : {};
	const file = files[gistFile];
	if (
		!isRecord(file) ||
		typeof file.raw_url !== "string" ||
		!file.raw_url.startsWith("https://gist.githubusercontent.com/")
	)
		throw new Error("This gist is not a share of Tau.");
	return new Uint8Array(Buffer.from(new TextDecoder().decode(await bytesOf(file.raw_url, signal)), "base64"));
}

async function bytesOf(address: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
	const response = await request(address, "read", { signal, ms: limits.uploadMs });
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of response.body ?? []) {
		size += part.length;
		// Base64 of a gist takes a third more.
		if (size > shareLimits.sealedBytes * 1.4) throw new Error("This share is larger than 20 MB.");
		parts.push(part);
	}
	return new Uint8Array(Buffer.concat(parts));
}

interface RequestOptions {
	method?: string;
	body?: Uint8Array<ArrayBuffer>;
	headers?: Record<string, string>;
	signal: AbortSignal;
	ms: number;
	isFine?: (status: number) => boolean;
}

async function request(
	address: string,
	what: "upload" | "read" | "delete",
	options: RequestOptions,
): Promise<Response> {
	const { ms, isFine, signal, ...init } = options;
	const base = new URL(address).origin;
	using deadline = withTimeout(signal, ms, `${base} did not answer in time`);
	let response: Response;
	try {
		response = await fetch(address, { ...init, redirect: "error", signal: deadline.signal });
	} catch (error) {
		throw new Error(`Share ${what} at ${base} failed: ${reasonIn(errorText(error))}`, { cause: error });
	}
	if (response.ok || isFine?.(response.status)) return response;
	const reason = reasonIn(saidBy(await response.text().catch(() => "")));
	throw new Error(
		`Share ${what} at ${base} failed: HTTP ${response.status}${reason === "" ? "" : ` (${reason})`}`,
	);
}

/** A relay answers with JSON, what is in between with anything. */
function saidBy(body: string): string {
	try {
		const answer: unknown = JSON.parse(body);
		return isRecord(answer) && typeof answer.error === "string" ? answer.error : body;
	} catch {
		// It is shown as it is.
		return body;
	}
}

function reasonIn(text: string): string {
	return cutUnits(oneLine(stripControls(text), limits.reasonChars), limits.reasonChars).trim();
}
