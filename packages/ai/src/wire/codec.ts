/** The interface of every wire protocol: encoding a request and decoding the answer. */
import type { Env } from "@tau/utils";

import type { AuthScheme } from "../auth/index.ts";
import type { MessageBuilder } from "../message-builder.ts";
import type { Api, Context, Failure, Model, StreamOptions } from "../types.ts";

/** One event of the server, already extracted from the byte stream. */
export interface ServerEvent {
	/** The SSE event name; empty if the protocol does not use names. */
	event: string;
	data: string;
}

export interface Decoder {
	/** Adds one event to the draft. A returned failure ends the stream. */
	event(event: ServerEvent): Failure | undefined;
	/** The server closed the stream. A returned failure means that it closed too early. */
	end(): Failure | undefined;
}

/** How a protocol splits its stream of bytes into events. */
export type Framing = "sse" | "ndjson" | "aws-event-stream";

/** Encodes the messages of one websocket, in order: what the server has from an earlier one is left out of a later one. */
export type SocketEncoder = (model: Model, context: Context, options: StreamOptions) => unknown;

/** The same protocol over a websocket that the requests of a conversation share. */
export interface SocketForm {
	/** Headers of the handshake, without credentials. */
	headers(model: Model, context: Context, options: StreamOptions): Record<string, string>;
	encoder(): SocketEncoder;
	/** True for an event that asks for the whole conversation on another websocket. */
	isRestart(event: ServerEvent): boolean;
}

/** Pure: knows nothing of HTTP beyond the names that the protocol itself defines. */
export interface Codec {
	readonly api: Api;
	readonly framing: Framing;
	readonly auth: AuthScheme;
	/** The server's address, for protocols whose address depends on a region, project or deployment. */
	baseUrl?(model: Model, env: Env): string;
	/** The path of requests, below the base URL. */
	path(model: Model, options: StreamOptions): string;
	/** Headers that the protocol requires, without credentials. */
	headers(model: Model, context: Context, options: StreamOptions): Record<string, string>;
	encode(model: Model, context: Context, options: StreamOptions): unknown;
	decoder(builder: MessageBuilder): Decoder;
	readonly socket?: SocketForm;
}
