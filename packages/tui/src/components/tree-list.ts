/** A tree to choose from: branches fold, typing filters it, and only visible rows are drawn. */
import type { Component, Focusable } from "../component.ts";
import { getKeybindings, matchesKey } from "../input/index.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { limits } from "../elements/limits.ts";
import { moved, placeInList, windowOf } from "../elements/list-window.ts";
import { cells, labelOf } from "../elements/rows.ts";
import { SearchField } from "./search-field.ts";
import { layTree, type TreeLine, type TreeNode } from "./tree-lines.ts";

export interface TreeListOptions {
	/** Ids of branches that are folded initially. */
	folded?: Iterable<string>;
	/** An only child is below its parent without indentation. */
	flatChains?: boolean;
	/** Typing filters the tree. */
	enableSearch?: boolean;
}

const cursor = "❯ ";
const guideCells = 3;
/** Marks that guides were left out. */
const deeper = "‹ ";

export class TreeList implements Component, Focusable {
	readonly #theme: Theme;
	readonly #maxVisible: number;
	readonly #flatChains: boolean;
	readonly #search: SearchField | undefined;
	readonly #folded: Set<string>;
	#roots: readonly TreeNode[];
	#filter = "";
	#lines: TreeLine[] | undefined;
	#selected = 0;
	focused = false;
	onSelect?: (node: TreeNode) => void;
	onCancel?: () => void;
	onSelectionChange?: (node: TreeNode) => void;

	constructor(roots: readonly TreeNode[], maxVisible: number, theme: Theme, options: TreeListOptions = {}) {
		this.#roots = roots;
		this.#maxVisible = Math.max(1, cells(maxVisible));
		this.#theme = theme;
		this.#flatChains = options.flatChains === true;
		this.#search = options.enableSearch === true ? new SearchField() : undefined;
		this.#folded = new Set(options.folded);
	}

	/** The selected node stays selected if it still exists. */
	setRoots(roots: readonly TreeNode[]): void {
		this.#change(() => {
			this.#roots = roots;
		});
	}

	setFilter(filter: string): void {
		this.#change(() => {
			this.#filter = filter;
		});
		if (filter !== "" && this.#line()?.isMatch === false) {
			this.#selected = Math.max(
				0,
				this.#laid().findIndex(({ isMatch }) => isMatch),
			);
		}
	}

	isFolded(id: string): boolean {
		return this.#folded.has(id);
	}

	setFolded(id: string, isFolded: boolean): void {
		this.#change(() => {
			if (isFolded) this.#folded.add(id);
			else this.#folded.delete(id);
		});
	}

	/** Selects a node, and unfolds its ancestors. Returns whether it exists. */
	select(id: string): boolean {
		const everything = layTree(this.#roots, { isFolded: () => false, filter: "", flatChains: false });
		let at = everything.findIndex(({ node }) => node.id === id);
		if (at < 0) return false;
		const target = everything[at]?.node;
		for (at = everything[at]?.above ?? -1; at >= 0; at = everything[at]?.above ?? -1) {
			this.#folded.delete(everything[at]?.node.id ?? "");
		}
		this.#filter = "";
		this.#search?.clear();
		this.#lines = undefined;
		this.#selected = this.#laid().findIndex(({ node }) => node === target);
		return true;
	}

	getSelected(): TreeNode | null {
		return this.#line()?.node ?? null;
	}

	invalidate(): void {
		// The lines contain no colors.
	}

	render(width: number): string[] {
		const lines = this.#laid();
		const { from, to } = windowOf(lines.length, this.#selected, this.#maxVisible);
		const rows = lines.slice(from, to).map((line, at) => this.#row(line, from + at, width));
		const theme = this.#theme;
		if (lines.length === 0) rows.push(truncateToWidth(theme.fg("warning", "  No matches"), width));
		else if (to - from < lines.length) {
			rows.push(truncateToWidth(theme.fg("dim", placeInList(this.#selected, lines.length)), width));
		}
		if (this.#search === undefined) return rows;
		this.#search.focused = this.focused;
		return [this.#search.render(width), "", ...rows];
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		const to = moved(data, this.#selected, this.#laid().length, this.#maxVisible);
		if (to !== undefined) this.#move(to);
		else if (matchesKey(data, "left")) this.#left();
		else if (matchesKey(data, "right")) this.#right();
		else if (keys.matches(data, "tui.select.confirm")) {
			const node = this.getSelected();
			if (node) this.onSelect?.(node);
		} else if (this.#search?.cancels(data) === true) this.setFilter("");
		else if (keys.matches(data, "tui.select.cancel")) this.onCancel?.();
		else if (matchesKey(data, "space") && this.#filter === "") this.#toggle();
		else if (this.#search?.handle(data) === true) this.setFilter(this.#search.text);
	}

	#laid(): TreeLine[] {
		this.#lines ??= layTree(this.#roots, {
			isFolded: (node) => this.#folded.has(node.id) && this.#isFoldable(node),
			filter: this.#filter,
			flatChains: this.#flatChains,
		});
		return this.#lines;
	}

	#line(): TreeLine | undefined {
		return this.#laid()[this.#selected];
	}

	/** A chain cannot be folded; only a node with several children can. */
	#isFoldable({ children = [] }: TreeNode): boolean {
		return children.length > (this.#flatChains ? 1 : 0);
	}

	/** Keeps the selection on its node, or on the nearest ancestor. */
	#change(change: () => void): void {
		const before = this.#laid();
		const way: TreeNode[] = [];
		for (let at = this.#selected; at >= 0; at = before[at]?.above ?? -1) {
			const node = before[at]?.node;
			if (node) way.push(node);
		}
		change();
		this.#lines = undefined;
		const places = new Map(this.#laid().map(({ node }, at) => [node.id, at]));
		this.#selected = way.map(({ id }) => places.get(id)).find((at) => at !== undefined) ?? 0;
	}

	#move(to: number): void {
		this.#selected = to;
		const node = this.getSelected();
		if (node) this.onSelectionChange?.(node);
	}

	#isOpen(node: TreeNode): boolean {
		return this.#isFoldable(node) && (this.#filter !== "" || !this.#folded.has(node.id));
	}

	/** Folds the branch, or goes to the parent. */
	#left(): void {
		const line = this.#line();
		if (line === undefined) return;
		if (this.#filter === "" && this.#isOpen(line.node)) this.setFolded(line.node.id, true);
		else if (line.above >= 0) this.#move(line.above);
	}

	/** Unfolds the branch, or enters it. */
	#right(): void {
		const node = this.getSelected();
		if (node === null || !this.#isFoldable(node)) return;
		if (this.#isOpen(node)) this.#move(Math.min(this.#selected + 1, this.#laid().length - 1));
		else this.setFolded(node.id, false);
	}

	#toggle(): void {
		const node = this.getSelected();
		if (node && this.#isFoldable(node)) this.setFolded(node.id, this.#isOpen(node));
	}

	#row(line: TreeLine, index: number, width: number): string {
		const theme = this.#theme;
		const isSelected = index === this.#selected;
		const { node } = line;
		const sign = this.#isFoldable(node) ? theme.fg("dim", this.#isOpen(node) ? "▾ " : "▸ ") : "";
		const start = isSelected ? theme.fg("accent", cursor) : "  ";
		const label = labelOf(node.label);
		const color = isSelected ? "accent" : line.isMatch ? (node.color ?? "text") : "dim";
		const note = node.note === undefined ? "" : theme.fg("dim", ` ${labelOf(node.note)}`);
		const before = start + this.#guides(line, width - visibleWidth(cursor)) + sign;
		const name = theme.fg(color, label);
		return truncateToWidth(before + (isSelected ? theme.bold(name) : name) + note, width);
	}

	/** The guides of the nearest ancestors, as many as may be drawn. */
	#guides(line: TreeLine, width: number): string {
		const most = Math.max(1, Math.floor((width * limits.guideShare) / guideCells));
		const parts: string[] = [];
		let at: TreeLine | undefined = line;
		while (at !== undefined && at.level > 0 && parts.length < most) {
			const isOwn = at === line && at.isHead;
			if (at.isLast) parts.push(isOwn ? "└─ " : "   ");
			else parts.push(isOwn ? "├─ " : "│  ");
			at = this.#laid()[at.above];
		}
		const isCut = line.level > parts.length;
		const guides = (isCut ? deeper : "") + parts.toReversed().join("");
		return guides === "" ? "" : this.#theme.fg("borderMuted", guides);
	}
}
