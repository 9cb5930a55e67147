/** Asks a model and streams its answer: codec, transport and draft put together. */
import { authorizer } from "./auth/index.ts";
import { MessageBuilder } from "./message-builder.ts";
import { failure } from "./failure.ts";
import { writeJson } from "./json.ts";
import { readAnswer } from "./read-answer.ts";
import { silenceFor, type HttpRequest } from "./transport/index.ts";
import {
	ownStream,
	wireApis,
	type Context,
	type Model,
	type StreamFunction,
	type StreamOptions,
} from "./types.ts";
import { retentionFrom } from "./wire/cache.ts";
import type { Codec, Decoder, ServerEvent } from "./wire/codec.ts";
import { initiatorHeaders } from "./wire/initiator.ts";
import { codecFor } from "./wire/table.ts";

/** Nothing can be added for the whole process: another way to answer is a model's `ownStream`, or a session's `stream`. */
export const stream: StreamFunction = (model, context, options = {}) =>
	(model[ownStream] ?? streamByCodec)(model, context, options);

/** By the built-in protocol of the model's api, whatever a session has in its place. */
export const streamByCodec: StreamFunction = (model, context, options = {}) => {
	const reader = new AbortController();
	const builder = new MessageBuilder(model, () => reader.abort());
	const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
	const cacheRetention = options.cacheRetention ?? retentionFrom(process.env);
	void converse(builder, model, context, { ...options, cacheRetention, signal }).catch((error: unknown) => {
		builder.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	});
	return builder.stream;
};

async function converse(
	builder: MessageBuilder,
	model: Model,
	context: Context,
	options: StreamOptions & { signal: AbortSignal },
): Promise<void> {
	const codec = await codecFor(model.api);
	if (!codec) {
		const known = wireApis.join(", ");
		builder.fail(failure("invalid_request", `No protocol named "${model.api}" (known: ${known})`));
		return;
	}
	const { signal, apiKey } = options;
	const request = await compose(codec, model, context, options);
	const refused = await authorizer(codec.auth)(request, {
		model,
		env: process.env,
		signal,
		...(apiKey === undefined ? {} : { apiKey }),
	});
	// The user's own options for a model or a call override those of the protocol and the key.
	addHeaders(request.headers, model.headers, options.headers);
	if (refused && !signal.aborted) {
		builder.fail(refused);
		return;
	}
	const decoder = watched(codec.decoder(builder), model, options);
	const failed = await readAnswer(builder, decoder, codec.framing, request);
	if (options.signal.aborted) builder.abort();
	else if (failed) builder.fail(failed);
}

/** Only decode twice when someone listens. */
function watched(
	decoder: Decoder,
	model: Model,
	{ onProviderStreamEvent }: Pick<StreamOptions, "onProviderStreamEvent">,
): Decoder {
	if (!onProviderStreamEvent) return decoder;
	return {
		event(event) {
			onProviderStreamEvent(dataOf(event), model);
			return decoder.event(event);
		},
		end: () => decoder.end(),
	};
}

/** Data that is not JSON, such as the mark at the end of some streams, is emitted unchanged. */
function dataOf({ data }: ServerEvent): unknown {
	try {
		return JSON.parse(data);
	} catch {
		return data;
	}
}

/** Base URLs are written with and without the version; both mean the same. */
function endpoint(baseUrl: string, path: string): string {
	const base = baseUrl.replace(/\/+$/, "");
	const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
	return version && base.endsWith(version) ? base + path.slice(version.length) : base + path;
}

async function compose(
	codec: Codec,
	model: Model,
	context: Context,
	options: StreamOptions & { signal: AbortSignal },
): Promise<HttpRequest> {
	const payload = codec.encode(model, context, options);
	const headers = new Headers({ "content-type": "application/json" });
	addHeaders(headers, codec.headers(model, context, options), initiatorHeaders(model, context));
	const base = codec.baseUrl?.(model, process.env) ?? model.baseUrl;
	return {
		url: endpoint(base, codec.path(model, options)),
		headers,
		body: writeJson((await options.onPayload?.(payload, model)) ?? payload),
		silence: silenceFor(model.api),
		signal: options.signal,
		onHead: (status, responseHeaders) =>
			options.onResponse?.({ status, headers: responseHeaders.toJSON() }, model),
	};
}

/** The later wins, however its name is spelled: two spellings in one object would be sent as one joined value. */
function addHeaders(headers: Headers, ...sources: (Readonly<Record<string, string>> | undefined)[]): void {
	for (const source of sources) {
		for (const [name, value] of Object.entries(source ?? {})) headers.set(name, value);
	}
}
