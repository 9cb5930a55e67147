/** Things that stand in the text as one character: long pastes and images, shown by a label, sent as what they are. */
import { limits } from "./limits.ts";

export interface Marker {
	/** What is shown, without the brackets around it. */
	label: string;
	/** What is sent in its place. */
	expansion: string;
	/** Whatever its owner wants to find again, such as an image. */
	data?: unknown;
}

/**
 * Inside the text a marker is a low surrogate without a partner. No text that comes in contains one (text.ts), so
 * nothing that a person types or pastes can be taken for a marker, and every motion and cut takes it whole.
 */
export class Markers {
	readonly #byUnit = new Map<string, Marker>();
	#next = 0;

	/** The character to put into the text; nothing when there are too many. */
	add(marker: Marker): string | undefined {
		if (this.#byUnit.size >= limits.markers) return undefined;
		let unit: string;
		do unit = String.fromCharCode(0xdc00 + (this.#next++ % limits.markers));
		while (this.#byUnit.has(unit));
		this.#byUnit.set(unit, marker);
		return unit;
	}

	/** As a reader sees it. */
	display(text: string): string {
		return this.#replace(text, ({ label }) => `[${label}]`);
	}

	/** As it is sent. */
	expand(text: string): string {
		return this.#replace(text, ({ expansion }) => expansion);
	}

	/** Those in the text, in its order. */
	within(text: string): Marker[] {
		if (this.#byUnit.size === 0) return [];
		return [...text.matchAll(/\p{Cs}/gu)].flatMap(([unit]) => this.#byUnit.get(unit) ?? []);
	}

	/** Forgets those that no text here contains. */
	keepOnly(texts: readonly string[]): void {
		const seen = new Set(texts.flatMap((text) => [...text.matchAll(/\p{Cs}/gu)].map(([unit]) => unit)));
		for (const unit of this.#byUnit.keys()) if (!seen.has(unit)) this.#byUnit.delete(unit);
	}

	#replace(text: string, by: (marker: Marker) => string): string {
		if (this.#byUnit.size === 0) return text;
		return text.replaceAll(/\p{Cs}/gu, (unit) => {
			const marker = this.#byUnit.get(unit);
			return marker === undefined ? "" : by(marker);
		});
	}
}
