/** Splits what a server writes into messages, each on a line, with a bound on their length. */
import { ByteLines, isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

export type MessageLine =
	| { kind: "message"; message: Record<string, unknown> }
	/** `id`: of the request that it answers, if that can be told from its ends. */
	| { kind: "too-long"; id: string | number | undefined }
	/** Nothing else can be read behind it. */
	| { kind: "endless" }
	| { kind: "garbage"; text: string };

/** A line that is too long to keep. */
interface SkippedLine {
	/** Its call has failed already. */
	isAnswered: boolean;
	length: number;
	tail: Buffer;
}

export class MessageLines {
	readonly #onLine: (line: MessageLine) => void;
	readonly #lines = new ByteLines(limits.messageBytes);
	#skipped: SkippedLine | undefined;

	constructor(onLine: (line: MessageLine) => void) {
		this.#onLine = onLine;
	}

	push(chunk: Uint8Array): void {
		for (const part of this.#lines.push(chunk)) {
			if (part.kind === "line") this.#take(part.bytes);
			else if (part.kind === "excess-end") this.#end();
			else if (this.#skipped) this.#skip(this.#skipped, part.bytes);
			else this.#begin(part.bytes);
		}
	}

	#take(bytes: Buffer): void {
		const text = bytes.toString("utf8").trim();
		if (text !== "") this.#onLine(lineOf(text));
	}

	/** The call does not wait for a line that may have no end. */
	#begin(bytes: Buffer): void {
		const id = idAtStart(bytes.subarray(0, limits.messageEndBytes));
		this.#skipped = { isAnswered: id !== undefined, length: bytes.length, tail: lastBytes(bytes) };
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
		if (skipped && !skipped.isAnswered) this.#onLine({ kind: "too-long", id: idAtEnd(skipped.tail) });
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
