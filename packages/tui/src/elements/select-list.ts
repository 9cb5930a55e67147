/** A list to choose one item from, with descriptions beside the labels. */
import type { Component } from "../component.ts";
import { decodePrintableKey, getKeybindings } from "../input/index.ts";
import { fuzzyFilter, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import { jumped, moved, placeInList, windowOf } from "./list-window.ts";
import { cells, labelOf, spaces, widestLabel } from "./rows.ts";

export interface SelectItem {
	value: string;
	label: string;
	description?: string;
}

export interface SelectListTheme {
	selectedPrefix: (text: string) => string;
	selectedText: (text: string) => string;
	description: (text: string) => string;
	scrollInfo: (text: string) => string;
	noMatch: (text: string) => string;
	/** Paints the whole selected row, which then has the width of the list. */
	selectedRow?: (text: string) => string;
}

export interface SelectListTruncatePrimaryContext {
	text: string;
	maxWidth: number;
	columnWidth: number;
	item: SelectItem;
	isSelected: boolean;
}

export interface SelectListLayoutOptions {
	minPrimaryColumnWidth?: number;
	maxPrimaryColumnWidth?: number;
	truncatePrimary?: (context: SelectListTruncatePrimaryContext) => string;
	/** The first nine items have numbers, and the key of a number chooses its item. */
	numbered?: boolean;
	/** Where an item does not fit into one row, all are wrapped, with descriptions below labels; otherwise they are cut. */
	wrapItems?: boolean;
}

const prefix = " ❯ ";
const gap = 2;
/** Items that a single key can choose. */
const numbers = 9;
/** With less space, descriptions are left out. */
const leastDescription = 10;
const defaultColumn = { min: 12, max: 32 } as const;

export class SelectList implements Component {
	readonly #items: readonly SelectItem[];
	readonly #maxVisible: number;
	readonly #theme: SelectListTheme;
	readonly #layout: SelectListLayoutOptions;
	#shown: readonly SelectItem[];
	#selected = 0;
	/** Without it no row is marked: the keys go elsewhere. */
	isActive = true;
	/** The widest of the visible labels; computed once, however often the list is drawn. */
	#widest: number | undefined;
	onSelect?: (item: SelectItem) => void;
	onCancel?: () => void;
	onSelectionChange?: (item: SelectItem) => void;

	constructor(
		items: readonly SelectItem[],
		maxVisible: number,
		theme: SelectListTheme,
		layout: SelectListLayoutOptions = {},
	) {
		this.#items = items;
		this.#shown = items;
		this.#maxVisible = Math.max(1, cells(maxVisible));
		this.#theme = theme;
		this.#layout = layout;
	}

	setFilter(filter: string): void {
		const words = ({ label, value }: SelectItem): string => `${label} ${value}`;
		this.#shown = filter === "" ? this.#items : fuzzyFilter(this.#items, filter, words);
		this.#selected = 0;
		this.#widest = undefined;
	}

	setSelectedIndex(index: number): void {
		this.#selected = jumped(index, 0, this.#shown.length);
	}

	getSelectedItem(): SelectItem | null {
		return this.#shown[this.#selected] ?? null;
	}

	invalidate(): void {
		this.#widest = undefined;
	}

	render(width: number): string[] {
		if (this.#shown.length === 0) return [truncateToWidth(this.#theme.noMatch("   No matches"), width)];
		const { from, to } = windowOf(this.#shown.length, this.#selected, this.#maxVisible);
		const column = this.#columnWidth(width);
		const isWrapped =
			this.#layout.wrapItems === true && !this.#shown.every((item) => this.#fits(item, width, column));
		const rows = this.#shown
			.slice(from, to)
			.flatMap((item, at) =>
				isWrapped ? this.#rows(item, from + at, width) : [this.#row(item, from + at, width, column)],
			);
		if (to - from < this.#shown.length) {
			const place = placeInList(this.#selected, this.#shown.length);
			rows.push(this.#theme.scrollInfo(truncateToWidth(place, width)));
		}
		return rows;
	}

	/** The position of the item that this key is the number of; undefined for other keys. */
	numberOf(keyData: string): number | undefined {
		if (this.#layout.numbered !== true) return undefined;
		const key = decodePrintableKey(keyData) ?? keyData;
		const index = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
		return index >= 0 && index < this.#shown.length ? index : undefined;
	}

	handleInput(keyData: string): void {
		const keys = getKeybindings();
		const number = this.numberOf(keyData);
		if (number !== undefined) {
			this.#move(number);
			return this.#confirm();
		}
		const to = moved(keyData, this.#selected, this.#shown.length, this.#maxVisible);
		if (to !== undefined) this.#move(to);
		else if (keys.matches(keyData, "tui.select.confirm")) this.#confirm();
		else if (keys.matches(keyData, "tui.select.cancel")) this.onCancel?.();
	}

	#confirm(): void {
		const item = this.getSelectedItem();
		if (item) this.onSelect?.(item);
	}

	#move(to: number): void {
		this.#selected = to;
		const item = this.getSelectedItem();
		if (item) this.onSelectionChange?.(item);
	}

	/** As wide as the widest allowed label, so that the descriptions are aligned. */
	#columnWidth(width: number): number {
		const { minPrimaryColumnWidth: min = defaultColumn.min, wrapItems = false } = this.#layout;
		const usual = wrapItems ? Math.max(defaultColumn.max, Math.floor(width / 2)) : defaultColumn.max;
		const { maxPrimaryColumnWidth: max = usual } = this.#layout;
		this.#widest ??= widestLabel(this.#shown.values().map(nameOf), max);
		const widest = this.#widest + this.#number(0).length;
		return Math.min(Math.max(min, Math.min(widest, max)), Math.max(1, width - prefix.length));
	}

	/** Labels stay aligned where there are more items than numbers. */
	#number(index: number): string {
		if (this.#layout.numbered !== true) return "";
		return index < numbers ? `${index + 1}. ` : "   ";
	}

	/** Whether the item fits into one row, with its description beside its label. */
	#fits(item: SelectItem, width: number, column: number): boolean {
		const cellsOfName = this.#number(0).length + visibleWidth(labelOf(nameOf(item)));
		const about = labelOf(item.description ?? "");
		const room = width - prefix.length;
		if (about === "") return cellsOfName <= room;
		return cellsOfName <= column && visibleWidth(about) <= room - column - gap;
	}

	/** The label and the description below it, both wrapped. */
	#rows(item: SelectItem, index: number, width: number): string[] {
		const number = this.#number(index);
		const name = labelOf(nameOf(item));
		const about = labelOf(item.description ?? "");
		const room = width - prefix.length - number.length;
		const margin = spaces(prefix.length + number.length);
		const isSelected = this.isActive && index === this.#selected;
		const wrapped = (text: string): string[] => wrapTextWithAnsi(text, Math.max(1, room));
		const names = wrapped(name).map((text, at) => {
			if (at > 0) return margin + (isSelected ? this.#theme.selectedText(text) : text);
			if (!isSelected) return spaces(prefix.length) + number + text;
			return this.#theme.selectedPrefix(prefix) + this.#theme.selectedText(number + text);
		});
		const below = about === "" ? [] : wrapped(about).map((text) => this.#theme.description(margin + text));
		return [...names, ...below].map((row) => {
			const shown = isSelected ? this.#theme.selectedRow?.(row + spaces(width - visibleWidth(row))) : row;
			return truncateToWidth(shown ?? row, width);
		});
	}

	#row(item: SelectItem, index: number, width: number, column: number): string {
		const isSelected = this.isActive && index === this.#selected;
		const text = this.#number(index) + labelOf(nameOf(item));
		const room = width - prefix.length;
		const left = room - column - gap;
		const hasDescription =
			item.description !== undefined && item.description !== "" && left >= leastDescription;
		const maxWidth = hasDescription ? column : room;
		const cut =
			this.#layout.truncatePrimary ?? (({ text: whole, maxWidth: most }) => truncateToWidth(whole, most));
		const name = truncateToWidth(
			cut({ text, maxWidth, columnWidth: column, item, isSelected }),
			Math.max(1, maxWidth),
		);
		const description = hasDescription ? truncateToWidth(labelOf(item.description ?? ""), left) : "";
		const space = hasDescription ? spaces(column - visibleWidth(name) + gap) : "";
		const about = hasDescription ? this.#theme.description(space + description) : "";
		if (!isSelected) return truncateToWidth(spaces(prefix.length) + name + about, width);
		const row = this.#theme.selectedPrefix(prefix) + this.#theme.selectedText(name) + about;
		return truncateToWidth(this.#theme.selectedRow?.(row + spaces(width - visibleWidth(row))) ?? row, width);
	}
}

function nameOf({ label, value }: SelectItem): string {
	return label || value;
}
