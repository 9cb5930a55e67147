/** Parses a `text/event-stream` (WHATWG HTML, "server-sent events") from chunks of bytes, split anywhere. */
import { limits } from "./limits.ts";

export interface SseEvent {
	/** The name after `event:`, or "message". */
	event: string;
	data: string;
	/** The last id that the stream has set, by this event or an earlier one. */
	id?: string;
}

interface SseStep {
	events: SseEvent[];
	/** One line: why the stream cannot be read any further. Every later step repeats it, without events. */
	failure?: string;
}

interface SseEnd {
	/** What was incomplete at the end of the stream, and was dropped; absent after a clean end. */
	unfinished?: "line" | "event";
}

/** How servers end an event, and begin its lines. */
const eventEnd = "\n\n";
const namePrefix = "event: ";
const dataPrefix = "data: ";
const colon = 0x3a;
const space = 0x20;
const lineFeed = 0x0a;
const none = Number.POSITIVE_INFINITY;

export class SseParser {
	/** Strips one byte order mark at the start and replaces invalid UTF-8, as the standard requires. */
	readonly #decoder = new TextDecoder();
	/** The open line. It grows by `+=` only: reading from a rope would flatten it each time. */
	#line = "";
	#afterCarriageReturn = false;
	#data: string | undefined;
	#event = "";
	#id = "";
	/** Characters of the lines that the open event is made of. */
	#eventChars = 0;
	#retry: number | undefined;
	#failure: string | undefined;
	#stray = "";

	/** The lines that are neither fields nor comments. */
	get stray(): string {
		return this.#stray;
	}

	/** The reconnection time that the server requests, in milliseconds. */
	get retry(): number | undefined {
		return this.#retry;
	}

	push(chunk: Uint8Array): SseStep {
		const events: SseEvent[] = [];
		if (this.#failure === undefined) this.#read(this.#decoder.decode(chunk, { stream: true }), events);
		return this.#failure === undefined ? { events } : { events, failure: this.#failure };
	}

	/** The standard drops an open event at the end of a stream; servers that close without a blank line exist. */
	rest(): SseEvent[] {
		const events: SseEvent[] = [];
		if (this.#failure === undefined) this.#read(`${this.#decoder.decode()}\n\n`, events);
		return events;
	}

	end(): SseEnd {
		// Bytes of an incomplete character appear here, as a replacement character.
		this.#line += this.#decoder.decode();
		if (this.#line !== "") return { unfinished: "line" };
		return this.#eventChars > 0 || this.#failure !== undefined ? { unfinished: "event" } : {};
	}

	/** Whole events of the usual form are cut out by the engine's own search; everything else is read line by line. */
	#read(text: string, events: SseEvent[]): void {
		if (this.#afterCarriageReturn || text.includes("\r")) return this.#readLines(text, events);
		const first = this.#isBetweenEvents ? 0 : text.indexOf(eventEnd) + eventEnd.length;
		const last = text.lastIndexOf(eventEnd);
		if (last < first) return this.#readLines(text, events);
		this.#readLines(text.slice(0, first), events);
		for (const block of text.slice(first, last).split(eventEnd)) {
			if (this.#isBetweenEvents && this.#readEvent(block, events)) continue;
			this.#readLines(block + eventEnd, events);
		}
		this.#readLines(text.slice(last + eventEnd.length), events);
	}

	get #isBetweenEvents(): boolean {
		return this.#eventChars === 0 && this.#line === "" && this.#failure === undefined;
	}

	/** False for an event that is not a line of data, perhaps after a line with its name. */
	#readEvent(block: string, events: SseEvent[]): boolean {
		if (block.length > limits.sseEventChars) return false;
		const lineEnd = block.indexOf("\n");
		const isNamed = block.startsWith(namePrefix);
		const data = isNamed ? lineEnd + 1 : 0;
		const isWhole = isNamed ? lineEnd !== -1 && block.indexOf("\n", data) === -1 : lineEnd === -1;
		if (!isWhole || !block.startsWith(dataPrefix, data)) return false;
		const name = isNamed ? block.slice(namePrefix.length, lineEnd) : "";
		const event: SseEvent = { event: name || "message", data: block.slice(data + dataPrefix.length) };
		if (this.#id !== "") event.id = this.#id;
		events.push(event);
		return true;
	}

	#readLines(text: string, events: SseEvent[]): void {
		if (text === "" || this.#failure !== undefined) return;
		let start = this.#afterCarriageReturn && text.charCodeAt(0) === lineFeed ? 1 : 0;
		this.#afterCarriageReturn = false;
		// Each is searched again only once it is passed: a stream without CR is searched for CR once per chunk.
		let nextLf = find(text, "\n", start);
		let nextCr = find(text, "\r", start);
		while (nextLf !== none || nextCr !== none) {
			const end = Math.min(nextLf, nextCr);
			this.#endLine(text, start, end, events);
			if (this.#failure !== undefined) return;
			start = end + 1;
			if (end === nextCr) {
				if (nextLf === start) start++;
				else if (start === text.length) this.#afterCarriageReturn = true;
				nextCr = find(text, "\r", start);
			}
			if (nextLf < start) nextLf = find(text, "\n", start);
		}
		if (start < text.length) this.#line += text.slice(start);
		this.#checkSize(this.#line.length);
	}

	#endLine(text: string, start: number, end: number, events: SseEvent[]): void {
		if (this.#line === "") {
			this.#readLine(text, start, end, events);
			return;
		}
		const line = this.#line + text.slice(start, end);
		this.#line = "";
		this.#readLine(line, 0, line.length, events);
	}

	#readLine(text: string, start: number, end: number, events: SseEvent[]): void {
		if (start === end) {
			this.#dispatch(events);
			return;
		}
		if (!this.#checkSize(end - start)) return;
		// Searches for the names, not for the colon: that search could run through all later lines.
		if (isField(text, start, end, "data")) {
			const value = valueAfter(text, start + 4, end);
			this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
		} else if (isField(text, start, end, "event")) {
			this.#event = valueAfter(text, start + 5, end);
		} else if (isField(text, start, end, "id")) {
			const value = valueAfter(text, start + 2, end);
			if (!value.includes("\0")) this.#id = value;
		} else {
			if (isField(text, start, end, "retry")) this.#setRetry(valueAfter(text, start + 5, end));
			else if (text.charCodeAt(start) !== colon) this.#keepStray(text, start, end);
			return;
		}
		this.#eventChars += end - start;
	}

	#keepStray(text: string, start: number, end: number): void {
		const room = limits.strayChars - this.#stray.length;
		if (room <= 0 || end - start <= limits.fieldNameChars) return;
		this.#stray += `${text.slice(start, Math.min(end, start + room))}\n`;
	}

	#setRetry(value: string): void {
		if (/^[0-9]+$/.test(value)) this.#retry = Math.min(Number(value), limits.sseRetryMs);
	}

	#dispatch(events: SseEvent[]): void {
		if (this.#data !== undefined) {
			const event: SseEvent = { event: this.#event || "message", data: this.#data };
			if (this.#id !== "") event.id = this.#id;
			events.push(event);
		}
		this.#clearEvent();
	}

	#clearEvent(): void {
		this.#data = undefined;
		this.#event = "";
		this.#eventChars = 0;
	}

	#checkSize(lineChars: number): boolean {
		if (this.#eventChars + lineChars <= limits.sseEventChars) return true;
		this.#failure = `an event of the stream is larger than ${limits.sseEventChars} characters`;
		this.#line = "";
		this.#clearEvent();
		return false;
	}
}

function find(text: string, char: string, from: number): number {
	const at = text.indexOf(char, from);
	return at === -1 ? none : at;
}

function isField(text: string, start: number, end: number, name: string): boolean {
	const after = start + name.length;
	return text.startsWith(name, start) && (after === end || text.charCodeAt(after) === colon);
}

/** The value of the field whose name ends at `nameEnd`; empty for a field without a colon. */
function valueAfter(text: string, nameEnd: number, end: number): string {
	const start = nameEnd + 1;
	return text.slice(text.charCodeAt(start) === space ? start + 1 : start, end);
}
