/** Lays out Markdown for one width: finished parts once, its end with every change. */
import type { Paint } from "../elements/text.ts";
import { highlighterVersion } from "../highlight/engine.ts";
import { wrapTextWithAnsi } from "../text.ts";
import { Flow } from "./flow.ts";
import { parseInlines } from "./inline-parser.ts";
import type { Leaf, Paragraph } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";
import { CodeRows, HtmlRows, type GrowingRows } from "./line-rows.ts";
import { paintInlines } from "./paint-inlines.ts";
import type { Source } from "./source.ts";
import { hasGap, isInQuote, prefixOf, sharedDepth, withoutBox, type Prefix } from "./surroundings.ts";
import { TableRows } from "./table-rows.ts";
import type { Look } from "./theme.ts";

/** A leaf whose rows are settled line by line. */
interface Growing {
	readonly leaf: Lines;
	rows: GrowingRows;
	readonly prefix: Prefix;
	/** The settled rows before it, and those before its own first row, which a gap may precede. */
	readonly start: number;
	body: number;
	/** Its lines that are settled, and their rows. */
	lines: number;
	count: number;
}

type Lines = Extract<Leaf, { kind: "code" | "html" | "table" }>;

/** A leaf that was settled without colors and is drawn once more: the lines and rows that have them so far. */
interface Recoloring {
	readonly of: Growing;
	readonly leaf: Lines;
	readonly prefix: Prefix;
	readonly rows: GrowingRows;
	lines: number;
	count: number;
}

/** A leaf or a line without a letter takes some time too: as much as this many characters. */
const leafCost = 16;

export class Layout {
	/** Final for this width: rows are only appended. */
	readonly settled: string[] = [];
	/** The number of leading rows that are unchanged; later ones are new. The reader resets it. */
	kept = Number.POSITIVE_INFINITY;
	/** Settled rows that have got colors since the last update. */
	recolored: readonly { from: number; to: number }[] = [];
	/** The rows after them, for now; none while some of the text is not laid out. */
	tail: readonly string[] = [];
	readonly #source: Source;
	readonly #width: number;
	readonly #look: Look;
	#closed = 0;
	#before: Leaf | undefined;
	#growing: Growing | undefined;
	/** The paragraphs at the end, by the number of the leaf; each checks that its text only grows. */
	readonly #flows = new Map<number, { isQuoted: boolean; width: number; flow: Flow }>();
	/** Leaves that were settled without colors, and those of them that are drawn again now. */
	#colorless: Growing[] = [];
	#recoloring: Recoloring[] = [];
	#isTailWaiting = false;
	#version = highlighterVersion();
	/** Characters that this update may still lay out. */
	#left = 0;
	#isBehind = false;

	constructor(source: Source, width: number, look: Look) {
		this.#source = source;
		this.#width = width;
		this.#look = look;
	}

	/** True if missing colors have become available. */
	get isOutdated(): boolean {
		const isWaiting = this.#isTailWaiting || this.#colorless.length > 0;
		return isWaiting && this.#version !== highlighterVersion();
	}

	/** True if the last update has left something for the next one. */
	get isBehind(): boolean {
		return this.#isBehind || this.#recoloring.length > 0;
	}

	/** Lays out what is new, and about `most` characters of it. */
	update(mayGrow: boolean, most: number): void {
		this.#left = most;
		// In a complete text, a definition in its last line applies to all of it.
		if (!mayGrow) this.#source.withTail(false, () => undefined);
		this.#recolor();
		this.#isBehind = !this.#closeLeaves() || !this.#growOpen(mayGrow);
		this.#isTailWaiting = false;
		this.tail = this.#isBehind
			? []
			: this.#source.withTail(mayGrow, (leaves) => this.#drawTail(leaves, mayGrow));
	}

	#closeLeaves(): boolean {
		const { closed } = this.#source;
		for (; this.#closed < closed.length; this.#closed++) {
			const leaf = closed[this.#closed];
			if (leaf && (this.#left <= 0 || !this.#close(leaf))) return false;
		}
		return true;
	}

	/** Returns false if there was not enough left for all of its lines. */
	#close(leaf: Leaf): boolean {
		if (this.#growing?.leaf === leaf && this.#growing.rows.isProvisional) this.#rollBack(this.#growing);
		if (isLines(leaf)) {
			const growing = this.#growingOf(leaf);
			if (!this.#settleLines(growing)) return false;
			this.#settleRows(growing, growing.rows.finish());
		} else {
			this.#left -= leafCost + ("text" in leaf ? leaf.text.length : 0);
			this.#settle(this.#draw(leaf, this.#closed, false));
		}
		this.#growing = undefined;
		this.#flows.delete(this.#closed);
		this.#before = leaf;
		return true;
	}

	/** Discards the rows of a growing leaf, which is drawn again in better colors. */
	#rollBack({ start }: Growing): void {
		this.settled.length = start;
		this.#growing = undefined;
		this.kept = Math.min(this.kept, start);
	}

	/** Settles the rows of the open leaf that will not change any more. */
	#growOpen(mayGrow: boolean): boolean {
		const leaf = this.#source.open;
		if (leaf === undefined || !isLines(leaf)) return true;
		const growing = this.#growingOf(leaf);
		if (!this.#settleLines(growing)) return false;
		if (!mayGrow && growing.rows.isProvisional) this.#rollBack(growing);
		return true;
	}

	#growingOf(leaf: Lines): Growing {
		if (this.#growing?.leaf !== leaf) this.#growing = this.#start(leaf);
		return this.#growing;
	}

	/** Settles the complete lines of a leaf, as many as this update may. */
	#settleLines(growing: Growing): boolean {
		const isWhole = this.#advance(growing, linesOf(growing.leaf).length);
		const rows = growing.rows.settle(growing.lines);
		if (rows.length > 0) this.#settleRows(growing, rows);
		return isWhole;
	}

	/** Moves on to line `end`, or as far as this update may; returns whether that is the end. */
	#advance(at: { readonly leaf: Lines; lines: number }, end: number): boolean {
		const lines = linesOf(at.leaf);
		for (; at.lines < end; at.lines++) {
			if (this.#left <= 0) return false;
			this.#left -= leafCost + (lines[at.lines]?.length ?? 0);
		}
		return true;
	}

	#settleRows(growing: Growing, rows: readonly string[]): void {
		if (growing.count === 0) {
			this.#settle(this.#gap(growing.leaf, this.#before));
			growing.body = this.settled.length;
		}
		this.#settle(this.#prefixed(growing, rows));
		if (growing.rows.isWaiting && !this.#colorless.includes(growing)) this.#colorless.push(growing);
	}

	/** Draws leaves again whose colors have become available: their rows are the same otherwise. */
	#recolor(): void {
		if (this.isOutdated) {
			this.#version = highlighterVersion();
			this.#recoloring = this.#colorless.map((of) => {
				const rows = this.#growingRows(of.leaf, this.#width - of.prefix.cells);
				return { of, leaf: of.leaf, prefix: of.prefix, rows, lines: 0, count: 0 };
			});
			this.#colorless = [];
		}
		const recolored: { from: number; to: number }[] = [];
		// The last one is the most likely to be on the screen.
		for (let next = this.#recoloring.at(-1); next && this.#left > 0; next = this.#recoloring.at(-1)) {
			const { of } = next;
			const isWhole = this.#advance(next, of.lines);
			const from = of.body + next.count;
			const rows = this.#prefixed(next, next.rows.settle(next.lines));
			for (const [at, row] of rows.entries()) this.settled[from + at] = row;
			recolored.push({ from, to: from + rows.length });
			if (next.rows.isWaiting) this.#colorless.push(of);
			else if (isWhole && this.#growing === of) of.rows = next.rows;
			if (isWhole || next.rows.isWaiting) this.#recoloring.pop();
		}
		this.recolored = recolored;
	}

	#settle(rows: readonly string[]): void {
		for (const row of rows) this.settled.push(row);
	}

	#start(leaf: Lines): Growing {
		const prefix = prefixOf(leaf, sharedDepth(this.#before, leaf), this.#width, this.#look);
		const rows = this.#growingRows(leaf, this.#width - prefix.cells);
		const start = this.settled.length;
		return { leaf, rows, prefix, start, body: start, lines: 0, count: 0 };
	}

	#growingRows(leaf: Lines, width: number): GrowingRows {
		if (leaf.kind === "code") return new CodeRows(leaf, width, this.#look);
		if (leaf.kind === "html") return new HtmlRows(leaf, width, this.#look);
		const base = this.#baseOf(leaf);
		const { bold } = this.#look.theme;
		return new TableRows(leaf, width, this.#look, (text, isHeader, isOpen) =>
			this.#inline(text, isOpen, isHeader ? (part) => bold(base(part)) : base),
		);
	}

	#drawTail(leaves: readonly Leaf[], mayGrow: boolean): string[] {
		const rows: string[] = [];
		let before = this.#before;
		for (const [at, leaf] of leaves.entries()) {
			const growing = this.#growing?.leaf === leaf ? this.#growing : undefined;
			if (growing) {
				if (growing.count === 0) rows.push(...this.#gap(leaf, before));
				rows.push(...this.#prefixed({ ...growing }, growing.rows.rest()));
				this.#isTailWaiting ||= growing.rows.isWaiting;
			} else rows.push(...this.#draw(leaf, this.#closed + at, mayGrow && at === leaves.length - 1, before));
			before = leaf;
		}
		return rows;
	}

	/** Lays out a leaf from its start, with the space before it. */
	#draw(leaf: Leaf, number: number, isOpen: boolean, before = this.#before): string[] {
		const shared = sharedDepth(before, leaf);
		const prefix = prefixOf(leaf, shared, this.#width, this.#look);
		const width = this.#width - prefix.cells;
		const growing = isLines(leaf) ? this.#growingRows(leaf, width) : undefined;
		const body = growing ? growing.finish() : this.#body(withoutBox(leaf, shared), number, width, isOpen);
		this.#isTailWaiting ||= growing?.isWaiting ?? false;
		return [...this.#gap(leaf, before), ...this.#prefixed({ prefix, count: 0 }, body)];
	}

	/** The bars of quotes continue through the space between their leaves. */
	#gap(leaf: Leaf, before: Leaf | undefined): string[] {
		const shared = sharedDepth(before, leaf);
		if (!hasGap(before, leaf, shared)) return [];
		if (shared === 0) return [""];
		const around = { ...leaf, path: leaf.path.slice(0, shared) };
		const { rest } = prefixOf(around, shared, this.#width, this.#look);
		return [rest.replace(/ +((?:\x1b\[[0-9;]*m)*)$/, "$1")];
	}

	#prefixed(to: Pick<Growing, "prefix" | "count">, rows: readonly string[]): string[] {
		return rows.map((row) => (to.count++ === 0 ? to.prefix.first : to.prefix.rest) + row);
	}

	#body(leaf: Leaf, number: number, width: number, isOpen: boolean): string[] {
		const { theme } = this.#look;
		switch (leaf.kind) {
			case "paragraph":
				return this.#paragraph(leaf, number, width, isOpen);
			case "heading":
				return this.#heading(leaf.text, leaf.depth, width, isOpen);
			case "rule":
				return [theme.hr("─".repeat(Math.min(width, markdownLimits.ruleCells)))];
			default:
				return [""];
		}
	}

	/** One that is complete and has only one part is drawn once. */
	#paragraph(leaf: Paragraph, number: number, width: number, isOpen: boolean): string[] {
		const { text } = leaf;
		if (isOpen || this.#flows.has(number) || text.length > markdownLimits.partChars)
			return this.#flowOf(leaf, number, width).rows(text, isOpen);
		return wrapTextWithAnsi(this.#inline(text, false, this.#baseOf(leaf)), width);
	}

	#flowOf(leaf: Leaf, number: number, width: number): Flow {
		const isQuoted = isInQuote(leaf);
		const known = this.#flows.get(number);
		if (known?.isQuoted === isQuoted && known.width === width) return known.flow;
		const base = this.#baseOf(leaf);
		const { definitions } = this.#source;
		const paint = (text: string, isOpen: boolean): string => this.#inline(text, isOpen, base);
		const flow = new Flow({ width, definitions, paint });
		this.#flows.set(number, { isQuoted, width, flow });
		return flow;
	}

	/** Levels differ by weight and color: underlined, colored, bold, and bold italic from the fourth on. */
	#heading(text: string, depth: number, width: number, isOpen: boolean): string[] {
		const { theme } = this.#look;
		const base: Paint = (part) => {
			if (depth > 2) return theme.bold(depth > 3 ? theme.italic(part) : part);
			return theme.heading(theme.bold(depth === 1 && part.trim() !== "" ? theme.underline(part) : part));
		};
		return wrapTextWithAnsi(this.#inline(text, isOpen, base), width);
	}

	#inline(text: string, isOpen: boolean, base: Paint): string {
		const pieces = parseInlines(text, { definitions: this.#source.definitions, isOpen });
		return paintInlines(pieces, this.#look, base);
	}

	#baseOf(leaf: Leaf): Paint {
		const { base, theme } = this.#look;
		return isInQuote(leaf) ? (text) => base(theme.quote(text)) : base;
	}
}

function isLines(leaf: Leaf): leaf is Lines {
	return leaf.kind === "code" || leaf.kind === "html" || leaf.kind === "table";
}

function linesOf(leaf: Lines): readonly { readonly length: number }[] {
	return leaf.kind === "table" ? leaf.rows : leaf.lines;
}
