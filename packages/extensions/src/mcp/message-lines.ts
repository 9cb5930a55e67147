/** Splits what a server writes into messages, each on a line, with a bound on their length. */
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

export type MessageLine =
	| { kind: "message"; message: Record<string, unknown> }
	/** `id`: of the request that it answers, if that can be told from its ends. */
	| { kind: "too-long"; id: string | number | undefined }
	/** Nothing else can be read behind it. */
	| { kind: "endless" }
	| { kind: "garbage"; text: string };

const newline = 0x0a;

/** A line that is too long to keep. */
interface SkippedLine {
	/** Its call has failed already. */
	isAnswered: boolean;
	length: number;
	tail: Buffer;
}

export class MessageLines {
	readonly #onLine: (line: MessageLine) => void;
	readonly #parts: Buffer[] = [];
	#length = 0;
	#skipped: SkippedLine | undefined;

	constructor(onLine: (line: MessageLine) => void) {
		this.#onLine = onLine;
	}

	push(chunk: Uint8Array): void {
		let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
		for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
			this.#add(rest.subarray(0, at));
			this.#end();
			rest = rest.subarray(at + 1);
		}
		this.#add(rest);
	}

	#add(part: Buffer): void {
		if (part.length === 0) return;
		if (this.#skipped) {
			this.#skip(this.#skipped, part);
			return;
		}
		// The chunk belongs to the stream, which uses it again.
		this.#parts.push(Buffer.from(part));
		this.#length += part.length;
		if (this.#length <= limits.messageBytes) return;
		const whole = Buffer.concat(this.#parts);
		const id = idAtStart(whole.subarray(0, limits.messageEndBytes));
		this.#skipped = { isAnswered: id !== undefined, length: whole.length, tail: lastBytes(whole) };
		this.#parts.length = 0;
		this.#length = 0;
		// The call does not wait for a line that may have no end.
		if (id !== undefined) this.#onLine({ kind: "too-long", id });
	}

	#skip(skipped: SkippedLine, part: Buffer): void {
		const before = skipped.length;
		skipped.length += part.length;
		skipped.tail = lastBytes(Buffer.concat([skipped.tail, lastBytes(part)]));
		const most = skipped.isAnswered ? limits.answeredLineBytes : limits.lineBytes;
		if (before <= most && skipped.length > most) this.#onLine({ kind: "endless" });
	}

	#end(): void {
		const skipped = this.#skipped;
		this.#skipped = undefined;
		if (skipped) {
			if (!skipped.isAnswered) this.#onLine({ kind: "too-long", id: idAtEnd(skipped.tail) });
			return;
		}
		const text =
			(this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts))?.toString("utf8").trim() ?? "";
		this.#parts.length = 0;
		this.#length = 0;
		if (text !== "") this.#onLine(lineOf(text));
	}
}

function lineOf(text: string): MessageLine {
	const garbage: MessageLine = { kind: "garbage", text: text.slice(0, limits.logLineChars) };
	if (!text.startsWith("{")) return garbage;
	try {
		const message: unknown = JSON.parse(text);
		return isRecord(message) && message.jsonrpc === "2.0" ? { kind: "message", message } : garbage;
	} catch {
		return garbage;
	}
}

/** Servers write the id first or last. */
function idAtStart(head: Buffer): string | number | undefined {
	return idOf(/^\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+|"[^"\\]{1,100}")/.exec(head.toString("latin1")));
}

function idAtEnd(tail: Buffer): string | number | undefined {
	const end = /"id":\s*(\d+|"[^"\\]{1,100}")\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/;
	return idOf(end.exec(tail.toString("latin1")));
}

function idOf(match: RegExpExecArray | null): string | number | undefined {
	return match?.[1] === undefined ? undefined : (JSON.parse(match[1]) as string | number);
}

function lastBytes(bytes: Buffer): Buffer {
	return Buffer.from(bytes.subarray(-limits.messageEndBytes));
}
