/** Records the requests of a session and the raw streams of their answers, and makes a cassette of them. */
import { ownStream, type AssistantMessage, type Model, type Sender, type StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import type { Cassette, Chunk, ExchangeLine, Facts, RawAnswer } from "./format.ts";
import { limits } from "./limits.ts";
import { normalizer, recordedRequest, type Surroundings } from "./normal.ts";
import type { Tap } from "./tape.ts";

interface Capture {
	readonly at: number;
	readonly model: Model;
	url?: string;
	body?: string;
	raw?: RawAnswer & { chunks: Chunk[]; lost?: NonNullable<RawAnswer["lost"]> };
	message?: AssistantMessage;
}

/** Headers that decide how an answer is read; others may name accounts. */
const keptHeaders = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export class Recorder {
	readonly #surroundings: () => Surroundings;
	readonly #captures: Capture[] = [];
	#bytes = 0;

	constructor(surroundings: () => Surroundings) {
		this.#surroundings = surroundings;
	}

	get count(): number {
		return this.#captures.length;
	}

	/** Put in front of the models of a session. */
	readonly tap: Tap = (next) => (model, context, options) => {
		if (this.#captures.length >= limits.exchanges) return next(model, context, options);
		const capture: Capture = { at: Date.now(), model: plainModel(model) };
		this.#captures.push(capture);
		// What a model of an extension asks of other models is not an answer of its own protocol.
		const sender = model[ownStream] ? {} : { sender: this.#sender(capture) };
		return this.#watched(next(model, context, { ...options, ...sender }), capture);
	};

	/** What was recorded so far, not masked yet; `lines` are those of the session's log. */
	cassette(lines: readonly string[], facts: Facts): Cassette {
		const normal = normalizer(this.#surroundings());
		const parts = new Map<string, unknown>();
		const exchanges = this.#captures.flatMap(
			({ at, model, url, body = "", raw, message }): ExchangeLine[] => {
				// Still under way.
				if (!message) return [];
				const request = url === undefined ? undefined : recordedRequest(url, body, normal, parts);
				return [
					{ type: "exchange", at, model, ...(request ? { request } : {}), ...(raw ? { raw } : {}), message },
				];
			},
		);
		return { ...cassetteOfLog(lines, facts), parts, exchanges };
	}

	#watched(answer: ReturnType<StreamFunction>, capture: Capture): ReturnType<StreamFunction> {
		answer.result().then(
			(message) => void (capture.message = structuredClone(message)),
			(error: unknown) => log.warn("an answer could not be recorded", { reason: String(error) }),
		);
		return answer;
	}

	#sender(capture: Capture): Sender {
		return {
			isOffline: false,
			send: async (url, init) => {
				const began = performance.now();
				capture.url = url;
				capture.body = typeof init.body === "string" ? init.body : "";
				const raw = { status: 200, headers: {}, chunks: [] as Chunk[] };
				capture.raw = raw;
				try {
					const response = await fetch(url, init);
					capture.raw = { ...raw, status: response.status, headers: kept(response.headers) };
					if (!response.body || bodiless.has(response.status)) return response;
					const { status, headers } = response;
					return new Response(this.#copied(response.body, capture, began), { status, headers });
				} catch (error) {
					capture.raw.lost = lostBy(error);
					throw error;
				}
			},
		};
	}

	#copied(body: ReadableStream<Uint8Array>, capture: Capture, began: number): ReadableStream<Uint8Array> {
		const reader = body.getReader();
		return new ReadableStream({
			pull: async (controller) => {
				try {
					const { done, value } = await reader.read();
					if (done) return controller.close();
					this.#keep(capture, value, Math.round(performance.now() - began));
					controller.enqueue(value);
				} catch (error) {
					if (capture.raw) capture.raw.lost = lostBy(error);
					controller.error(error);
				}
			},
			cancel: (reason) => reader.cancel(reason),
		});
	}

	#keep(capture: Capture, bytes: Uint8Array, at: number): void {
		this.#bytes += bytes.length;
		// The message is kept all the same.
		if (this.#bytes > limits.streamBytes) delete capture.raw;
		capture.raw?.chunks.push(chunkOf(bytes, at));
	}
}

/** A cassette of a session that was not recorded: what its log says is played. */
export function cassetteOfLog(lines: readonly string[], facts: Facts): Cassette {
	const madeAt = new Date().toISOString();
	const head = { type: "cassette", version: limits.version, madeAt, facts, masked: 0 } as const;
	return { head, log: lines, parts: new Map(), exchanges: [] };
}

function plainModel({ headers: _, ...model }: Model): Model {
	return JSON.parse(JSON.stringify(model)) as Model;
}

function kept(headers: Headers): Record<string, string> {
	return Object.fromEntries(
		keptHeaders.flatMap((name) => {
			const value = headers.get(name);
			return value === null ? [] : [[name, value]];
		}),
	);
}

function chunkOf(bytes: Uint8Array, at: number): Chunk {
	try {
		return [at, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)];
	} catch {
		// Binary, or cut inside a character.
		return [at, bytes.toBase64(), "base64"];
	}
}

function lostBy(error: unknown): NonNullable<RawAnswer["lost"]> {
	const message = error instanceof Error ? error.message : String(error);
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	return { message, ...(typeof code === "string" ? { code } : {}) };
}
