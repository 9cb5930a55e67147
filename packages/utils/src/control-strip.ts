/** Takes everything out of untrusted text that a terminal would obey instead of show. */

export interface StripOptions {
	/** Keep line feeds; otherwise each becomes a space. */
	newline?: boolean;
	/** Keep tabs; otherwise each becomes a space. */
	tab?: boolean;
}

/**
 * Removes terminal sequences (7-bit and 8-bit), all other control characters and direction marks. Line and
 * paragraph separators become line feeds, lone surrogates U+FFFD.
 */
export function stripControls(text: string, options: StripOptions = {}): string {
	const stripper = new ControlStripper(options);
	return stripper.push(text) + stripper.end();
}

/** Controls, direction marks, separators; `\p{Cs}` matches only surrogates without a partner. */
const special = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu;

const ESC = 0x1b;
const BEL = 0x07;
const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
const DEL = 0x7f;
const ST = 0x9c;

/** After ESC, after its intermediates, in a CSI, in an OSC (which BEL ends too), in any other control string. */
type Sequence = "escape" | "intermediate" | "csi" | "osc" | "string";

/** The same as `stripControls`, for text that comes in pieces: a sequence may be split anywhere. */
export class ControlStripper {
	readonly #newline: string;
	readonly #tab: string;
	#inside: Sequence | undefined;
	#pending = "";

	constructor(options: StripOptions = {}) {
		this.#newline = options.newline === false ? " " : "\n";
		this.#tab = options.tab === false ? " " : "\t";
	}

	push(chunk: string): string {
		const text = this.#pending + chunk;
		this.#pending = "";
		let out = "";
		let at = 0;
		while (at < text.length) {
			if (this.#inside !== undefined) {
				const next = step(this.#inside, text.charCodeAt(at));
				this.#inside = next === "end" || next === "broken" ? undefined : next;
				// What breaks a sequence is not part of it, and is looked at again as text.
				if (next !== "broken") at++;
				continue;
			}
			special.lastIndex = at;
			const found = special.exec(text)?.index ?? text.length;
			out += text.slice(at, found);
			if (found < text.length) out += this.#replace(text, found);
			at = found + 1;
		}
		return out;
	}

	/** To be called at the end of the text: what is still open was never finished. */
	end(): string {
		const rest = this.#pending === "" ? "" : "\ufffd";
		this.#pending = "";
		this.#inside = undefined;
		return rest;
	}

	#replace(text: string, at: number): string {
		const unit = text.charCodeAt(at);
		if (unit === LF || unit === 0x2028 || unit === 0x2029) return this.#newline;
		if (unit === 0x09) return this.#tab;
		if (unit >= 0xd800 && unit <= 0xdfff) {
			if (unit > 0xdbff || at + 1 < text.length) return "\ufffd";
			// Its other half may come with the next chunk.
			this.#pending = text.slice(at);
			return "";
		}
		this.#inside = opened(unit);
		return "";
	}
}

function opened(unit: number): Sequence | undefined {
	if (unit === ESC) return "escape";
	if (unit === 0x9b) return "csi";
	if (unit === 0x9d) return "osc";
	// DCS, SOS, PM, APC in their 8-bit forms.
	return unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f ? "string" : undefined;
}

function step(inside: Sequence, unit: number): Sequence | "end" | "broken" {
	if (unit === ESC) return "escape";
	if (inside === "osc" || inside === "string") return stepString(inside, unit);
	if (inside === "csi") {
		if (unit >= 0x40 && unit <= 0x7e) return "end";
		return (unit >= 0x20 && unit <= 0x3f) || unit === DEL ? "csi" : "broken";
	}
	if (unit >= 0x20 && unit <= 0x2f) return "intermediate";
	if (unit < 0x30 || unit > 0x7e) return "broken";
	return inside === "escape" ? afterEscape(unit) : "end";
}

/**
 * A control string ends with its line at the latest. Terminals wait longer, but then one stray opener in a
 * binary would swallow all output after it, and what comes out here is harmless as text anyway.
 */
function stepString(inside: "osc" | "string", unit: number): Sequence | "end" | "broken" {
	if (unit === LF) return "broken";
	if (unit === ST || unit === CAN || unit === SUB || (unit === BEL && inside === "osc")) return "end";
	return inside;
}

function afterEscape(unit: number): Sequence | "end" {
	if (unit === 0x5b) return "csi";
	if (unit === 0x5d) return "osc";
	// DCS, SOS, PM, APC, and the window title of screen and tmux (ESC k).
	return unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f || unit === 0x6b ? "string" : "end";
}
