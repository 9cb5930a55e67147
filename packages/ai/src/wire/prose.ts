/** Text and thinking for protocols without blocks: each piece continues the previous one, until its kind changes. */
import type { Draft } from "../draft.ts";

type Kind = "text" | "thinking";

export class Prose {
	readonly #draft: Draft;
	#open: { kind: Kind; index: number } | undefined;

	constructor(draft: Draft) {
		this.#draft = draft;
	}

	/** The index of the open block in the message; -1 if none is open. */
	get index(): number {
		return this.#open?.index ?? -1;
	}

	/** `thinkingSignature` is for thinking that begins here. */
	say(kind: Kind, text: string, thinkingSignature = ""): void {
		if (text === "") return;
		if (this.#open?.kind !== kind) this.begin(kind, thinkingSignature);
		this.#draft.append(this.index, text);
	}

	begin(kind: Kind, thinkingSignature = ""): void {
		this.end();
		const signed = thinkingSignature === "" ? undefined : { thinkingSignature };
		const index = kind === "text" ? this.#draft.openText() : this.#draft.openThinking(signed);
		this.#open = { kind, index };
	}

	end(): void {
		if (this.#open) this.#draft.close(this.#open.index);
		this.#open = undefined;
	}
}
