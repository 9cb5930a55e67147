/** Shares: sealed blobs that are stored for a while, readable with the link and deletable with the token. */
import { timingSafeEqual } from "node:crypto";

import { abortable, errorText, isTimeout, withTimeout } from "@tau/utils";

import { AddressBuckets } from "./buckets.ts";
import { allowances, limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { ShareStore } from "./share-store.ts";

/** Before the blob: when it expires, and the hash of the token that deletes it. */
const expiryBytes = 8;
const hashBytes = 32;
const headBytes = expiryBytes + hashBytes;
const sharePath = /^\/s\/([\w-]{22})(\/raw)?$/;
const readHeaders = {
	"access-control-allow-origin": "*",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

export class Shares implements Disposable {
	readonly #store: ShareStore;
	readonly #metrics: Metrics;
	readonly #log: (line: string) => void;
	readonly #senders = new AddressBuckets(allowances.shares);
	readonly #sweeping: Timer;
	#uploads = 0;

	constructor(store: ShareStore, metrics: Metrics, log: (line: string) => void) {
		this.#log = log;
		this.#store = store;
		this.#metrics = metrics;
		this.#sweeping = setInterval(() => void this.sweep(), limits.share.sweepMs);
		this.#sweeping.unref();
	}

	/** Undefined for the viewer page, `GET /s/<id>`, which is the client's. */
	async answer(request: Request, url: URL, address: string): Promise<Response | undefined> {
		if (request.method === "OPTIONS") return allowed();
		if (url.pathname === "/s" || url.pathname === "/s/")
			return request.method === "POST"
				? await this.#upload(request, url, address)
				: failed(405, "POST shares here");
		const [, id, raw] = sharePath.exec(url.pathname) ?? [];
		if (id === undefined) return failed(404, "no such share");
		if (request.method === "DELETE") return await this.#delete(request, id);
		if (request.method !== "GET" && request.method !== "HEAD") return failed(405, "method not allowed");
		return raw === undefined ? undefined : await this.#read(id);
	}

	/** Removes what has expired. */
	async sweep(): Promise<void> {
		const now = Date.now();
		try {
			await this.#store.sweep((start) => start.length >= expiryBytes && expiryOf(start) <= now);
		} catch (error) {
			this.#log(`shares cannot be swept: ${errorText(error)}`);
		}
	}

	[Symbol.dispose](): void {
		clearInterval(this.#sweeping);
	}

	async #upload(request: Request, url: URL, address: string): Promise<Response> {
		if (!this.#senders.take(address))
			return failed(429, "too many shares from this address, try again later");
		const ttlMs = ttlOf(url.searchParams.get("ttl"));
		if (ttlMs === undefined) return failed(400, "ttl is a number of seconds, at most a year");
		if (Number(request.headers.get("content-length")) > limits.share.bytes) return tooLarge();
		if (this.#uploads >= limits.share.uploads) return failed(503, "too many uploads at once, try again");
		this.#uploads++;
		try {
			const blob = await bodyOf(request);
			if (!blob) return tooLarge();
			if (blob.length === 0) return failed(400, "an empty share");
			return await this.#keep(url, blob, Date.now() + ttlMs);
		} catch (error) {
			if (!isTimeout(error)) throw error;
			return failed(408, "the upload took too long");
		} finally {
			this.#uploads--;
		}
	}

	async #keep(url: URL, blob: Uint8Array, expiresAt: number): Promise<Response> {
		const id = randomText(16);
		const deleteToken = randomText(24);
		const bytes = new Uint8Array(headBytes + blob.length);
		new DataView(bytes.buffer).setBigUint64(0, BigInt(expiresAt));
		bytes.set(hashOf(deleteToken), expiryBytes);
		bytes.set(blob, headBytes);
		if (!(await this.#store.put(id, bytes))) return failed(507, "this relay has no room for more shares");
		this.#metrics.add("shares_stored");
		const share = { id, url: `${url.origin}/s/${id}`, deleteToken, expiresAt, size: blob.length };
		return Response.json(share, { status: 201, headers: { ...readHeaders, "cache-control": "no-store" } });
	}

	async #read(id: string): Promise<Response> {
		const file = await this.#living(id);
		if (!file) return failed(404, "this share has expired, was deleted, or never existed");
		this.#metrics.add("shares_read");
		// A stream and not the file: Bun would answer with the address of an object in a bucket instead.
		return new Response(file.slice(headBytes).stream(), {
			headers: {
				...readHeaders,
				"content-type": "application/octet-stream",
				"cache-control": "private, max-age=60",
			},
		});
	}

	async #delete(request: Request, id: string): Promise<Response> {
		const [, token = ""] = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
		const file = await this.#living(id);
		if (!file) return failed(404, "this share has expired, was deleted, or never existed");
		const hash = await file.slice(expiryBytes, headBytes).bytes();
		if (hash.length !== hashBytes || !timingSafeEqual(hash, hashOf(token)))
			return failed(403, "this is not the token that the upload was answered with");
		await this.#store.remove(id);
		return new Response(null, { status: 204, headers: readHeaders });
	}

	/** A share that has expired is gone, even before it is swept away. */
	async #living(id: string): Promise<Blob | undefined> {
		const file = await this.#store.get(id);
		if (!file) return undefined;
		const start = await file.slice(0, expiryBytes).bytes();
		return start.length === expiryBytes && expiryOf(start) > Date.now() ? file : undefined;
	}
}

/** Undefined if it is too large; a sender may be silent about that. */
async function bodyOf(request: Request): Promise<Uint8Array | undefined> {
	const parts: Uint8Array[] = [];
	let size = 0;
	using deadline = withTimeout(undefined, limits.share.uploadMs, "the upload took too long");
	const reader = request.body?.getReader();
	if (!reader) return new Uint8Array();
	for (;;) {
		const { done, value } = await abortable(reader.read(), deadline.signal);
		if (done) break;
		size += value.length;
		if (size > limits.share.bytes) return undefined;
		parts.push(value);
	}
	return Buffer.concat(parts);
}

function expiryOf(start: Uint8Array): number {
	return Number(new DataView(start.buffer, start.byteOffset).getBigUint64(0));
}

function ttlOf(text: string | null): number | undefined {
	if (text === null) return limits.share.ttlMs;
	const ms = Number(text) * 1000;
	return /^\d+$/.test(text) && ms > 0 && ms <= limits.share.maxTtlMs ? ms : undefined;
}

function hashOf(token: string): Uint8Array {
	return new Bun.CryptoHasher("sha256").update(token).digest();
}

function randomText(bytes: number): string {
	return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url", omitPadding: true });
}

function failed(status: number, error: string): Response {
	return Response.json({ error }, { status, headers: { ...readHeaders, "cache-control": "no-store" } });
}

function tooLarge(): Response {
	return failed(413, `a share has at most ${limits.share.bytes} bytes`);
}

/** A client that is served from elsewhere may read, upload and delete. */
function allowed(): Response {
	const headers = {
		"access-control-allow-methods": "GET, POST, DELETE",
		"access-control-allow-headers": "authorization, content-type",
	};
	return new Response(null, { status: 204, headers: { ...readHeaders, ...headers } });
}
