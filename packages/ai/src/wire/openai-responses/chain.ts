/** Lets a request name the stored answer that it follows, instead of repeating the conversation up to it. */
import type { Json } from "../../json.ts";
import type { Model } from "../../types.ts";
import { isOwn, itemsOf, type Turn } from "./input.ts";
import { limits } from "./limits.ts";

/**
 * An answer may only be followed when the server stored it for exactly the current conversation before it: a
 * compaction, an edit or another account makes the stored one a different conversation. So the inputs that were sent
 * to be stored are remembered, as fingerprints.
 */
export class Chain {
	readonly #stored = new Set<string>();
	readonly #most: number;

	/** `most`: how many inputs the server has. */
	constructor(most: number = limits.storedInputs) {
		this.#most = most;
	}

	/** The input for these turns, which is remembered as stored. `account` identifies its owner. */
	follow(model: Model, turns: readonly Turn[], account: string): Json {
		const at = turns.findLastIndex(({ message }) => message.role === "assistant");
		const answer = turns[at]?.message;
		const news = itemsOf(turns.slice(at + 1));
		const follows =
			answer?.role === "assistant" &&
			answer.stopReason !== "length" &&
			// The server has it as it was.
			answer.elided === undefined &&
			isOwn(model, answer) &&
			news.length > 0 &&
			this.#stored.has(fingerprint(model, turns.slice(0, at), account));
		this.#remember(fingerprint(model, turns, account));
		return follows && answer.responseId
			? { previous_response_id: answer.responseId, input: news }
			: { input: itemsOf(turns) };
	}

	#remember(input: string): void {
		this.#stored.add(input);
		if (this.#stored.size <= this.#most) return;
		const [oldest] = this.#stored;
		if (oldest !== undefined) this.#stored.delete(oldest);
	}
}

function fingerprint({ baseUrl, id }: Model, turns: readonly Turn[], account: string): string {
	const hasher = new Bun.CryptoHasher("sha256");
	return hasher.update(JSON.stringify([baseUrl, id, account, itemsOf(turns)])).digest("base64");
}
