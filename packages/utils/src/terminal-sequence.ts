/** The grammar of terminal sequences (7-bit and 8-bit), one character at a time. */

const ESC = 0x1b;
const BEL = 0x07;
const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
const DEL = 0x7f;
const ST = 0x9c;

/**
 * The parser's position: after ESC, after its intermediates, in a CSI, in an OSC (which BEL ends too), or in another
 * control string.
 */
export type Sequence = "escape" | "intermediate" | "csi" | "osc" | "string";

/** The sequence that a character outside of every sequence opens. */
export function openedSequence(unit: number): Sequence | undefined {
	if (unit === ESC) return "escape";
	if (unit === 0x9b) return "csi";
	if (unit === 0x9d) return "osc";
	// DCS, SOS, PM, APC in their 8-bit forms.
	return unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f ? "string" : undefined;
}

/** The state after a character inside a sequence; the character that breaks a sequence is not part of it. */
export function stepSequence(inside: Sequence, unit: number): Sequence | "end" | "broken" {
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
 * A control string ends with its line at the latest. Terminals wait longer, but then one stray opener in a binary
 * would swallow all output after it, and the rest is harmless as text anyway.
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
