/** Text and thinking for protocols without blocks: each piece continues the previous one, until its kind changes. */
import type { MessageBuilder } from "../message-builder.ts";

type Kind = "text" | "thinking";

export class Prose {
	readonly #builder: MessageBuilder;
	#open: { kind: Kind; index: number } | undefined;

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
	}

	/** The index of the open block in the message; -1 if none is open. */
	get index(): number {
		return this.#open?.index ?? -1;
	}

	/** `thinkingSignature` is for thinking that begins here. */
	append(kind: Kind, text: string, thinkingSignature = ""): void {
		if (text === "") return;
		if (this.#open?.kind !== kind) this.begin(kind, thinkingSignature);
		this.#builder.append(this.index, text);
	}

	begin(kind: Kind, thinkingSignature = ""): void {
		this.end();
		const signed = thinkingSignature === "" ? undefined : { thinkingSignature };
		const index = kind === "text" ? this.#builder.openText() : this.#builder.openThinking(signed);
		this.#open = { kind, index };
	}

	end(): void {
		if (this.#open) this.#builder.close(this.#open.index);
		this.#open = undefined;
	}
}
