/** Finds where a terminal's escape sequence ends and what it is for. */

export type EscapeKind = "style" | "link" | "sized" | "other" | "unfinished";

const ESC = 0x1b;
const BEL = 0x07;
const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
/** The 8-bit introducers, and the character after ESC in their 7-bit form: the same minus 0x40. */
const CSI = 0x9b;
const OSC = 0x9d;
const ST = 0x9c;
const stringIntroducers = new Set([0x90, 0x98, 0x9e, 0x9f, OSC]);

/** True if a sequence starts with this unit. */
export function startsEscape(unit: number): boolean {
	return unit === ESC || unit === CSI || stringIntroducers.has(unit);
}

/** The sequence that was read last; one object is reused for a whole text. */
export class Escape {
	end = 0;
	kind: EscapeKind = "other";

	/** `start` must be a position for which `startsEscape` is true. */
	read(text: string, start: number): void {
		const first = text.charCodeAt(start);
		const second = text.charCodeAt(start + 1);
		const introducer = first === ESC ? second + 0x40 : first;
		const body = start + (first === ESC ? 2 : 1);
		if (Number.isNaN(introducer)) this.#finish(text.length, "unfinished");
		else if (introducer === CSI) this.#control(text, body);
		else if (stringIntroducers.has(introducer)) this.#string(text, body, introducer === OSC);
		else this.#plain(text, start + 1);
	}

	/** CSI: parameters, intermediates, one final byte. Any other character ends it. */
	#control(text: string, body: number): void {
		let at = body;
		while (isBetween(text.charCodeAt(at), 0x20, 0x3f)) at++;
		if (!isBetween(text.charCodeAt(at), 0x40, 0x7e)) {
			this.#finish(at, "unfinished");
			return;
		}
		// `CSI > 4 m` and `CSI ? 4 m` are key and query settings, not styles.
		const style = text[at] === "m" && !isBetween(text.charCodeAt(body), 0x3c, 0x3f);
		this.#finish(at + 1, style ? "style" : "other");
	}

	/**
	 * OSC, DCS, APC, PM and SOS: everything up to the terminator. A line feed or another ESC shows that there is
	 * none.
	 */
	#string(text: string, body: number, isOsc: boolean): void {
		let at = body;
		for (; at < text.length; at++) {
			const unit = text.charCodeAt(at);
			if (unit === BEL || unit === ST) break;
			if (unit === ESC && text[at + 1] === "\\") break;
			if (unit === ESC || unit === LF || unit === CAN || unit === SUB) {
				this.#finish(at, "unfinished");
				return;
			}
		}
		if (at === text.length) {
			this.#finish(at, "unfinished");
			return;
		}
		const end = at + (text.charCodeAt(at) === ESC ? 2 : 1);
		if (isOsc && text.startsWith("8;", body)) this.#finish(end, "link");
		else if (isOsc && text.startsWith("66;", body)) this.#finish(end, "sized");
		else this.#finish(end, "other");
	}

	/** ESC, intermediates, one final byte. */
	#plain(text: string, body: number): void {
		let at = body;
		while (isBetween(text.charCodeAt(at), 0x20, 0x2f)) at++;
		if (isBetween(text.charCodeAt(at), 0x30, 0x7e)) this.#finish(at + 1, "other");
		else this.#finish(at, "unfinished");
	}

	#finish(end: number, kind: EscapeKind): void {
		this.end = end;
		this.kind = kind;
	}
}

/** False for the NaN beyond the end of a text. */
function isBetween(unit: number, low: number, high: number): boolean {
	return unit >= low && unit <= high;
}
