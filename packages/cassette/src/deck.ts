/** Answers requests from a cassette, without the network: by the same request, else by the nearest one. */
import { noUsage, stream, type AssistantMessage, type Model } from "@tau/ai";
import { stripControls } from "@tau/utils";

import { answersOf } from "./conversation.ts";
import { hasStream, playMessage, responseOf } from "./answer.ts";
import { describe, firstDifference, type Difference } from "./difference.ts";
import type { Cassette, ExchangeLine, RecordedRequest } from "./format.ts";
import { limits } from "./limits.ts";
import { recordedRequest, relocated, relocator } from "./normal.ts";
import type { Tap } from "./tape.ts";

/** A request that is not in the cassette. */
export interface Miss {
	/** Its number, from 1. */
	readonly request: number;
	/** The recorded request that is most like it, from 1; undefined if there is none left. */
	readonly nearest?: number;
	readonly difference?: Difference;
}

export interface DeckOptions {
	/** Where the session works now: answers that name the directory of the recording name this one. */
	cwd: string;
	/** Removes what depends on the machine and the time, as the recording did. */
	normal(value: unknown): unknown;
	/** `refuse` fails a request that is not in the cassette; `nearest` answers it as the nearest one was. */
	onMiss: "refuse" | "nearest";
	/** Called before an answer is given. */
	onAnswer?(exchange: ExchangeLine): void | Promise<void>;
}

export class Deck {
	readonly #cassette: Cassette;
	readonly #options: DeckOptions;
	readonly #used = new Set<number>();
	readonly misses: Miss[] = [];
	#requests = 0;

	constructor(cassette: Cassette, options: DeckOptions) {
		const relocate = relocator(cassette, options.cwd);
		const exchanges = cassette.exchanges.map((exchange) => relocated(exchange, relocate));
		this.#cassette = { ...cassette, exchanges };
		this.#options = options;
	}

	/** How many requests there were. */
	get requests(): number {
		return this.#requests;
	}

	/** Recorded requests of the conversation that were not made. */
	get unused(): number {
		const used = new Set([...this.#used].map((at) => this.#cassette.exchanges[at]?.message.timestamp));
		return answersOf(this.#cassette).filter(({ message }) => !used.has(message.timestamp)).length;
	}

	/** In place of the models of a session. */
	readonly tap: Tap = () => (model, context, options) => {
		const answer = this.#isUnsent(model) ? this.#unsent(model) : this.#sent(model, context, options);
		return {
			async *[Symbol.asyncIterator]() {
				yield* await answer;
			},
			result: async () => (await answer).result(),
		};
	};

	async #sent(...[model, context, options]: Parameters<typeof stream>): Promise<ReturnType<typeof stream>> {
		const chosen = Promise.withResolvers<ExchangeLine | undefined>();
		const inner = stream(model, context, {
			...options,
			sender: {
				isOffline: true,
				send: async (url, init) => {
					const exchange = this.#choose(model, url, typeof init.body === "string" ? init.body : "");
					if (typeof exchange === "string") return refusal(exchange);
					await this.#options.onAnswer?.(exchange);
					chosen.resolve(isPlayable(exchange, model) ? undefined : exchange);
					if (exchange.raw && isPlayable(exchange, model)) return responseOf(exchange.raw, () => {});
					throw new Error("This answer is played from its message.");
				},
			},
		});
		// It may fail before it is sent.
		void inner.result().finally(() => chosen.resolve(undefined));
		const exchange = await chosen.promise;
		return exchange ? playMessage(exchange.message) : inner;
	}

	/** A protocol of an extension, or the demo: no request was seen, so its answers are known by their order alone. */
	#isUnsent({ api }: Model): boolean {
		return this.#cassette.exchanges.some((exchange) => isUnsent(exchange, api));
	}

	async #unsent({ id, api, provider }: Model): Promise<ReturnType<typeof stream>> {
		const number = ++this.#requests;
		const at = this.#cassette.exchanges.findIndex(
			(exchange, place) => !this.#used.has(place) && isUnsent(exchange, api),
		);
		const exchange = this.#cassette.exchanges[at];
		if (!exchange) {
			const miss = { request: number };
			this.misses.push(miss);
			return playMessage(failedAnswer({ id, api, provider }, missText(miss, { id })));
		}
		this.#used.add(at);
		await this.#options.onAnswer?.(exchange);
		return playMessage(exchange.message);
	}

	#choose(model: Model, url: string, body: string): ExchangeLine | string {
		const parts = new Map<string, unknown>();
		const request = recordedRequest(url, body, (value) => this.#options.normal(value), parts);
		const number = ++this.#requests;
		const at = this.#nearest(request);
		const exchange = this.#cassette.exchanges[at];
		const difference = exchange && this.#difference(exchange, request, parts);
		if (exchange && !difference) {
			this.#used.add(at);
			return exchange;
		}
		const miss = {
			request: number,
			...(exchange ? { nearest: at + 1 } : {}),
			...(difference ? { difference } : {}),
		};
		this.misses.push(miss);
		if (!exchange || this.#options.onMiss === "refuse") return missText(miss, model);
		this.#used.add(at);
		return exchange;
	}

	/** The first of those that have most in common with it and were not used yet; -1 if all were. */
	#nearest(request: RecordedRequest): number {
		const wanted = new Set(keysOf(request));
		let best = { at: -1, score: -1 };
		let compared = 0;
		for (const [at, exchange] of this.#cassette.exchanges.entries()) {
			if (this.#used.has(at)) continue;
			const keys = exchange.request ? keysOf(exchange.request) : [];
			const score = keys.filter((key) => wanted.has(key)).length * 2 - Math.abs(keys.length - wanted.size);
			if (best.at === -1 || score > best.score) best = { at, score };
			if (++compared >= limits.compared) break;
		}
		return best.at;
	}

	#difference(
		{ request: recorded }: ExchangeLine,
		actual: RecordedRequest,
		parts: ReadonlyMap<string, unknown>,
	): Difference | undefined {
		// A protocol of an extension: it is known by its place alone.
		if (!recorded) return undefined;
		if (recorded.path !== actual.path) return firstDifference(recorded.path, actual.path, "path");
		const whole = ({ body }: RecordedRequest, from: ReadonlyMap<string, unknown>): unknown =>
			Object.fromEntries(
				Object.entries(body).map(([name, keys]) => [
					name,
					typeof keys === "string" ? from.get(keys) : keys.map((key) => from.get(key)),
				]),
			);
		return firstDifference(whole(recorded, this.#cassette.parts), whole(actual, parts));
	}
}

function failedAnswer(
	{ id, api, provider }: Pick<Model, "id" | "api" | "provider">,
	text: string,
): AssistantMessage {
	return {
		role: "assistant",
		content: [],
		api,
		provider,
		model: id,
		usage: noUsage(),
		stopReason: "error",
		errorMessage: text,
		failure: { kind: "invalid_request", message: text },
		timestamp: Date.now(),
	};
}

/** As a server refuses a request that it would refuse again: nobody tries it once more. */
function refusal(message: string): Response {
	return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
}

function isUnsent({ request, model }: ExchangeLine, api: string): boolean {
	return request === undefined && model.api === api;
}

/** The raw stream can only be read by the protocol that it was sent in. */
function isPlayable(exchange: ExchangeLine, { api }: Model): boolean {
	return hasStream(exchange) && exchange.model.api === api;
}

function keysOf({ body }: RecordedRequest): string[] {
	return Object.values(body).flat();
}

export function missText({ request, nearest, difference }: Miss, model?: Pick<Model, "id">): string {
	const who = model ? ` to ${stripControls(model.id)}` : "";
	if (nearest === undefined)
		return `Request ${request}${who} is not in the cassette: all of its recordings were used.`;
	const what = difference ? ` It differs in ${describe(difference)}` : "";
	return `Request ${request}${who} is not in the cassette. The nearest recording is number ${nearest}.${what}`;
}
