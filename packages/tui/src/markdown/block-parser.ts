/** Parses Markdown line by line into leaves: closed leaves never change, and each line is parsed once. */
import {
	endsFence,
	fenceStart,
	fittedCells,
	headingStart,
	isRule,
	listMarker,
	tableCells,
	tableColumns,
	underlineDepth,
	type Marker,
} from "./block-starts.ts";
import { withoutDefinitions } from "./definitions.ts";
import { htmlStart } from "./html-blocks.ts";
import type { Code, Container, Definition, Html, Leaf, List, Table } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";
import { LineCursor } from "./line-cursor.ts";
import {
	paragraphOf,
	passIndent,
	passQuoteSign,
	type Mark,
	type Open,
	type OpenFence,
	type OpenHtml,
	type OpenIndented,
	type OpenParagraph,
} from "./open-leaf.ts";

export class BlockParser {
	/** The closed leaves, in the order of the text. */
	readonly leaves: Leaf[] = [];
	readonly definitions = new Map<string, Definition>();
	#stack: Container[] = [];
	#open: Open | undefined;
	/** The depth from which on the previous line was blank: a blank line in a quote is not blank outside of it. */
	#blankFrom = Number.POSITIVE_INFINITY;

	/** Parses one line, without its line break. */
	line(text: string): void {
		const cursor = new LineCursor(text);
		const matched = this.#matchContainers(cursor);
		const isWhole = matched === this.#stack.length;
		if (isWhole && this.#continueLeaf(cursor)) return;
		const isBlank = cursor.isBlank;
		const depth = isBlank ? matched : this.#startBlocks(cursor, matched);
		if (isBlank) this.#blankLine(matched);
		else {
			if (depth !== undefined) this.#text(cursor, depth);
			this.#blankFrom = Number.POSITIVE_INFINITY;
		}
	}

	/** The continuation of a line that was too long to parse at once: no block starts here. */
	moreOfLine(text: string): void {
		const open = this.#open;
		if (open === undefined || open.kind === "table") this.#openParagraph(text);
		else if (open.kind === "paragraph") this.#addText(open, text);
		else open.lines.push(text);
	}

	/** Closes everything. */
	end(): void {
		this.#closeTo(0);
	}

	/** The open leaves as they would be if the text ended here. */
	openLeaf(): Leaf | undefined {
		const open = this.#open;
		if (open === undefined) {
			const item = this.#stack.at(-1);
			const isBare = item?.kind === "item" && !item.isShown;
			return isBare ? { kind: "empty", path: [...this.#stack], blank: item.blank } : undefined;
		}
		if (open.kind !== "paragraph") return open.leaf;
		const text = withoutDefinitions(open.lines.join("\n"), () => {});
		return text === "" ? undefined : paragraphOf(open, text);
	}

	mark(): Mark {
		const open = this.#open;
		return {
			leaves: this.leaves.length,
			stack: [...this.#stack],
			items: this.#stack.map((container) =>
				container.kind === "item"
					? { hasChild: container.hasChild, isShown: container.isShown }
					: { hasChild: false, isShown: false },
			),
			counts: this.#stack.map((container) => (container.kind === "list" ? container.items : 0)),
			open,
			lines: open?.lines.length ?? 0,
			chars: open?.kind === "paragraph" ? open.chars : 0,
			blanks: open?.kind === "indented" ? open.blanks : "",
			blankFrom: this.#blankFrom,
		};
	}

	reset(mark: Mark): void {
		this.leaves.length = mark.leaves;
		this.#stack = [...mark.stack];
		for (const [at, container] of mark.stack.entries()) {
			if (container.kind === "item") Object.assign(container, mark.items[at]);
			else if (container.kind === "list") container.items = mark.counts[at] ?? 0;
		}
		this.#open = mark.open;
		this.#blankFrom = mark.blankFrom;
		const { open } = mark;
		if (open === undefined) return;
		open.lines.length = mark.lines;
		if (open.kind === "paragraph") open.chars = mark.chars;
		else open.leaf.isOpen = true;
		if (open.kind === "indented") open.blanks = mark.blanks;
	}

	/** How many of the open containers continue in this line. */
	#matchContainers(cursor: LineCursor): number {
		let matched = 0;
		for (const container of this.#stack) {
			if (container.kind === "quote" && !passQuoteSign(cursor)) break;
			if (container.kind === "item" && !passIndent(cursor, container)) break;
			matched++;
		}
		return matched;
	}

	/** Whether the line can only belong to the open leaf. */
	#continueLeaf(cursor: LineCursor): boolean {
		const open = this.#open;
		if (open?.kind === "fence") this.#continueFence(cursor, open);
		else if (open?.kind === "html") {
			if (open.end === "blank" && cursor.isBlank) return false;
			this.#addHtml(open, cursor.rest);
		} else if (open?.kind === "indented" && (cursor.isBlank || cursor.isIndented)) {
			this.#continueIndented(cursor, open);
		} else return false;
		this.#noteBlank(open.kind === "indented" && cursor.isBlank ? this.#stack.length : undefined);
		return true;
	}

	#continueFence(cursor: LineCursor, open: OpenFence): void {
		if (!cursor.isIndented && endsFence(cursor.word, open.fence)) this.#closeLeaf();
		else {
			cursor.skipColumns(open.fence.indent);
			open.lines.push(cursor.rest);
		}
	}

	#continueIndented(cursor: LineCursor, open: OpenIndented): void {
		const isBlank = cursor.isBlank;
		cursor.skipColumns(4);
		if (isBlank) {
			open.blanks += `\n${cursor.rest}`;
			return;
		}
		for (const blank of open.blanks.split("\n").slice(1)) open.lines.push(blank);
		open.blanks = "";
		open.lines.push(cursor.rest);
	}

	#addHtml(open: OpenHtml, line: string): void {
		open.lines.push(line);
		if (open.end !== "blank" && open.end.test(line)) this.#closeLeaf();
	}

	/** Opens the blocks that start in this line. Returns the depth for its text; undefined if the line is consumed. */
	#startBlocks(cursor: LineCursor, matched: number): number | undefined {
		let depth = matched;
		while (!cursor.isBlank) {
			if (cursor.isIndented) {
				if (this.#open?.kind === "paragraph") return depth;
				this.#openIndented(cursor, depth);
				return undefined;
			}
			const { word } = cursor;
			if (this.#startLeaf(cursor, word, depth)) return undefined;
			const hasRoom = this.#stack.length < markdownLimits.containers || depth < this.#stack.length;
			if (!hasRoom || !this.#startContainer(cursor, word, depth)) return depth;
			depth = this.#stack.length;
		}
		return depth;
	}

	#startLeaf(cursor: LineCursor, word: string, depth: number): boolean {
		if (!/^[#`~<=\-*_|:]/.test(word)) return false;
		switch (word[0]) {
			case "#":
				return this.#startHeading(word, depth);
			case "`":
			case "~":
				return this.#openFence(cursor, depth);
			case "<":
				return this.#openHtml(cursor, depth);
			default:
				return this.#startLine(word, depth);
		}
	}

	#startHeading(word: string, depth: number): boolean {
		const heading = headingStart(word);
		if (heading === undefined) return false;
		this.#closeTo(depth);
		this.#emit({ kind: "heading", ...heading, ...this.#place() });
		return true;
	}

	/** Handles a line that turns the paragraph above it into a heading or table, or is a thematic break. */
	#startLine(word: string, depth: number): boolean {
		const open = this.#open;
		if (open?.kind === "paragraph" && depth === this.#stack.length) {
			if (this.#startTable(word, open) || this.#underline(word, open)) return true;
		}
		if (!isRule(word)) return false;
		this.#closeTo(depth);
		this.#emit({ kind: "rule", ...this.#place() });
		return true;
	}

	#startTable(word: string, open: OpenParagraph): boolean {
		const align = tableColumns(word);
		const header = align && tableCells(open.lines.at(-1) ?? "");
		if (align === undefined || header?.length !== align.length) return false;
		const isFirst = open.lines.length === 1;
		const { path, blank } = open;
		if (isFirst) this.#open = undefined;
		else {
			// The paragraph ends above the header; a saved state still contains the whole paragraph.
			this.#open = { ...open, lines: open.lines.slice(0, -1) };
			this.#closeLeaf();
		}
		const leaf: Table = {
			kind: "table",
			path,
			blank: isFirst && blank,
			align,
			header,
			rows: [],
			isOpen: true,
			isGuess: false,
		};
		this.#open = { kind: "table", leaf, lines: leaf.rows };
		return true;
	}

	#underline(word: string, open: OpenParagraph): boolean {
		const depth = underlineDepth(word);
		if (depth === undefined) return false;
		const text = withoutDefinitions(open.lines.join("\n"), (key, definition) =>
			this.#define(key, definition),
		);
		if (text === "") return false;
		this.#open = undefined;
		this.#emit({ kind: "heading", depth, text: text.trim(), path: open.path, blank: open.blank });
		return true;
	}

	#openFence(cursor: LineCursor, depth: number): boolean {
		const fence = fenceStart(cursor.word, cursor.indent);
		if (fence === undefined) return false;
		this.#closeTo(depth);
		const leaf: Code = {
			kind: "code",
			isFenced: true,
			info: fence.info,
			lines: [],
			isOpen: true,
			...this.#place(),
		};
		this.#open = { kind: "fence", leaf, fence, lines: leaf.lines };
		return true;
	}

	#openHtml(cursor: LineCursor, depth: number): boolean {
		const end = htmlStart(cursor.word, this.#open?.kind === "paragraph");
		if (end === undefined) return false;
		this.#closeTo(depth);
		const leaf: Html = { kind: "html", lines: [], isOpen: true, ...this.#place() };
		const open: OpenHtml = { kind: "html", leaf, end, lines: leaf.lines };
		this.#open = open;
		this.#addHtml(open, cursor.rest);
		return true;
	}

	#openIndented(cursor: LineCursor, depth: number): void {
		this.#closeTo(depth);
		cursor.skipColumns(4);
		const leaf: Code = {
			kind: "code",
			isFenced: false,
			info: "",
			lines: [cursor.rest],
			isOpen: true,
			...this.#place(),
		};
		this.#open = { kind: "indented", leaf, lines: leaf.lines, blanks: "" };
	}

	#startContainer(cursor: LineCursor, word: string, depth: number): boolean {
		if (word[0] === ">") {
			this.#closeTo(depth);
			passQuoteSign(cursor);
			this.#enter();
			this.#stack.push({ kind: "quote", blank: this.#isAfterBlank });
			return true;
		}
		const marker = listMarker(word);
		if (marker === undefined) return false;
		const interrupts = this.#open?.kind === "paragraph" && depth === this.#stack.length;
		// Inside a paragraph, only an item with the number 1 starts a list, and an empty item never does.
		const isText = (marker.ordered && marker.start !== 1) || word.slice(marker.length).trim() === "";
		if (interrupts && isText) return false;
		this.#startItem(cursor, marker, depth);
		return true;
	}

	#startItem(cursor: LineCursor, marker: Marker, depth: number): void {
		const list = this.#listFor(marker, depth);
		const before = cursor.indent;
		cursor.skipWord(marker.length);
		const spaces = cursor.indent;
		const isCode = spaces > 4 || cursor.isBlank;
		cursor.skipColumns(isCode ? 1 : spaces);
		this.#stack.push({
			kind: "item",
			blank: this.#isAfterBlank,
			list,
			index: list.items++,
			indent: before + marker.length + (isCode ? 1 : spaces),
			hasChild: false,
			isShown: false,
		});
	}

	/** The open list at this depth, if the marker continues it. */
	#listFor({ ordered, start, sign }: Marker, depth: number): List {
		const here = this.#stack[depth - 1];
		const isSame = here?.kind === "list" && here.ordered === ordered && here.sign === sign;
		this.#closeTo(depth);
		if (isSame) return here;
		this.#enter();
		const list: List = { kind: "list", blank: this.#isAfterBlank, ordered, start, sign, items: 0 };
		this.#stack.push(list);
		return list;
	}

	#blankLine(matched: number): void {
		this.#closeTo(matched);
		this.#noteBlank(matched);
	}

	/** Records in how many containers the line was blank, if it was. */
	#noteBlank(matched: number | undefined): void {
		if (matched === undefined) this.#blankFrom = Number.POSITIVE_INFINITY;
		else this.#blankFrom = this.#stack.slice(0, matched).findLastIndex(({ kind }) => kind === "quote") + 1;
	}

	/** Whether a blank line precedes a block that is added here. */
	get #isAfterBlank(): boolean {
		return this.#stack.length >= this.#blankFrom;
	}

	#text(cursor: LineCursor, depth: number): void {
		const open = this.#open;
		// Even if a container has ended: a lazy line continues a paragraph.
		if (open?.kind === "paragraph") this.#addText(open, cursor.word);
		else if (open?.kind === "table" && depth === this.#stack.length) {
			open.lines.push(fittedCells(cursor.word, open.leaf.align.length));
		} else {
			this.#closeTo(depth);
			if (!cursor.isBlank) this.#openParagraph(cursor.word);
		}
	}

	#openParagraph(text: string, continues = false): void {
		this.#closeLeaf();
		this.#open = {
			kind: "paragraph",
			lines: [text],
			chars: text.length,
			continues,
			...this.#place(),
		};
	}

	#addText(open: OpenParagraph, text: string): void {
		if (open.chars + text.length > markdownLimits.paragraphChars) {
			this.#openParagraph(text, true);
			return;
		}
		open.lines.push(text);
		open.chars += text.length + 1;
	}

	/** Closes the leaf and the containers below this depth. */
	#closeTo(depth: number): void {
		this.#closeLeaf();
		while (this.#stack.length > depth) {
			const container = this.#stack.at(-1);
			if (container?.kind === "item" && !container.isShown) {
				this.#emit({ kind: "empty", path: [...this.#stack], blank: container.blank });
			}
			this.#stack.pop();
		}
	}

	#closeLeaf(): void {
		const open = this.#open;
		if (open === undefined) return;
		this.#open = undefined;
		if (open.kind !== "paragraph") {
			open.leaf.isOpen = false;
			this.#emit(open.leaf);
			return;
		}
		const text = withoutDefinitions(open.lines.join("\n"), (key, definition) =>
			this.#define(key, definition),
		);
		if (text !== "") this.#emit(paragraphOf(open, text));
	}

	#emit(leaf: Leaf): void {
		for (const container of leaf.path) {
			if (container.kind === "item") container.isShown = true;
		}
		this.leaves.push(leaf);
	}

	/** The first definition of a label wins. */
	#define(key: string, definition: Definition): void {
		if (!this.definitions.has(key)) this.definitions.set(key, definition);
	}

	/** The containers of a new leaf. */
	#place(): { path: readonly Container[]; blank: boolean } {
		this.#enter();
		return { path: [...this.#stack], blank: this.#isAfterBlank };
	}

	/** A list contains only items, and an item is no longer empty once it has content. */
	#enter(): void {
		if (this.#stack.at(-1)?.kind === "list") this.#stack.pop();
		const container = this.#stack.at(-1);
		if (container?.kind === "item") container.hasChild = true;
	}
}
