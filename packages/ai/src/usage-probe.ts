/** Reads what an answer used from bytes that pass: late and together, as the bytes themselves must not wait for it. */
import { limits } from "./limits.ts";
import { MessageBuilder } from "./message-builder.ts";
import { eventParser } from "./parse/index.ts";
import type { AssistantMessage, Model } from "./types.ts";
import type { Codec, ServerEvent } from "./wire/codec.ts";
import { codecFor } from "./wire/table.ts";

/** What every protocol calls its counts of tokens, or the beginning of it. */
const countsField = '"usage';

export class UsageProbe {
	readonly #model: Model;
	readonly #codec: Codec;
	/** Pieces that were not read yet. */
	#waiting: Uint8Array[] = [];
	#waitingBytes = 0;
	/** Of an answer that is too long to wait for its end. */
	#reader: Reader | undefined;

	private constructor(model: Model, codec: Codec) {
		this.#model = model;
		this.#codec = codec;
	}

	static async of(model: Model): Promise<UsageProbe | undefined> {
		const codec = await codecFor(model.api);
		return codec && new UsageProbe(model, codec);
	}

	take(piece: Uint8Array): void {
		this.#waiting.push(piece);
		this.#waitingBytes += piece.length;
		if (this.#waitingBytes >= limits.probeBytes || this.#waiting.length >= limits.probePieces)
			this.#readAll();
	}

	/** An answer that was not streamed. */
	document(data: string): AssistantMessage {
		const reader = new Reader(this.#model, this.#codec);
		reader.event({ event: "", data });
		return reader.message;
	}

	/** The counts of a stream, with their cost by the model's prices; its content only if they are missing, or if it is asked for. */
	message(withContent: boolean): AssistantMessage {
		if (!withContent && !this.#reader) {
			const reader = new Reader(this.#model, this.#codec);
			reader.read(this.#waiting, ({ data }) => data.includes(countsField));
			if (reader.message.usage.totalTokens > 0) return reader.message;
		}
		return this.#readAll().message;
	}

	#readAll(): Reader {
		const reader = (this.#reader ??= new Reader(this.#model, this.#codec));
		reader.read(this.#waiting);
		this.#waiting = [];
		this.#waitingBytes = 0;
		return reader;
	}
}

class Reader {
	readonly #builder: MessageBuilder;
	readonly #decoder: ReturnType<Codec["decoder"]>;
	readonly #parser = eventParser("sse");

	constructor(model: Model, codec: Codec) {
		this.#builder = new MessageBuilder(model);
		this.#decoder = codec.decoder(this.#builder);
	}

	get message(): AssistantMessage {
		return this.#builder.message;
	}

	event(event: ServerEvent): void {
		this.#decoder.event(event);
	}

	read(pieces: readonly Uint8Array[], isWanted: (event: ServerEvent) => boolean = () => true): void {
		const { events } = this.#parser.push(Buffer.concat(pieces));
		this.#builder.batch(() => {
			for (const event of events) if (isWanted(event)) this.#decoder.event(event);
		});
	}
}
