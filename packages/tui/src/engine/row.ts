/** Prepares a component's row for the terminal: sanitized, no wider than the screen, without its markers. */
import { visibleWidth } from "@tau/sys";
import { envFlag, log, stripControls } from "@tau/utils";

import { CURSOR_MARKER } from "../component.ts";
import { takeImage, type PlacedImage } from "../images/placed.ts";
import { cutCells } from "./cells.ts";
import { writeStyled } from "./styles.ts";

export interface Row {
	/** As the component rendered it. */
	readonly raw: string;
	/** The bytes to write: text, colors and links. */
	readonly text: string;
	/** The bytes that end the styles which the text leaves open. */
	readonly end: string;
	/** The width of the text in cells. */
	readonly cells: number;
	/** The column of the caret, if it is in this row. */
	readonly caret: number | undefined;
	/** The image whose last row this is. */
	readonly image: PlacedImage | undefined;
}

export const blankRow: Row = { raw: "", text: "", end: "", cells: 0, caret: undefined, image: undefined };

export function makeRow(raw: string, width: number): Row {
	if (raw === "") return blankRow;
	let text = raw;
	let caret: number | undefined;
	const marker = text.indexOf(CURSOR_MARKER);
	if (marker >= 0) {
		caret = Math.min(visibleWidth(cleanRow(text.slice(0, marker))), width - 1);
		if (hasTerminalCaret) text = text.replace(drawnCaret, "$1");
		text = text.replaceAll(CURSOR_MARKER, "");
	}
	const taken = takeImage(text);
	const clean = cleanRow(taken.text);
	const cells = visibleWidth(clean);
	const cut = cells > width ? cutCells(clean, width) : clean;
	if (isDebug && cut.length < clean.length) log.debug("a row was cut", { width, row: stripControls(clean) });
	const written = writeStyled(cut);
	// Spaces at the end may have been left out.
	const isWhole = cut === clean && !spacesAtEnd.test(clean);
	const { image } = taken;
	return { raw, ...written, cells: isWhole ? cells : visibleWidth(written.text), caret, image };
}

/** The terminal shows its own cursor: components still draw one, in inverse colors behind the marker. */
export function useTerminalCaret(on: boolean): void {
	hasTerminalCaret = on;
}

let hasTerminalCaret = false;
const drawnCaret = new RegExp(`${CURSOR_MARKER}\\x1b\\[7m([^\\x1b]*)\\x1b\\[(?:27|0)?m`);

/** Components must draw rows that fit: what the engine cuts off has no ellipsis. */
const isDebug = envFlag("TAU_DEBUG_REDRAW");

/** Characters that a terminal acts on or that reorder the row: C0 and C1 controls, and direction marks. */
const suspicious = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const color = "\\x1b\\[[0-9;:]*m";
const link = "\\x1b\\]8;[^\\0-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\)";
const csi = "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?";
const string = "(?:\\x1b[\\]P_^Xk]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c]*(?:\\x07|\\x1b\\\\|\\x9c)?";
const escape = "\\x1b[ -/]*[0-~]?";
const control = "[\\0-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]";
const sequences = new RegExp(`(${color}|${link})|${csi}|${string}|${escape}|${control}`, "g");
const shown = `[^${control.slice(1, -1)}]*`;
/** Nothing but text, colors and links. */
const harmless = new RegExp(`^${shown}(?:(?:${color}|${link})${shown})*$`);
const spacesAtEnd = new RegExp(` (?:${color}|${link})*$`);

/**
 * Only colors and links pass. A row is the last place where output of a model or a tool could still move the
 * cursor, erase the screen or fill the clipboard, whatever component let it through.
 */
function cleanRow(text: string): string {
	if (!suspicious.test(text) || harmless.test(text)) return text;
	return text.replace(sequences, (match, kept: string | undefined) => {
		if (kept !== undefined) return kept;
		if (match === "\t") return "    ";
		return match === "\n" || match === "\r" ? " " : "";
	});
}

/** The visible text of the row, without colors. */
export function plainText({ text }: Row): string {
	return text.includes("\x1b") ? Bun.stripANSI(text).trimEnd() : text.trimEnd();
}
