/** Lays out Markdown for one width: finished parts once, its end with every change. */
import type { Paint } from "../elements/text.ts";
import { highlighterVersion } from "../highlight/engine.ts";
import { wrapTextWithAnsi } from "../text.ts";
import { Flow } from "./flow.ts";
import { parseInlines } from "./inline-parser.ts";
import type { Leaf } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";
import { CodeRows, HtmlRows, type GrowingRows } from "./line-rows.ts";
import { paintInlines } from "./paint-inlines.ts";
import type { Source } from "./source.ts";
import { hasGap, isInQuote, prefixOf, sharedDepth, withoutBox, type Prefix } from "./surroundings.ts";
import { TableRows } from "./table-rows.ts";
import type { Look } from "./theme.ts";

/** A leaf of which some rows are settled while it still grows. */
interface Growing {
	leaf: Leaf;
	rows: GrowingRows;
	prefix: Prefix;
	/** The settled rows before it. */
	start: number;
	/** Its own rows so far. */
	count: number;
}

export class Layout {
	/** Final for this width: rows are only appended. */
	readonly settled: string[] = [];
	/** The number of leading rows that are unchanged; later ones have new colors. The reader resets it. */
	kept = Number.POSITIVE_INFINITY;
	/** The rows after them, for now. */
	tail: readonly string[] = [];
	readonly #source: Source;
	readonly #width: number;
	readonly #look: Look;
	#closed = 0;
	#before: Leaf | undefined;
	#growing: Growing | undefined;
	/** The paragraphs at the end, by the number of the leaf; each checks that its text only grows. */
	readonly #flows = new Map<number, { isQuoted: boolean; width: number; flow: Flow }>();
	#isWaiting = false;
	readonly #version = highlighterVersion();

	constructor(source: Source, width: number, look: Look) {
		this.#source = source;
		this.#width = width;
		this.#look = look;
	}

	/** True if missing colors have become available. */
	get isOutdated(): boolean {
		return this.#isWaiting && this.#version !== highlighterVersion();
	}

	update(mayGrow: boolean): void {
		// In a complete text, a definition in its last line applies to all of it.
		if (!mayGrow) this.#source.withTail(false, () => undefined);
		const { closed, open } = this.#source;
		for (; this.#closed < closed.length; this.#closed++) {
			const leaf = closed[this.#closed];
			if (leaf) this.#close(leaf);
		}
		if (open) this.#grow(open);
		if (!mayGrow && this.#growing?.rows.isProvisional) this.#rollBack(this.#growing);
		this.tail = this.#source.withTail(mayGrow, (leaves) => this.#drawTail(leaves, mayGrow));
	}

	#close(leaf: Leaf): void {
		const growing = this.#growing?.leaf === leaf ? this.#growing : undefined;
		this.#growing = undefined;
		if (growing && !growing.rows.isProvisional) {
			if (growing.count === 0) this.#settle(this.#gap(leaf, this.#before));
			this.#settle(this.#prefixed(growing, growing.rows.finish()));
			this.#isWaiting ||= growing.rows.isWaiting;
		} else {
			if (growing) this.#rollBack(growing);
			this.#settle(this.#draw(leaf, this.#closed, false));
		}
		this.#flows.delete(this.#closed);
		this.#before = leaf;
	}

	/** Discards the rows of a growing leaf, which is drawn again in better colors. */
	#rollBack({ start }: Growing): void {
		this.settled.length = start;
		this.#growing = undefined;
		this.kept = Math.min(this.kept, start);
	}

	/** Settles the rows of the open leaf that will not change any more. */
	#grow(leaf: Leaf): void {
		if (leaf.kind !== "code" && leaf.kind !== "html" && leaf.kind !== "table") return;
		if (this.#growing?.leaf !== leaf) this.#growing = this.#start(leaf);
		const growing = this.#growing;
		if (growing === undefined) return;
		const finished = leaf.kind === "table" ? leaf.rows.length : leaf.lines.length;
		const rows = growing.rows.settle(finished);
		this.#isWaiting ||= growing.rows.isWaiting;
		if (rows.length === 0) return;
		if (growing.count === 0) this.#settle(this.#gap(leaf, this.#before));
		this.#settle(this.#prefixed(growing, rows));
	}

	#settle(rows: readonly string[]): void {
		for (const row of rows) this.settled.push(row);
	}

	#start(leaf: Leaf): Growing | undefined {
		const prefix = prefixOf(leaf, sharedDepth(this.#before, leaf), this.#width, this.#look);
		const rows = this.#growingRows(leaf, this.#width - prefix.cells);
		return rows && { leaf, rows, prefix, start: this.settled.length, count: 0 };
	}

	#growingRows(leaf: Leaf, width: number): GrowingRows | undefined {
		if (leaf.kind === "code") return new CodeRows(leaf, width, this.#look);
		if (leaf.kind === "html") return new HtmlRows(leaf, width, this.#look);
		if (leaf.kind !== "table") return undefined;
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
		const growing = this.#growingRows(leaf, width);
		const body = growing ? growing.finish() : this.#body(withoutBox(leaf, shared), number, width, isOpen);
		this.#isWaiting ||= growing?.isWaiting ?? false;
		return [...this.#gap(leaf, before), ...this.#prefixed({ prefix, count: 0 }, body)];
	}

	/** The bars of quotes continue through the space between their leaves. */
	#gap(leaf: Leaf, before: Leaf | undefined): string[] {
		const shared = sharedDepth(before, leaf);
		if (!hasGap(before, leaf, shared)) return [];
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
				return this.#flowOf(leaf, number, width).rows(leaf.text, isOpen);
			case "heading":
				return this.#heading(leaf.text, leaf.depth, width, isOpen);
			case "rule":
				return [theme.hr("─".repeat(Math.min(width, markdownLimits.ruleCells)))];
			default:
				return [""];
		}
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
