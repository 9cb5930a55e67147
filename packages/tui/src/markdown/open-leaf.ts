/** The open state of the block parser: the leaf that lines are added to, and how containers continue. */
import type { Fence } from "./block-starts.ts";
import type { HtmlEnd } from "./html-blocks.ts";
import type { Code, Container, Html, Item, Leaf, Table } from "./leaf.ts";
import type { LineCursor } from "./line-cursor.ts";

export interface OpenParagraph {
	kind: "paragraph";
	path: readonly Container[];
	blank: boolean;
	lines: string[];
	chars: number;
	continues: boolean;
}

export interface OpenFence {
	kind: "fence";
	leaf: Code;
	fence: Fence;
	lines: string[];
}

export interface OpenIndented {
	kind: "indented";
	leaf: Code;
	lines: string[];
	/** Blank lines, which belong to the code only if more code follows. */
	blanks: string;
}

export interface OpenHtml {
	kind: "html";
	leaf: Html;
	end: HtmlEnd;
	lines: string[];
}

export interface OpenTable {
	kind: "table";
	leaf: Table;
	lines: (readonly string[])[];
}

export type Open = OpenParagraph | OpenFence | OpenIndented | OpenHtml | OpenTable;

/** A saved state that can be restored. */
export interface Mark {
	leaves: number;
	stack: readonly Container[];
	items: readonly Pick<Item, "hasChild" | "isShown">[];
	counts: readonly number[];
	open: Open | undefined;
	lines: number;
	chars: number;
	blanks: string;
	blankFrom: number;
}

export function paragraphOf({ path, blank, continues }: OpenParagraph, text: string): Leaf {
	return { kind: "paragraph", text: text.trimEnd(), path, blank, continues };
}

export function passQuoteSign(cursor: LineCursor): boolean {
	if (cursor.isIndented || cursor.text[cursor.next] !== ">") return false;
	cursor.skipWord(1);
	cursor.skipColumns(1);
	return true;
}

export function passIndent(cursor: LineCursor, item: Item): boolean {
	// A blank line ends an empty item.
	if (cursor.isBlank) return item.hasChild;
	if (cursor.indent < item.indent) return false;
	cursor.skipColumns(item.indent);
	return true;
}
