/** Asks a model and streams its answer: codec, transport and draft put together. */
import { envNumber } from "@tau/utils";

import { Draft } from "./draft.ts";
import { failure } from "./failure.ts";
import { limits } from "./limits.ts";
import { SseParser } from "./parse/index.ts";
import { post } from "./transport/index.ts";
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
	const decoder = codec.decoder(draft);
	const request = {
		url: endpoint(model.baseUrl, codec.path),
		headers: { ...codec.headers, ...keyHeader(codec, options.apiKey), ...model.headers, ...options.headers },
		body: JSON.stringify(codec.encode(model, context, options)),
		silence: silence(),
		signal: options.signal,
	};
	const failed = await readAnswer(draft, decoder, request);
	if (options.signal.aborted) draft.abort();
	else if (failed) draft.fail(failed);
}

async function readAnswer(
	draft: Draft,
	decoder: Decoder,
	request: Parameters<typeof post>[0],
): Promise<Failure | undefined> {
	const parser = new SseParser();
	let failed: Failure | undefined;
	const lost = await post(request, async (chunk) => {
		const step = parser.push(chunk);
		for (const event of step.events) {
			failed = decoder.event(event);
			if (failed || draft.ended) return false;
		}
		if (step.failure !== undefined) {
			failed = failure("network", step.failure);
			return false;
		}
		if (!draft.stream.closed && draft.stream.unread >= limits.unreadEvents) await draft.stream.ready();
		return true;
	});
	return failed ?? lost ?? (draft.ended ? undefined : decoder.end());
}

/** Base URLs are written with and without the version; both mean the same place. */
function endpoint(baseUrl: string, path: string): string {
	const base = baseUrl.replace(/\/+$/, "");
	const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
	return version && base.endsWith(version) ? base + path.slice(version.length) : base + path;
}

function keyHeader(codec: Codec, apiKey: string | undefined): Record<string, string> {
	if (!apiKey) return {};
	return codec.keyHeader === "x-api-key" ? { "x-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

function silence(): { firstEventMs: number; idleMs: number } {
	return {
		firstEventMs: envNumber("TAU_STREAM_FIRST_EVENT_TIMEOUT_MS") ?? limits.firstEventTimeoutMs,
		idleMs: envNumber("TAU_STREAM_IDLE_TIMEOUT_MS") ?? limits.idleTimeoutMs,
	};
}
