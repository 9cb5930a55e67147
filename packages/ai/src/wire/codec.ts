/** What every wire protocol is to the rest of the house: a way to ask and a way to understand the answer. */
import type { Env } from "@tau/utils";

import type { AuthScheme } from "../auth/index.ts";
import type { Draft } from "../draft.ts";
import type { Api, Context, Failure, Model, StreamOptions } from "../types.ts";

/** One event of the server, already cut out of the byte stream. */
export interface ServerEvent {
	/** The SSE event name; empty where the protocol does not use names. */
	event: string;
	data: string;
}

export interface Decoder {
	/** Takes one event into the draft. A failure that it names ends the stream. */
	event(event: ServerEvent): Failure | undefined;
	/** The server closed the stream. A failure says that it closed too early. */
	end(): Failure | undefined;
}

/** How a protocol cuts its stream of bytes into events. */
export type Framing = "sse" | "ndjson" | "aws-event-stream";

/** Pure: knows nothing of HTTP beyond the names that the protocol itself fixes. */
export interface Codec {
	readonly api: Api;
	readonly framing: Framing;
	readonly auth: AuthScheme;
	/** Where the server is, for protocols whose address depends on a region, project or deployment. */
	baseUrl?(model: Model, env: Env): string;
	/** Where requests go, below the base URL. */
	path(model: Model, options: StreamOptions): string;
	/** Headers that the protocol demands, without credentials. */
	headers(model: Model, context: Context, options: StreamOptions): Record<string, string>;
	encode(model: Model, context: Context, options: StreamOptions): unknown;
	decoder(draft: Draft): Decoder;
}
