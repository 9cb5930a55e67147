/** Finds the end of a terminal sequence: the grammar of terminal input, without its meaning. */
import { limits } from "./limits.ts";

/** `end` is where the next sequence begins; `wait` tells how long to wait for the rest of an incomplete one. */
export type Scan = { end: number } | { wait: Wait };

/** `escape`: could be a key by itself. `sequence`: a split CSI or SS3. `string`: a split reply with a payload. */
export type Wait = "escape" | "sequence" | "string";

const ESC = 0x1b;
const BEL = 0x07;
const BACKSLASH = 0x5c;
const DOLLAR = 0x24;

/** The sequence, key or character that begins at `at`; `text` is not empty there. */
export function scanSequence(text: string, at: number): Scan {
	const first = text.charCodeAt(at);
	if (first !== ESC) return scanCharacter(text, at, first);
	if (at + 1 >= text.length) return { wait: "escape" };
	if (text.charCodeAt(at + 1) === ESC) return scanDoubleEscape(text, at);
	return scanEscaped(text, at);
}

function scanCharacter(text: string, at: number, first: number): Scan {
	if (first < 0xd800 || first > 0xdbff) return { end: at + 1 };
	// The other half comes with the next chunk.
	if (at + 1 >= text.length) return { wait: "escape" };
	const second = text.charCodeAt(at + 1);
	return { end: second >= 0xdc00 && second <= 0xdfff ? at + 2 : at + 1 };
}

function scanEscaped(text: string, at: number): Scan {
	const second = text[at + 1];
	if (second === "[") return scanCsi(text, at);
	if (second === "O") return scanSs3(text, at);
	if (second === "]" || second === "P" || second === "_") return scanString(text, at, second === "]");
	return scanCharacter(text, at + 1, text.charCodeAt(at + 1));
}

/** rxvt and others send Alt with a cursor key as ESC before its sequence; any other ESC ESC is Escape, then more. */
function scanDoubleEscape(text: string, at: number): Scan {
	if (at + 2 >= text.length) return { wait: "escape" };
	const third = text[at + 2];
	if (third !== "[" && third !== "O") return { end: at + 1 };
	const inner = scanEscaped(text, at + 1);
	if ("wait" in inner) return inner;
	return { end: prefixedKey.test(text.slice(at + 1, inner.end)) ? inner.end : at + 1 };
}

/** Two digits at most: the start of a paste must never be read as a key. */
const prefixedKey = /^\x1b(?:\[\d{0,2}(?:;\d{1,2})?[A-HZa-d~^$@]|O[A-DFHa-d])$/;

function scanCsi(text: string, at: number): Scan {
	// The Linux console sends F1 to F5 as CSI [ letter.
	if (text[at + 2] === "[") return at + 3 < text.length ? { end: at + 4 } : { wait: "sequence" };
	const most = Math.min(text.length, at + limits.csiChars);
	for (let i = at + 2; i < most; i++) {
		const unit = text.charCodeAt(i);
		if (unit === DOLLAR && rxvtShifted.test(text.slice(at, i))) return { end: i + 1 };
		if (unit >= 0x20 && unit <= 0x3f) continue;
		// A byte that no CSI contains: the sequence before it is broken, and this begins a new one.
		if (unit < 0x40 || unit > 0x7e) return { end: i };
		if (unit === 0x4d && i === at + 2) return scanMouse(text, i + 1);
		return { end: i + 1 };
	}
	if (most < text.length) return { end: most };
	return { wait: text.length === at + 2 ? "escape" : "sequence" };
}

/** rxvt ends keys with Shift in a dollar sign. Elsewhere that is not an end, but then a semicolon comes before it. */
const rxvtShifted = /^\x1b\[\d{1,2}$/;

/** The oldest mouse report is followed by three raw characters. */
function scanMouse(text: string, after: number): Scan {
	return after + 3 <= text.length ? { end: after + 3 } : { wait: "sequence" };
}

function scanSs3(text: string, at: number): Scan {
	let i = at + 2;
	// Old terminals put the modifiers in between.
	while (i < text.length && i < at + 6 && /[\d;]/.test(text.charAt(i))) i++;
	if (i >= text.length) return { wait: i === at + 2 ? "escape" : "sequence" };
	const unit = text.charCodeAt(i);
	return { end: unit >= 0x20 && unit <= 0x7e ? i + 1 : i };
}

/** Ends with BEL (OSC only) or ESC \; any other control character means that its end was lost. */
function scanString(text: string, at: number, isOsc: boolean): Scan {
	const most = Math.min(text.length, at + limits.stringChars);
	for (let i = at + 2; i < most; i++) {
		const unit = text.charCodeAt(i);
		if (unit >= 0x20 && unit !== 0x7f) continue;
		if (unit === BEL && isOsc) return { end: i + 1 };
		if (unit !== ESC) return { end: i };
		if (i + 1 >= text.length) return { wait: "string" };
		return { end: text.charCodeAt(i + 1) === BACKSLASH ? i + 2 : i };
	}
	if (most < text.length) return { end: most };
	return { wait: text.length === at + 2 ? "escape" : "string" };
}
