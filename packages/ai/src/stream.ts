/** Asks a model and streams its answer: codec, transport and draft put together. */
import { abortable, environment } from "@tau/utils/portable";

import { authorizer } from "./auth/index.ts";
import { MessageBuilder } from "./message-builder.ts";
import { failure } from "./failure.ts";
import { writeBody, writeJson } from "./json.ts";
import { AnswerBody } from "./answer-body.ts";
import { endpoint, Gathering, post, silenceFor, type HttpRequest } from "./transport/index.ts";
import {
	ownStream,
	wireApis,
	type Context,
	type Failure,
	type KeptConnection,
	type Model,
	type StreamFunction,
	type StreamOptions,
} from "./types.ts";
import { retentionFrom } from "./wire/cache.ts";
import type { Codec, Decoder, ServerEvent } from "./wire/codec.ts";
import { initiatorHeaders } from "./wire/initiator.ts";
import { codecFor } from "./wire/table.ts";

/** Nothing can be added for the whole process: another way to answer is a model's `ownStream`, or a session's `stream`. */
export const stream: StreamFunction = (model, context, options) =>
	answererFor(model)(model, context, options);

const answererFor = (model: Model): StreamFunction => model[ownStream] ?? streamByCodec;
stream.for = answererFor;

/** By the built-in protocol of the model's api, whatever a session has in its place. */
export const streamByCodec: StreamFunction = (model, context, options = {}) => {
	const reader = new AbortController();
	const builder = new MessageBuilder(model, () => reader.abort());
	const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
	const cacheRetention = options.cacheRetention ?? retentionFrom(environment());
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
	const turn: Turn = { codec, builder, model, context, options };
	const answered = await askOverSocket(turn);
	const failed = answered === "unavailable" ? await askOverHttp(turn) : answered;
	if (options.signal.aborted) builder.abort();
	else if (failed) builder.fail(failed);
}

/** One request and what receives its answer. */
interface Turn {
	codec: Codec;
	builder: MessageBuilder;
	model: Model;
	context: Context;
	options: StreamOptions & { signal: AbortSignal };
}

async function askOverHttp({ codec, builder, model, context, options }: Turn): Promise<Failure | undefined> {
	if (options.signal.aborted) return undefined;
	const request = await compose(codec, model, context, options);
	const refused = await authorize(codec, request, model, options);
	if (refused) return refused;
	const decoder = watched(codec.decoder(builder), model, options);
	const body = new AnswerBody(builder, decoder, { ...request, framing: codec.framing });
	if (options.waitsForReader) request.ready = () => abortable(builder.stream.idle(), options.signal);
	else if (options.isWatched) {
		const gathering = new Gathering(options.signal);
		request.ready = (chunk) => gathering.after(chunk);
	}
	return body.end(await post(request, body.take));
}

/** `unavailable` if the request has to go over HTTP, as most do. */
async function askOverSocket(turn: Turn): Promise<Failure | "unavailable" | undefined> {
	const { codec, builder, model, context, options } = turn;
	const { connection } = options;
	const { socket } = codec;
	if (!connection || options.sender) return "unavailable";
	if (!socket || options.compaction || !wantsSocket(connection, model)) {
		// Another model answers: it begins with a connection of its own.
		connection.open?.[Symbol.dispose]();
		connection.open = undefined;
		return "unavailable";
	}
	const { ConversationSocket } = await import("./conversation-socket.ts");
	const known = connection.open instanceof ConversationSocket ? connection.open : undefined;
	const kept = known ?? new ConversationSocket();
	connection.open = kept;
	const headers = new Headers();
	addHeaders(headers, socket.headers(model, context, options));
	const { url, silence, signal, onHead } = shared(codec, model, options);
	const request = { url, headers, silence, signal, body: "", onHead };
	const refused = await authorize(codec, request, model, options);
	if (refused) return refused;
	return await kept.ask({
		...request,
		key: JSON.stringify([url, model.id, headers.toJSON()]),
		encoder: () => socket.encoder(),
		write: async (encode) => {
			const payload = encode(model, context, options);
			return await bodyOf(payload, model, options);
		},
		read: async (send) => {
			let isRestart = false;
			const decoder = watched(codec.decoder(builder), model, options);
			const watching: Decoder = {
				event(event) {
					isRestart = socket.isRestart(event);
					return decoder.event(event);
				},
				end: () => decoder.end(),
			};
			const body = new AnswerBody(builder, watching, { framing: "sse", url });
			const failed = body.end(await send(body.take));
			return { failed, isRestart, hasContent: builder.message.content.length > 0 };
		},
	});
}

function wantsSocket({ websocket }: KeptConnection, { compat }: Model): boolean {
	return websocket === "on" || (websocket === "auto" && compat?.supportsWebsocket === true);
}

/** The failure if there are no credentials for the request. */
async function authorize(
	codec: Codec,
	request: HttpRequest,
	model: Model,
	{ signal, apiKey, headers, sender }: StreamOptions & { signal: AbortSignal },
): Promise<Failure | undefined> {
	if (sender?.isOffline) return undefined;
	const refused = await authorizer(codec.auth)(request, {
		model,
		env: environment(),
		signal,
		...(apiKey === undefined ? {} : { apiKey }),
	});
	// The user's own options for a model or a call override those of the protocol and the key.
	addHeaders(request.headers, model.headers, headers);
	return signal.aborted ? undefined : refused;
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

async function compose(
	codec: Codec,
	model: Model,
	context: Context,
	options: StreamOptions & { signal: AbortSignal },
): Promise<HttpRequest> {
	const payload = codec.encode(model, context, options);
	const headers = new Headers({ "content-type": "application/json" });
	addHeaders(headers, codec.headers(model, context, options), initiatorHeaders(model, context));
	return {
		...shared(codec, model, options),
		headers,
		body: await bodyOf(payload, model, options),
	};
}

async function bodyOf(payload: unknown, model: Model, { onPayload }: StreamOptions): Promise<string> {
	if (!onPayload) return writeBody(payload);
	// It may change what it gets, and parts of the payload belong to later requests, too.
	const own = structuredClone(payload);
	return writeJson((await onPayload(own, model)) ?? own);
}

/** What does not depend on how the request is sent. */
function shared(
	codec: Codec,
	model: Model,
	options: StreamOptions & { signal: AbortSignal },
): Pick<HttpRequest, "url" | "silence" | "signal" | "sender"> & Required<Pick<HttpRequest, "onHead">> {
	const base = codec.baseUrl?.(model, environment()) ?? model.baseUrl;
	return {
		url: endpoint(base, codec.path(model, options)),
		silence: silenceFor(model.api),
		signal: options.signal,
		sender: options.sender,
		onHead: (status, headers) => options.onResponse?.({ status, headers: headers.toJSON() }, model),
	};
}

/** The later wins, however its name is spelled: two spellings in one object would be sent as one joined value. */
function addHeaders(headers: Headers, ...sources: (Readonly<Record<string, string>> | undefined)[]): void {
	for (const source of sources) {
		for (const [name, value] of Object.entries(source ?? {})) headers.set(name, value);
	}
}
