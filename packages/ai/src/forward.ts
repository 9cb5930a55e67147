/** Sends the bytes of a client's own request to a model of the same protocol, and gives back the server's own bytes. */
import { authorizer } from "./auth/index.ts";
import { modelAt, type Access } from "./access.ts";
import { failure } from "./failure.ts";
import { limits } from "./limits.ts";
import { connectionTo, endpoint, lost, silenceFor, Watchdog } from "./transport/index.ts";
import type { Silence } from "./transport/watchdog.ts";
import type { Api, Failure, Model } from "./types.ts";
import { codecFor } from "./wire/table.ts";

export interface ForwardedRequest {
	model: Model;
	access: Access;
	/** Below the base URL. */
	path: string;
	body: string;
	/** Headers of the client that belong to the protocol. */
	headers: Record<string, string>;
	signal: AbortSignal;
}

/** The server's own answer, whose body is read as fast as it is asked for. A server that goes silent is left. */
export class ForwardedAnswer {
	readonly #response: Response;
	readonly #watchdog: Watchdog;
	readonly #silentMs: number;
	readonly #url: string;
	readonly #secret: string;
	#reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel"> | undefined;

	/** `secret` is in no answer, even if a server quotes it; empty for none. */
	constructor(
		response: Response,
		watchdog: Watchdog,
		{ silentMs, url, secret }: { silentMs: number; url: string; secret: string },
	) {
		this.#response = response;
		this.#watchdog = watchdog;
		this.#silentMs = silentMs;
		this.#url = url;
		this.#secret = secret;
		if (!response.body) watchdog[Symbol.dispose]();
	}

	get head(): Pick<Response, "status" | "ok" | "headers"> {
		return this.#response;
	}

	get isStream(): boolean {
		return this.#response.headers.get("content-type")?.startsWith("text/event-stream") === true;
	}

	/** The next bytes; undefined at the end, and a failure if there is none. */
	async next(): Promise<Uint8Array | Failure | undefined> {
		try {
			const { value, done } = (await (this.#reader ??= this.#response.body?.getReader())?.read()) ?? end;
			if (done) this.#watchdog[Symbol.dispose]();
			else this.#watchdog.alive(this.#silentMs);
			return done ? undefined : this.#masked(value);
		} catch (error) {
			this.#watchdog[Symbol.dispose]();
			return lost(error, { url: this.#url }, this.#watchdog.silentMs);
		}
	}

	/** All of it, or the first part of an answer that breaks off or is longer than `bytes`. */
	async text(bytes: number): Promise<{ text: string; isWhole: boolean }> {
		const { headers } = this.#response;
		const length = headers.get("content-length");
		// Most answers say how long they are, and are read at once.
		if (length !== null && Number(length) <= bytes && !headers.has("content-encoding")) {
			using _ = this.#watchdog;
			const text = await this.#response.text().catch(() => undefined);
			const masked = this.#secret === "" ? text : text?.replaceAll(this.#secret, "*");
			return { text: masked ?? "", isWhole: text !== undefined };
		}
		const decoder = new TextDecoder();
		let text = "";
		for (let size = 0; size <= bytes;) {
			const piece = await this.next();
			if (piece === undefined) return { text: text + decoder.decode(), isWhole: true };
			if (!(piece instanceof Uint8Array)) return { text, isWhole: false };
			size += piece.length;
			text += decoder.decode(piece, { stream: true });
		}
		await this.cancel();
		return { text, isWhole: false };
	}

	/** In the bytes themselves: nobody else has them. */
	#masked(bytes: Uint8Array): Uint8Array {
		if (this.#secret === "") return bytes;
		const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		for (let at = buffer.indexOf(this.#secret); at >= 0; at = buffer.indexOf(this.#secret, at))
			buffer.fill("*", at, at + this.#secret.length);
		return bytes;
	}

	async cancel(): Promise<void> {
		this.#watchdog[Symbol.dispose]();
		await (this.#reader ? this.#reader.cancel() : this.#response.body?.cancel());
	}
}

/** A shorter key, as those of local servers, may be a word of the answer. */
const secretChars = 12;

const end = { value: undefined, done: true } as const;

/** The server's answer, whatever its status; a failure if there was none. */
export async function forward({
	model,
	access,
	path,
	body,
	headers,
	signal,
}: ForwardedRequest): Promise<ForwardedAnswer | Failure> {
	const codec = await codecFor(model.api);
	if (!codec) return failure("invalid_request", `No protocol named "${model.api}"`);
	const target = modelAt(model, access);
	const url = endpoint(codec.baseUrl?.(target, process.env) ?? target.baseUrl, path);
	const request = { url, headers: new Headers(headers), body };
	// What the vendor requires is added, if the client did not think of it.
	const required = { "content-type": "application/json", ...codec.headers(target, { messages: [] }, {}) };
	for (const [name, value] of Object.entries(required))
		if (!request.headers.has(name)) request.headers.set(name, value);
	const { apiKey } = access;
	const refused = await authorizer(codec.auth)(request, {
		model: target,
		env: process.env,
		signal,
		...(apiKey === undefined ? {} : { apiKey }),
	});
	if (refused) return refused;
	for (const [name, value] of Object.entries({ ...model.headers, ...access.headers }))
		request.headers.set(name, value);
	const { connection, silence } = await wayTo(request.url, model.api);
	if ("problem" in connection) return failure("invalid_request", connection.problem);
	const watchdog = new Watchdog(silence);
	watchdog.follow(signal);
	try {
		const response = await fetch(request.url, {
			method: "POST",
			headers: request.headers,
			body,
			signal: watchdog.signal,
			// Following a redirect would hand the key to any server that is named.
			redirect: "manual",
			timeout: false,
			...connection.init,
		} satisfies BunFetchRequestInit);
		// Pings and thinking look alike here: what may be silent at first may be so later.
		const silentMs = silence.firstEventMs;
		const secret = apiKey !== undefined && apiKey.length >= secretChars ? apiKey : "";
		return new ForwardedAnswer(response, watchdog, { silentMs, url: request.url, secret });
	} catch (error) {
		watchdog[Symbol.dispose]();
		if (signal.aborted) return failure("unknown", "Request was aborted");
		return lost(error, { url: request.url, ...connection }, watchdog.silentMs);
	}
}

interface Way {
	connection: Awaited<ReturnType<typeof connectionTo>>;
	silence: Silence;
	readAt: number;
}

/** By protocol and server. Reading the variables takes as long as half of the rest of a request. */
const ways = new Map<string, Way>();

async function wayTo(url: string, api: Api): Promise<Way> {
	const server = `${api} ${url.slice(0, url.indexOf("/", url.indexOf("//") + 2))}`;
	const now = performance.now();
	const known = ways.get(server);
	if (known && now < known.readAt + limits.wayMs) return known;
	if (ways.size >= limits.ways) ways.clear();
	const way = { connection: await connectionTo(url), silence: silenceFor(api), readAt: now };
	ways.set(server, way);
	return way;
}
