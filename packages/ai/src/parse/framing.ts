/** Splits a stream of bytes into the events of a protocol, in any of the supported framings. */
import type { Framing, ServerEvent } from "../wire/codec.ts";
import { AwsEventStreamParser } from "./aws-event-stream.ts";
import { limits } from "./limits.ts";
import { SseParser } from "./sse.ts";

export interface EventParser {
	push(chunk: Uint8Array): { events: ServerEvent[]; failure?: string };
	/** The event that the end of the body left open; the server may have sent only a part of it. */
	rest(): ServerEvent[];
	/** The beginning of what was not an event, such as a proxy's plain text. */
	readonly stray: string;
}

const parsers: Readonly<Record<Framing, () => EventParser>> = {
	sse: () => new SseParser(),
	ndjson: () => new NdjsonParser(),
	"aws-event-stream": () => new AwsEventStreamParser(),
};

export function eventParser(framing: Framing): EventParser {
	return parsers[framing]();
}

/** Parses a stream of JSON lines from chunks of bytes, split anywhere. */
class NdjsonParser {
	readonly #decoder = new TextDecoder();
	/** The open line. It grows by `+=` only: reading from a rope would flatten it each time. */
	#line = "";
	#failure: string | undefined;
	/** Every line is an event. */
	readonly stray = "";

	push(chunk: Uint8Array): { events: ServerEvent[]; failure?: string } {
		const events: ServerEvent[] = [];
		if (this.#failure === undefined) this.#read(this.#decoder.decode(chunk, { stream: true }), events);
		return this.#failure === undefined ? { events } : { events, failure: this.#failure };
	}

	rest(): ServerEvent[] {
		const events: ServerEvent[] = [];
		if (this.#failure === undefined) this.#read(`${this.#decoder.decode()}\n`, events);
		return events;
	}

	#read(text: string, events: ServerEvent[]): void {
		let start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			const data = (this.#line + text.slice(start, end)).trim();
			this.#line = "";
			if (data !== "") events.push({ event: "", data });
			start = end + 1;
		}
		this.#line += text.slice(start);
		if (this.#line.length > limits.sseEventChars) {
			this.#failure = `The server sent a line of more than ${limits.sseEventChars} characters`;
		}
	}
}
