/** A list of settings: each with its value, which Enter changes or opens. */
import type { Component } from "../component.ts";
import { decodePrintableKey, getKeybindings, matchesKey } from "../input/index.ts";
import { fuzzyFilter, oneRow, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import { jumped, stepped, windowOf } from "./list-window.ts";

export interface SettingItem {
	id: string;
	label: string;
	description?: string;
	currentValue: string;
	/** Enter and Space go from one to the next. */
	values?: string[];
	/** Enter opens this; it calls `done` with the new value, or without one. */
	submenu?: (currentValue: string, done: (selectedValue?: string) => void) => Component;
}

export interface SettingsListTheme {
	label: (text: string, selected: boolean) => string;
	value: (text: string, selected: boolean) => string;
	description: (text: string) => string;
	cursor: string;
	hint: (text: string) => string;
}

export interface SettingsListOptions {
	enableSearch?: boolean;
}

const gap = 2;
/** The labels take at most this part of the width. */
const labelShare = 0.6;

export class SettingsList implements Component {
	readonly #items: SettingItem[];
	readonly #maxVisible: number;
	readonly #theme: SettingsListTheme;
	readonly #onChange: (id: string, newValue: string) => void;
	readonly #onCancel: () => void;
	readonly #hasSearch: boolean;
	#shown: SettingItem[];
	#selected = 0;
	#search = "";
	#submenu: Component | undefined;

	constructor(
		items: SettingItem[],
		maxVisible: number,
		theme: SettingsListTheme,
		onChange: (id: string, newValue: string) => void,
		onCancel: () => void,
		options: SettingsListOptions = {},
	) {
		this.#items = items;
		this.#shown = items;
		this.#maxVisible = maxVisible;
		this.#theme = theme;
		this.#onChange = onChange;
		this.#onCancel = onCancel;
		this.#hasSearch = options.enableSearch ?? false;
	}

	updateValue(id: string, newValue: string): void {
		const item = this.#items.find((candidate) => candidate.id === id);
		if (item) item.currentValue = newValue;
	}

	invalidate(): void {
		this.#submenu?.invalidate();
	}

	render(width: number): string[] {
		if (this.#submenu) return this.#submenu.render(width);
		const rows = this.#hasSearch ? this.#searchRows(width) : [];
		if (this.#shown.length === 0) {
			rows.push(this.#theme.hint(truncateToWidth("  No matching settings", width)));
			return rows;
		}
		const { from, to } = windowOf(this.#shown.length, this.#selected, this.#maxVisible);
		const column = this.#labelWidth(width);
		rows.push(...this.#shown.slice(from, to).map((item, at) => this.#row(item, from + at, width, column)));
		if (to - from < this.#shown.length) {
			rows.push(this.#theme.hint(truncateToWidth(`  (${this.#selected + 1}/${this.#shown.length})`, width)));
		}
		const description = this.#shown[this.#selected]?.description;
		if (description) {
			const wrapped = wrapTextWithAnsi(oneRow(description), Math.max(1, width - 2));
			rows.push("", ...wrapped.map((line) => `  ${this.#theme.description(line)}`));
		}
		return rows;
	}

	handleInput(data: string): void {
		if (this.#submenu) return this.#submenu.handleInput?.(data);
		const keys = getKeybindings();
		const count = this.#shown.length;
		if (keys.matches(data, "tui.select.up")) this.#selected = stepped(this.#selected, -1, count);
		else if (keys.matches(data, "tui.select.down")) this.#selected = stepped(this.#selected, 1, count);
		else if (keys.matches(data, "tui.select.pageUp")) this.#jump(-this.#maxVisible);
		else if (keys.matches(data, "tui.select.pageDown")) this.#jump(this.#maxVisible);
		else if (keys.matches(data, "tui.select.confirm")) this.#activate();
		else if (keys.matches(data, "tui.select.cancel")) this.#cancel();
		else this.#type(data);
	}

	#jump(by: number): void {
		this.#selected = jumped(this.#selected, by, this.#shown.length);
	}

	/** The first Escape takes back the search, the next one leaves. */
	#cancel(): void {
		if (this.#search === "") this.#onCancel();
		else this.#filter("");
	}

	#type(data: string): void {
		const letter = decodePrintableKey(data);
		if (letter === " " && this.#search === "") return this.#activate();
		if (!this.#hasSearch) return;
		if (letter !== undefined) this.#filter(this.#search + letter);
		else if (matchesKey(data, "backspace")) this.#filter([...this.#search].slice(0, -1).join(""));
	}

	#filter(search: string): void {
		this.#search = search;
		const text = ({ id, label, description = "" }: SettingItem): string => `${label} ${id} ${description}`;
		this.#shown = search === "" ? this.#items : fuzzyFilter(this.#items, search, text);
		this.#selected = 0;
	}

	#activate(): void {
		const item = this.#shown[this.#selected];
		if (!item) return;
		if (item.submenu) {
			this.#submenu = item.submenu(item.currentValue, (value) => {
				this.#submenu = undefined;
				if (value !== undefined) this.#change(item, value);
			});
			return;
		}
		const { values = [] } = item;
		const next = values[(values.indexOf(item.currentValue) + 1) % Math.max(1, values.length)];
		if (next !== undefined) this.#change(item, next);
	}

	#change(item: SettingItem, value: string): void {
		item.currentValue = value;
		this.#onChange(item.id, value);
	}

	#searchRows(width: number): string[] {
		const shown = this.#search === "" ? this.#theme.hint("type to search") : this.#search;
		return [truncateToWidth(`${this.#theme.cursor}${shown}`, width), ""];
	}

	#labelWidth(width: number): number {
		const widest = Math.max(0, ...this.#shown.map(({ label }) => visibleWidth(oneRow(label))));
		return Math.max(1, Math.min(widest, Math.floor(width * labelShare)));
	}

	#row(item: SettingItem, index: number, width: number, column: number): string {
		const isSelected = index === this.#selected;
		const cursor = isSelected ? this.#theme.cursor : " ".repeat(visibleWidth(this.#theme.cursor));
		const label = truncateToWidth(oneRow(item.label), column);
		const space = " ".repeat(column - visibleWidth(label) + gap);
		const value = this.#theme.value(oneRow(item.currentValue), isSelected);
		return truncateToWidth(`${cursor}${this.#theme.label(label, isSelected)}${space}${value}`, width);
	}
}
