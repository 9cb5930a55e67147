/**
 * Reasoning that a gateway expects back unchanged: assembled from the pieces of a stream, and stored as a signature.
 */
import { count, isObject, list, string, type Json } from "../../json.ts";
import { limits } from "../../limits.ts";

/** Fields that arrive in pieces; the others arrive once. */
const grown = ["text", "summary", "data"] as const;

export class ReasoningDetails {
	readonly #details: Json[] = [];
	#chars = 0;

	/** Adds the pieces of one chunk. True when there is something that only its own provider can read. */
	add(pieces: unknown): boolean {
		for (const piece of list(pieces)) if (isObject(piece)) this.#put(piece);
		return this.#isSigned();
	}

	/** The value to send back. Plain thinking needs no signature: it also comes in a field of its own. */
	get signature(): string | undefined {
		const isKept = this.#isSigned() && this.#chars <= limits.answerChars;
		return isKept ? JSON.stringify(this.#details) : undefined;
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

/** The details in a signature; undefined for signatures of another kind. */
export function detailsFrom(signature: string | undefined): Json[] | undefined {
	if (!signature?.startsWith("[") && !signature?.startsWith("{")) return undefined;
	try {
		const parsed: unknown = JSON.parse(signature);
		// pi's sessions have a single one, beside its call.
		const details = (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject);
		const isReasoning = details.every(({ type }) => string(type).startsWith("reasoning."));
		return isReasoning && details.length > 0 ? details : undefined;
	} catch {
		// It only looked like JSON: it is another protocol's signature, which means nothing here.
		return undefined;
	}
}
