/** Splits text into grapheme clusters (UAX #29) and counts their cells (UAX #11). */
import { cellsOf, classOf, clusterClasses as is, propertyOf } from "./cluster-classes.ts";

export interface Grapheme {
	text: string;
	/** The start, in UTF-16 units. */
	index: number;
	cells: number;
}

/** The grapheme clusters of plain text; escape sequences are not recognized here. */
export function* graphemes(text: string): Generator<Grapheme, void, undefined> {
	const cluster = new Cluster();
	for (let index = 0; index < text.length; index = cluster.end) {
		cluster.read(text, index);
		yield { text: text.slice(index, cluster.end), index, cells: cluster.cells };
	}
}

const variationSelector16 = 0xfe0f;
const firstSkinTone = 0x1f3fb;
const lastSkinTone = 0x1f3ff;
/** One of the selectors' bases in emoji-variation-sequences.txt: exactly these accept a selector. */
const emoji = /^\p{Emoji}/u;
const takesSkinTone = /^\p{Emoji_Modifier_Base}/u;

/** The cluster that was read last. One object is reused for a whole text: reading is the hot path of drawing. */
export class Cluster {
	/** The position after its last UTF-16 unit. */
	end = 0;
	/**
	 * The sum of the cells of its code points: terminals without clusters draw that many, and a row that takes fewer
	 * cells than measured is harmless, one that takes more is not. Emoji sequences are the exception, because every
	 * terminal with color emoji draws them as one.
	 */
	cells = 0;

	read(text: string, start: number): void {
		let codePoint = text.codePointAt(start) ?? 0;
		let property = propertyOf(codePoint);
		let before = classOf(property);
		let at = start + (codePoint > 0xffff ? 2 : 1);
		let cells = cellsOf(property);
		let base = start;
		let regionals = before === is.Regional_Indicator ? 1 : 0;
		// The context before a joiner: a pictograph (GB11), and a consonant followed by a linker (GB9c).
		let pictograph = before === is.Pictograph;
		let consonant = before === is.Consonant;
		let linked = false;
		while (at < text.length) {
			codePoint = text.codePointAt(at) ?? 0;
			property = propertyOf(codePoint);
			const next = classOf(property);
			const joinsPictograph = next === is.Pictograph && before === is.ZWJ && pictograph;
			const joinsConjunct = next === is.Consonant && linked;
			const joinsFlag = next === is.Regional_Indicator && before === next && regionals === 1;
			if (!joinsPictograph && !joinsConjunct && !joinsFlag && isBoundary(before, next)) break;

			if (joinsPictograph) cells = Math.max(cells, 2);
			else if (codePoint === variationSelector16) {
				const isOnBase = at === base + unitsAt(text, base);
				if (isOnBase && emoji.test(text.slice(base, at))) cells = Math.max(cells, 2);
			} else if (codePoint >= firstSkinTone && codePoint <= lastSkinTone) {
				cells = takesSkinTone.test(text.slice(base, at)) ? Math.max(cells, 2) : cells + 2;
			} else cells += cellsOf(property);

			if (!isExtension(next)) base = at;
			if (next === is.Regional_Indicator) regionals++;
			pictograph = next === is.Pictograph || (pictograph && isExtension(next));
			linked = (linked && continuesConjunct(next)) || (consonant && next === is.Linker);
			consonant = next === is.Consonant || (consonant && continuesConjunct(next));
			before = next;
			at += codePoint > 0xffff ? 2 : 1;
		}
		this.end = at;
		this.cells = cells;
	}
}

function unitsAt(text: string, index: number): number {
	return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

function isExtension(next: number): boolean {
	return next >= is.Extend && next <= is.ZWJ;
}

/** Only these may come between a linker and its consonant. */
function continuesConjunct(next: number): boolean {
	return next === is.JoiningExtend || next === is.Linker || next === is.ZWJ;
}

/** GB3 to GB9b; the caller implements the rules that look further back. */
function isBoundary(before: number, next: number): boolean {
	if (before >= is.CR && before <= is.Control) return !(before === is.CR && next === is.LF);
	if (next === is.Other) return before !== is.Prepend;
	if (next >= is.CR && next <= is.Control) return true;
	if (isExtension(next) || next === is.SpacingMark || before === is.Prepend) return false;
	if (before === is.L) return !(next === is.L || next === is.V || next === is.LV || next === is.LVT);
	if (before === is.V || before === is.LV) return !(next === is.V || next === is.T);
	if (before === is.T || before === is.LVT) return next !== is.T;
	return true;
}
