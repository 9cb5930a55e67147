/**
 * Tracks whether a position in an output of any length is inside a terminal sequence, and where that sequence ends.
 */
import { openedSequence, stepSequence, type Sequence } from "@tau/utils";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** The 8-bit controls, U+0080 to U+009F, are two bytes in UTF-8; this is the first. */
const controlLead = 0xc2;
const lastControl = 0x9f;
/** Represents every character beyond ASCII that is not a control, and each of its bytes: all have the same effect. */
const letter = 0xfffd;

export class SequencePosition {
	#inside: Sequence | undefined;
	#last = 0;

	/** Advances over the bytes. */
	pass(bytes: Uint8Array): void {
		// Every line, and every carriage return, starts over: earlier text does not matter. So an output of many
		// lines is processed at the speed of a search.
		const start = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
		let inside = start > 0 ? undefined : this.#inside;
		let last = start > 0 ? lineFeed : this.#last;
		for (let at = start; at < bytes.length; at++) {
			const byte = bytes[at] ?? 0;
			const next = follow(inside, unitOf(last, byte));
			inside = next === "end" || next === "broken" ? undefined : next;
			last = byte;
		}
		this.#inside = inside;
		this.#last = last;
	}

	/** How many of the next bytes still belong to the sequence at this position. */
	rest(bytes: Uint8Array): number {
		let inside = this.#inside;
		let last = this.#last;
		for (let at = 0; at < bytes.length; at++) {
			const byte = bytes[at] ?? 0;
			const unit = unitOf(last, byte);
			const isHalfControl = at === 0 && unit === byte && byte > 0x7f;
			if (byte === lineFeed || byte === carriageReturn || (inside === undefined && !isHalfControl)) return at;
			const next = follow(inside, unit);
			if (next === "broken") return at;
			inside = next === "end" ? undefined : next;
			last = byte;
		}
		return bytes.length;
	}
}

function follow(inside: Sequence | undefined, unit: number): Sequence | "end" | "broken" | undefined {
	return inside === undefined ? openedSequence(unit) : stepSequence(inside, unit);
}

function unitOf(last: number, byte: number): number {
	if (byte < 0x80) return byte;
	return last === controlLead && byte <= lastControl ? byte : letter;
}
