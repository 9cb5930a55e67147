/** Reads the body of an answer: a stream of events, or the document of a server that does not stream. */
import { classify, failure } from "./failure.ts";
import { limits } from "./limits.ts";
import type { MessageBuilder } from "./message-builder.ts";
import { eventParser, type EventParser } from "./parse/index.ts";
import { hostOf, type Verdict } from "./transport/index.ts";
import type { Failure } from "./types.ts";
import { notJson } from "./wire/broken.ts";
import type { Decoder, Framing, ServerEvent } from "./wire/codec.ts";

export class AnswerBody {
	readonly #builder: MessageBuilder;
	readonly #decoder: Decoder;
	readonly #parser: EventParser;
	readonly #framing: Framing;
	readonly #host: string;
	#isEmpty = true;
	#document: DocumentText | undefined;
	#failed: Failure | undefined;

	constructor(
		builder: MessageBuilder,
		decoder: Decoder,
		{ framing, url }: { framing: Framing; url: string },
	) {
		this.#builder = builder;
		this.#decoder = decoder;
		this.#parser = eventParser(framing);
		this.#framing = framing;
		this.#host = hostOf(url);
	}

	/** Given to the transport, which calls it with each chunk. */
	readonly take = (chunk: Uint8Array): Verdict => {
		if (this.#isEmpty) this.#begin(chunk);
		if (this.#document) return this.#document.add(chunk) ? "nothing" : this.#fail(this.#document.tooLong());
		const before = this.#builder.progress;
		const step = this.#parser.push(chunk);
		if (!this.#read(step.events)) return this.#failed ? "broken" : "complete";
		if (step.failure !== undefined) return this.#fail(failure("network", step.failure));
		if (this.#builder.progress === before) return "nothing";
		return this.#builder.message.content.at(-1)?.type === "thinking" ? "thinking" : "progress";
	};

	/** `lost` is why the connection ended, if it broke. */
	end(lost: Failure | undefined): Failure | undefined {
		if (this.#failed || this.#builder.ended) return this.#failed;
		if (this.#document) return this.#endDocument(this.#document, lost);
		if (!this.#read(this.#parser.rest().filter((event) => isComplete(event, lost !== undefined))))
			return this.#failed;
		const unfinished = this.#decoder.end();
		return unfinished && (lost ?? this.#strayText() ?? unfinished);
	}

	/** Feeds the decoder. False if the answer has ended, well or not. */
	#read(events: readonly ServerEvent[]): boolean {
		return this.#builder.batch(() => this.#decode(events));
	}

	#decode(events: readonly ServerEvent[]): boolean {
		for (const event of events) {
			this.#failed = this.#decoder.event(event);
			if (this.#failed || this.#builder.ended) return false;
		}
		return true;
	}

	#fail(why: Failure): Verdict {
		this.#failed = why;
		return "broken";
	}

	/** No stream of events begins like a document, whatever its content type says. */
	#begin(chunk: Uint8Array): void {
		const start = new TextDecoder().decode(chunk.subarray(0, limits.sniffedBytes)).trimStart();
		if (start === "") return;
		this.#isEmpty = false;
		// A line of JSON is an event there; a longer document breaks its first line.
		const document = this.#framing === "ndjson" ? /^(?:<|\[|\{\s*\n)/ : /^[<[{]/;
		if (document.test(start)) this.#document = new DocumentText(this.#host);
	}

	#endDocument(document: DocumentText, lost: Failure | undefined): Failure | undefined {
		const events = document.events();
		if (!events) return lost ?? document.unreadable();
		if (!this.#read(events)) return this.#failed;
		const unfinished = this.#decoder.end();
		return unfinished && (lost ?? (this.#builder.progress > 0 ? unfinished : document.foreign()));
	}

	/** A proxy that has lost its server may say so in plain words, in the middle of a stream. */
	#strayText(): Failure | undefined {
		const text = this.#parser.stray.trim();
		if (text === "") return undefined;
		const refusal = classify({ body: text });
		if (refusal.kind !== "unknown") return refusal;
		return failure("network", `${this.#host} sent text instead of the rest of the answer: ${text}`);
	}
}

/** A body that is one document. */
class DocumentText {
	readonly #host: string;
	readonly #decoder = new TextDecoder();
	#text = "";

	constructor(host: string) {
		this.#host = host;
	}

	add(chunk: Uint8Array): boolean {
		this.#text += this.#decoder.decode(chunk, { stream: true });
		return this.#text.length <= limits.answerChars;
	}

	/** The answers in it: one, a list of them, or one in each line. Undefined if it is not JSON. */
	events(): ServerEvent[] | undefined {
		const whole = parsed(this.#text);
		if (Array.isArray(whole)) return whole.map((each) => asEvent(JSON.stringify(each)));
		if (whole !== undefined) return [asEvent(this.#text)];
		const lines = this.#text.split("\n").filter((line) => line.trim() !== "");
		return lines.every((line) => parsed(line) !== undefined) ? lines.map(asEvent) : undefined;
	}

	tooLong(): Failure {
		return failure("unknown", `The answer is longer than ${limits.answerChars} characters`);
	}

	unreadable(): Failure {
		if (!this.#text.trimStart().startsWith("<")) return notJson(this.#text, "an answer");
		const { message } = classify({ body: this.#text });
		return failure(
			"invalid_request",
			`${this.#host} answered with a web page instead of a model's answer (${message}). Check the base URL, and whether the network wants you to sign in`,
		);
	}

	foreign(): Failure {
		const { kind } = classify({ body: this.#text });
		return failure(kind, `${this.#host} answered with JSON that is not a model's answer: ${this.#text}`);
	}
}

function asEvent(data: string): ServerEvent {
	return { event: "", data };
}

/** JSON that was cut off is not an event, and neither is plain text when the connection broke in it. */
function isComplete({ data }: ServerEvent, wasCut: boolean): boolean {
	if (data === "[DONE]" || parsed(data) !== undefined) return true;
	return !wasCut && /^\s*[^\s[{]/.test(data);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		// The caller decides what a text means that is not JSON.
		return undefined;
	}
}
