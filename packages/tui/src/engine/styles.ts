/** Writes the colors and links of a row in the fewest bytes. */
import { plainStyle, type Style } from "@tau/sys";

/** The style and the link that a terminal is in. */
interface Ink {
	readonly style: Style;
	/** The sequence that opened the link, or "". */
	readonly link: string;
}

/** The text, and the bytes that end what it leaves open. */
interface Written {
	text: string;
	end: string;
}

const endLink = "\x1b]8;;\x1b\\";
const noInk: Ink = { style: plainStyle, link: "" };

interface Part {
	/** The style at the start of the text; the terminal has none. */
	from?: Ink;
	/** True if text that is already on the screen follows, so that trailing spaces count. */
	keepSpaces?: boolean;
}

/**
 * The same text with the shortest sequences between its parts. A sequence that changes nothing visible is left out,
 * and so are spaces at the end that show nothing.
 */
export function writeStyled(text: string, { from = noInk, keepSpaces = false }: Part = {}): Written {
	if (from === noInk && !text.includes("\x1b"))
		return { text: keepSpaces ? text : withoutSpaces(text), end: "" };
	let { style, link } = from;
	let [drawn, drawnLink]: [Style, string] = [plainStyle, ""];
	let out = "";
	for (let at = 0; at < text.length;) {
		if (text.charCodeAt(at) === 0x1b) {
			const end = sequenceEnd(text, at);
			const sequence = text.slice(at, end);
			// No allocation per sequence: a burst has thousands of rows.
			if (text[at + 1] === "]") link = linkAfter(sequence);
			else style = style.after(sequence);
			at = end;
			continue;
		}
		const next = text.indexOf("\x1b", at);
		const run = next < 0 ? text.slice(at) : text.slice(at, next);
		if (link !== drawnLink) out += link === "" ? endLink : link;
		drawnLink = link;
		if (style === drawn) out += run;
		else {
			// Spaces that look the same in the previous style do not change it; the next visible character does.
			const spaces = style.lookOfSpaces === drawn.lookOfSpaces ? leadingSpaces(run) : 0;
			if (spaces === run.length) out += run;
			else {
				out += run.slice(0, spaces) + drawn.shortestTo(style) + run.slice(spaces);
				drawn = style;
			}
		}
		at += run.length;
	}
	if (!keepSpaces && drawn.lookOfSpaces === plainStyle.lookOfSpaces) out = withoutSpaces(out);
	return { text: out, end: drawn.shortestTo(plainStyle) + (drawnLink === "" ? "" : endLink) };
}

/** The style of a terminal after `text`, if it began without one. */
export function inkOf(text: string): Ink {
	let ink = noInk;
	let at = text.indexOf("\x1b");
	while (at >= 0) {
		const end = sequenceEnd(text, at);
		ink = inkAfter(ink, text.slice(at, end));
		at = text.indexOf("\x1b", end);
	}
	return ink;
}

/** Rows contain colors (`ESC [ … m`) and links (`ESC ] … BEL` or `ST`) only. */
export function sequenceEnd(text: string, start: number): number {
	if (text[start + 1] === "[") return endOf(text, text.indexOf("m", start), 1);
	if (text[start + 1] !== "]") return start + 2;
	const bell = endOf(text, text.indexOf("\x07", start), 1);
	return Math.min(bell, endOf(text, text.indexOf("\x1b\\", start), 2));
}

function endOf(text: string, match: number, length: number): number {
	return match < 0 ? text.length : match + length;
}

function inkAfter({ style, link }: Ink, sequence: string): Ink {
	return sequence[1] === "]" ? { style, link: linkAfter(sequence) } : { style: style.after(sequence), link };
}

/** A sequence without an address ends the link. */
function linkAfter(sequence: string): string {
	return /^\x1b\]8;[^;]*;(?:\x07|\x1b\\)$/.test(sequence) ? "" : sequence;
}

function leadingSpaces(text: string): number {
	let at = 0;
	while (text.charCodeAt(at) === 0x20) at++;
	return at;
}

function withoutSpaces(text: string): string {
	let end = text.length;
	while (text.charCodeAt(end - 1) === 0x20) end--;
	return text.slice(0, end);
}
