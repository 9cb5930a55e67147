/** Parses HTTP/1.1 requests from the bytes of a connection, split anywhere. */

import { limits } from "./limits.ts";

export interface HttpRequest {
	method: string;
	/** The path without the query. */
	path: string;
	query: string;
	/** Names in lower case. */
	headers: Record<string, string>;
	rawBody: string;
	keepAlive: boolean;
	/** The websocket that the request came on as a message. */
	socket?: PlayedSocket;
}

/** A websocket of a client, and what the server remembers on it. */
export interface PlayedSocket {
	/** From 1, in the order of their opening. */
	number: number;
	/** The last complete answer: only that one can be continued, because nothing is stored. */
	lastResponse?: string;
}

/** `undefined` means that bytes are missing. After a refusal they always are: the next request cannot be found. */
export type ReadRequest = { request: HttpRequest } | { refusal: RejectedRequest } | undefined;

export interface RejectedRequest {
	status: number;
	reason: string;
}

export class RequestReader {
	readonly #bytes = new ByteQueue();
	#reading: Reading<HttpRequest> | undefined = readRequest(this.#bytes);

	push(bytes: Uint8Array): void {
		if (this.#reading !== undefined) this.#bytes.push(bytes);
	}

	next(): ReadRequest {
		try {
			const step = this.#reading?.next();
			if (!step?.done) return undefined;
			this.#reading = readRequest(this.#bytes);
			return { request: step.value };
		} catch (error) {
			if (!(error instanceof Unreadable)) throw error;
			this.#reading = undefined;
			return { refusal: { status: error.status, reason: error.message } };
		}
	}
}

/** Thrown inside this file only; `next` turns it into a value. */
class Unreadable extends Error {
	readonly status: number;

	constructor(status: number, reason: string) {
		super(reason);
		this.status = status;
	}
}

class ByteQueue {
	#parts: Buffer[] = [];
	#length = 0;

	get length(): number {
		return this.#length;
	}

	push(part: Uint8Array): void {
		this.#parts.push(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
		this.#length += part.length;
	}

	take(count: number): Buffer | undefined {
		if (this.#length < count) return undefined;
		const all = this.#joined();
		this.#keep(all.subarray(count));
		return all.subarray(0, count);
	}

	/** The next line without its line end; only used in a head, so joining stays cheap. */
	takeLine(): string | undefined {
		const all = this.#joined();
		const end = all.indexOf("\n");
		if (end < 0) return undefined;
		this.#keep(all.subarray(end + 1));
		return all.toString("latin1", 0, end > 0 && all[end - 1] === 0x0d ? end - 1 : end);
	}

	#joined(): Buffer {
		const [first] = this.#parts;
		if (first !== undefined && this.#parts.length === 1) return first;
		const joined = Buffer.concat(this.#parts);
		this.#parts = [joined];
		return joined;
	}

	#keep(rest: Buffer): void {
		this.#parts = [rest];
		this.#length = rest.length;
	}
}

/** Yields when bytes are missing, returns the request. */
type Reading<Result> = Generator<undefined, Result>;

function* readRequest(bytes: ByteQueue): Reading<HttpRequest> {
	const budget = { left: limits.headBytes };
	let start = yield* line(bytes, budget);
	// An empty line between two requests is allowed.
	while (start === "") start = yield* line(bytes, budget);
	const [method, target, version] = start.split(" ");
	if (method === undefined || target === undefined || version !== "HTTP/1.1") {
		throw new Unreadable(400, "this is not an HTTP/1.1 request");
	}
	const headers = yield* readHeaders(bytes, budget);
	const rawBody = (yield* readBody(bytes, headers)).toString("utf8");
	const mark = target.indexOf("?");
	return {
		method,
		path: mark < 0 ? target : target.slice(0, mark),
		query: mark < 0 ? "" : target.slice(mark + 1),
		headers,
		rawBody,
		keepAlive: headers["connection"]?.toLowerCase() !== "close",
	};
}

function* readHeaders(bytes: ByteQueue, budget: { left: number }): Reading<Record<string, string>> {
	const headers: Record<string, string> = {};
	for (;;) {
		const header = yield* line(bytes, budget);
		if (header === "") return headers;
		const colon = header.indexOf(":");
		if (colon < 1) throw new Unreadable(400, "a header has no name");
		const name = header.slice(0, colon).toLowerCase();
		const value = header.slice(colon + 1).trim();
		headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
	}
}

function* readBody(bytes: ByteQueue, headers: Record<string, string>): Reading<Buffer> {
	if (headers["transfer-encoding"]?.toLowerCase() === "chunked") return yield* readChunks(bytes);
	const length = Number(headers["content-length"] ?? 0);
	if (!Number.isInteger(length) || length < 0) throw new Unreadable(400, "content-length is not a length");
	return yield* take(bytes, within(length));
}

function* readChunks(bytes: ByteQueue): Reading<Buffer> {
	const chunks: Buffer[] = [];
	let total = 0;
	for (;;) {
		const size = Number.parseInt(yield* line(bytes, { left: limits.headBytes }), 16);
		if (!Number.isInteger(size) || size < 0) throw new Unreadable(400, "a chunk has no size");
		total = within(total + size);
		if (size === 0) break;
		chunks.push(yield* take(bytes, size));
		yield* line(bytes, { left: limits.headBytes });
	}
	// Trailers end with an empty line, as the head does.
	yield* readHeaders(bytes, { left: limits.headBytes });
	return Buffer.concat(chunks);
}

function within(length: number): number {
	if (length > limits.bodyBytes) throw new Unreadable(413, "the body is too large");
	return length;
}

function* take(bytes: ByteQueue, count: number): Reading<Buffer> {
	for (;;) {
		const taken = bytes.take(count);
		if (taken !== undefined) return taken;
		yield undefined;
	}
}

function* line(bytes: ByteQueue, budget: { left: number }): Reading<string> {
	for (;;) {
		const taken = bytes.takeLine();
		budget.left -= taken?.length ?? 0;
		if (budget.left < 0 || (taken === undefined && bytes.length > budget.left)) {
			throw new Unreadable(431, "the head is too large");
		}
		if (taken !== undefined) return taken;
		yield undefined;
	}
}
