/** Cuts a stream of bytes into the events of a protocol, whichever way the protocol frames them. */
import type { Framing, ServerEvent } from "../wire/codec.ts";
import { AwsEventStreamParser } from "./aws-event-stream.ts";
import { NdjsonParser } from "./ndjson.ts";
import { SseParser } from "./sse.ts";

export interface EventParser {
	push(chunk: Uint8Array): { events: ServerEvent[]; failure?: string };
}

const parsers: Readonly<Record<Framing, () => EventParser>> = {
	sse: () => new SseParser(),
	ndjson: () => new NdjsonParser(),
	"aws-event-stream": () => new AwsEventStreamParser(),
};

export function eventParser(framing: Framing): EventParser {
	return parsers[framing]();
}
