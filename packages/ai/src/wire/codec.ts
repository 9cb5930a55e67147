/** What every wire protocol is to the rest of the house: a way to ask and a way to understand the answer. */
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

/** Pure: knows nothing of HTTP beyond the names that the protocol itself fixes. */
export interface Codec {
	readonly api: Api;
	/** Where requests go, below the model's base URL. */
	readonly path: string;
	/** Headers that the protocol demands, without credentials. */
	readonly headers: Readonly<Record<string, string>>;
	/** How a plain API key is presented when the provider's row does not say otherwise. */
	readonly keyHeader: "x-api-key" | "authorization";
	encode(model: Model, context: Context, options: StreamOptions): unknown;
	decoder(draft: Draft): Decoder;
}
