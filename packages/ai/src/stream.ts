/** Asks a model and streams its answer: codec, transport and draft put together. */
import { envNumber, registerSecret } from "@tau/utils";

import { Draft } from "./draft.ts";
import { failure } from "./failure.ts";
import { writeJson } from "./json.ts";
import { limits } from "./limits.ts";
import { SseParser } from "./parse/index.ts";
import { post, type HttpRequest, type Silence } from "./transport/index.ts";
import type { Api, Context, Failure, Model, StreamFunction, StreamOptions } from "./types.ts";
import { anthropicMessages } from "./wire/anthropic-messages/index.ts";
import type { Codec, Decoder } from "./wire/codec.ts";
import { openaiCompletions } from "./wire/openai-completions/index.ts";

const codecs = new Map<Api, Codec>([anthropicMessages, openaiCompletions].map((codec) => [codec.api, codec]));
const registered = new Map<Api, StreamFunction>();

/** Adds an api that brings its own stream, such as the demo model or an extension's. */
export function registerApi(api: Api, streamFunction: StreamFunction): Disposable {
	registered.set(api, streamFunction);
	return {
		[Symbol.dispose]: () => {
			if (registered.get(api) === streamFunction) registered.delete(api);
		},
	};
}

export function knownApis(): Api[] {
	return [...codecs.keys(), ...registered.keys()];
}

export const stream: StreamFunction = (model, context, options = {}) => {
	const own = registered.get(model.api);
	if (own) return own(model, context, options);
	const reader = new AbortController();
	const draft = new Draft(model, () => reader.abort());
	const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
	void converse(draft, model, context, { ...options, signal }).catch((error: unknown) => {
		draft.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	});
	return draft.stream;
};

async function converse(
	draft: Draft,
	model: Model,
	context: Context,
	options: StreamOptions & { signal: AbortSignal },
): Promise<void> {
	const codec = codecs.get(model.api);
	if (!codec) {
		const known = knownApis().join(", ");
		draft.fail(failure("invalid_request", `No protocol named "${model.api}" (known: ${known})`));
		return;
	}
	// A server may quote the key that it refuses.
	if (options.apiKey) registerSecret(options.apiKey);
	const request = {
		url: endpoint(model.baseUrl, codec.path),
		headers: joinHeaders(codec.headers, keyHeader(codec, options.apiKey), model.headers, options.headers),
		body: writeJson(codec.encode(model, context, options)),
		silence: silence(),
		signal: options.signal,
	};
	const failed = await readAnswer(draft, codec.decoder(draft), request);
	if (options.signal.aborted) draft.abort();
	else if (failed) draft.fail(failed);
}

async function readAnswer(
	draft: Draft,
	decoder: Decoder,
	request: HttpRequest,
): Promise<Failure | undefined> {
	const parser = new SseParser();
	let failed: Failure | undefined;
	const lost = await post(request, (chunk) => {
		const step = parser.push(chunk);
		for (const event of step.events) {
			failed = decoder.event(event);
			if (failed) return "broken";
			if (draft.ended) return "complete";
		}
		if (step.failure === undefined) return "more";
		failed = failure("network", step.failure);
		return "broken";
	});
	if (failed || draft.ended) return failed;
	const unfinished = decoder.end();
	return unfinished && (lost ?? unfinished);
}

/** Base URLs are written with and without the version; both mean the same place. */
function endpoint(baseUrl: string, path: string): string {
	const base = baseUrl.replace(/\/+$/, "");
	const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
	return version && base.endsWith(version) ? base + path.slice(version.length) : base + path;
}

/** The later wins, however its name is spelt: two spellings in one object would be sent as one joined value. */
function joinHeaders(...sources: (Readonly<Record<string, string>> | undefined)[]): Headers {
	const headers = new Headers({ "content-type": "application/json" });
	for (const source of sources) {
		for (const [name, value] of Object.entries(source ?? {})) headers.set(name, value);
	}
	return headers;
}

function keyHeader(codec: Codec, apiKey: string | undefined): Record<string, string> {
	if (!apiKey) return {};
	return codec.keyHeader === "x-api-key" ? { "x-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

function silence(): Silence {
	return {
		firstEventMs: envTimeout("TAU_STREAM_FIRST_EVENT_TIMEOUT_MS") ?? limits.firstEventTimeoutMs,
		idleMs: envTimeout("TAU_STREAM_IDLE_TIMEOUT_MS") ?? limits.idleTimeoutMs,
	};
}

/** A wait of nothing would fail every request, so only a positive number counts. */
function envTimeout(name: string): number | undefined {
	const ms = envNumber(name);
	return ms !== undefined && ms > 0 ? Math.min(ms, limits.timerMs) : undefined;
}
