/** Reasoning that a gateway wants back as it came: pieces of a stream put together, and kept as a signature. */
import { count, isObject, list, string, type Json } from "../../json.ts";
import { limits } from "../../limits.ts";

/** Fields that come in pieces; the others come once. */
const grown = ["text", "summary", "data"] as const;

export class ReasoningDetails {
	readonly #details: Json[] = [];
	#chars = 0;

	/** Takes the pieces of one chunk. True when there is something that only its own provider can read. */
	add(pieces: unknown): boolean {
		for (const piece of list(pieces)) if (isObject(piece)) this.#put(piece);
		return this.#isSigned();
	}

	/** What has to be sent back. Plain words need no signature: they come in a field of their own as well. */
	get signature(): string | undefined {
		const kept = this.#isSigned() && this.#chars <= limits.answerChars;
		return kept ? JSON.stringify(this.#details) : undefined;
	}

	#isSigned(): boolean {
		return this.#details.some((detail) => string(detail.signature) !== "" || string(detail.data) !== "");
	}

	#put(piece: Json): void {
		for (const field of [...grown, "signature"]) this.#chars += string(piece[field]).length;
		if (this.#chars > limits.answerChars) return;
		const open = this.#details.findLast((detail) => isSame(detail, piece));
		if (!open) {
			this.#details.push({ ...piece });
			return;
		}
		for (const [field, value] of Object.entries(piece)) {
			if (value === undefined || value === null) continue;
			const grows = grown.some((name) => name === field);
			open[field] = grows ? string(open[field]) + string(value) : value;
		}
	}
}

function isSame(detail: Json, piece: Json): boolean {
	return detail.type === piece.type && count(detail.index) === count(piece.index);
}

/** The details that a signature holds; undefined for signatures of another kind. */
export function detailsFrom(signature: string | undefined): Json[] | undefined {
	if (!signature?.startsWith("[") && !signature?.startsWith("{")) return undefined;
	try {
		const kept: unknown = JSON.parse(signature);
		// One alone, beside the call that it belongs to, is what pi's sessions have.
		const details = (Array.isArray(kept) ? kept : [kept]).filter(isObject);
		const known = details.every(({ type }) => string(type).startsWith("reasoning."));
		return known && details.length > 0 ? details : undefined;
	} catch {
		// It only looked like JSON: another protocol's signature, which means nothing here.
		return undefined;
	}
}
