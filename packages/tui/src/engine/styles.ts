/** Writes the colors and links of a row in the fewest bytes. */
import { Pen } from "@tau/sys";

import { engineLimits } from "../limits.ts";

/** A style that text is written in. Equal styles are one object, so that what follows from them is computed once. */
interface Style {
	readonly pen: Pen;
	readonly lookOfSpaces: string;
	/** The style after a sequence. */
	readonly after: Map<string, Style>;
	/** The bytes that lead to another style. */
	readonly to: Map<Style, string>;
}

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
const styles = new Map<string, Style>();
const plain = styleOf(new Pen());
const noInk: Ink = { style: plain, link: "" };

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
	let [drawn, drawnLink]: [Style, string] = [plain, ""];
	let out = "";
	for (let at = 0; at < text.length;) {
		if (text.charCodeAt(at) === 0x1b) {
			const end = sequenceEnd(text, at);
			const sequence = text.slice(at, end);
			// No allocation per sequence: a burst has thousands of rows.
			if (text[at + 1] === "]") link = linkAfter(sequence);
			else style = styleAfter(style, sequence);
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
				out += run.slice(0, spaces) + pathBetween(drawn, style) + run.slice(spaces);
				drawn = style;
			}
		}
		at += run.length;
	}
	if (!keepSpaces && drawn.lookOfSpaces === plain.lookOfSpaces) out = withoutSpaces(out);
	return { text: out, end: pathBetween(drawn, plain) + (drawnLink === "" ? "" : endLink) };
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
	return sequence[1] === "]"
		? { style, link: linkAfter(sequence) }
		: { style: styleAfter(style, sequence), link };
}

/** A sequence without an address ends the link. */
function linkAfter(sequence: string): string {
	return /^\x1b\]8;[^;]*;(?:\x07|\x1b\\)$/.test(sequence) ? "" : sequence;
}

function styleAfter(style: Style, sequence: string): Style {
	const known = style.after.get(sequence);
	if (known !== undefined) return known;
	const pen = style.pen.copy();
	pen.style(sequence);
	const next = styleOf(pen);
	if (style.after.size >= engineLimits.stylesKept) style.after.clear();
	style.after.set(sequence, next);
	return next;
}

function styleOf(pen: Pen): Style {
	const known = styles.get(pen.look);
	if (known !== undefined) return known;
	const style: Style = { pen, lookOfSpaces: pen.lookOfSpaces, after: new Map(), to: new Map() };
	if (styles.size >= engineLimits.stylesKept) forgetStyles();
	styles.set(pen.look, style);
	return style;
}

/** An image of colored characters has thousands of styles; those of the theme are soon cached again. */
function forgetStyles(): void {
	styles.clear();
	plain.after.clear();
	plain.to.clear();
	styles.set(plain.pen.look, plain);
}

function pathBetween(from: Style, to: Style): string {
	if (from === to) return "";
	const known = from.to.get(to);
	if (known !== undefined) return known;
	const path = from.pen.shortestTo(to.pen);
	if (from.to.size >= engineLimits.stylesKept) from.to.clear();
	from.to.set(to, path);
	return path;
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
