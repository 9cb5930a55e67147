/**
 * Objects that are one character of the text: long pastes and images, shown by a label, submitted as their expansion.
 */
import { limits } from "./limits.ts";

export interface Marker {
	/** The displayed text, without the brackets around it. */
	label: string;
	/** The text that is submitted in its place. */
	expansion: string;
	/** Data for the owner of the marker, such as an image. */
	data?: unknown;
}

/**
 * Inside the text a marker is an unpaired low surrogate. Incoming text never contains one (text.ts), so nothing that
 * a user types or pastes can be read as a marker, and every motion and cut treats it as a unit.
 */
export class Markers {
	readonly #byUnit = new Map<string, Marker>();
	#next = 0;

	/** The character to insert into the text; undefined when there are too many markers. */
	add(marker: Marker): string | undefined {
		if (this.#byUnit.size >= limits.markers) return undefined;
		let unit: string;
		do unit = String.fromCharCode(0xdc00 + (this.#next++ % limits.markers));
		while (this.#byUnit.has(unit));
		this.#byUnit.set(unit, marker);
		return unit;
	}

	/** The text as displayed. */
	display(text: string): string {
		return this.#replace(text, ({ label }) => `[${label}]`);
	}

	/** The text as submitted. */
	expand(text: string): string {
		return this.#replace(text, ({ expansion }) => expansion);
	}

	/** The markers in the text, in order. */
	within(text: string): Marker[] {
		if (this.#byUnit.size === 0) return [];
		return [...text.matchAll(/\p{Cs}/gu)].flatMap(([unit]) => this.#byUnit.get(unit) ?? []);
	}

	/** Drops the markers that none of these texts contains. */
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
