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
	readonly #units = new WeakMap<Marker, string>();
	#next = 0;

	/** The character to insert into the text; undefined when there are too many markers. */
	add(marker: Marker): string | undefined {
		const known = this.#units.get(marker);
		if (known !== undefined && this.#byUnit.get(known) === marker) return known;
		if (this.#byUnit.size >= limits.markers) return undefined;
		let unit: string;
		do unit = String.fromCharCode(0xdc00 + (this.#next++ % limits.markers));
		while (this.#byUnit.has(unit));
		this.#byUnit.set(unit, marker);
		this.#units.set(marker, unit);
		return unit;
	}

	/** The text with these markers, in this order, in the places of their expansions. */
	mark(text: string, markers: readonly Marker[]): string {
		let marked = "";
		let from = 0;
		for (const marker of markers) {
			const at = text.indexOf(marker.expansion, from);
			const unit = at === -1 ? undefined : this.add(marker);
			if (unit === undefined) continue;
			marked += text.slice(from, at) + unit;
			from = at + marker.expansion.length;
		}
		return marked + text.slice(from);
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

/** A marker for pasted text, with its number in the draft and its size. */
export function pasteMarker(text: string, number: number): Marker {
	const lines = lineCount(text);
	const size = lines > limits.pasteLines ? `+${lines} lines` : `${text.length} chars`;
	return { label: `paste #${number} ${size}`, expansion: text };
}

/** Longer text is shown as a marker. */
export function isLongPaste(text: string): boolean {
	return text.length > limits.pasteChars || lineCount(text) > limits.pasteLines;
}

/** The pastes among these markers that the text contains, in order; a trimmed text may end inside the last one. */
export function pastesIn(text: string, markers: readonly Marker[]): Marker[] {
	const pastes: Marker[] = [];
	let from = 0;
	for (const marker of markers) {
		if (marker.data !== undefined) continue;
		const isWhole = text.includes(marker.expansion, from);
		const expansion = isWhole ? marker.expansion : marker.expansion.trim();
		const at = text.indexOf(expansion, from);
		if (expansion === "" || at === -1) continue;
		pastes.push(isWhole ? marker : { ...marker, expansion });
		from = at + expansion.length;
	}
	return pastes;
}

function lineCount(text: string): number {
	return text.replace(/\n$/, "").split("\n").length;
}
