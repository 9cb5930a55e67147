/** A list of settings: each with its value, which Enter changes or opens. */
import { isFocusable, type Component, type Focusable } from "../component.ts";
import { getKeybindings, matchesKey } from "../input/index.ts";
import { fuzzyFilter, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import { keyText } from "./key-hint.ts";
import { moved, placeInList, windowOf } from "../elements/list-window.ts";
import { cells, labelOf, spaces, widestLabel } from "../elements/rows.ts";
import { SearchField } from "./search-field.ts";

export interface SettingItem {
	id: string;
	label: string;
	description?: string;
	currentValue: string;
	/** Enter and Space cycle through these. */
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
const indent = "  ";
/** The labels take at most this share of the width. */
const labelShare = 0.6;

export class SettingsList implements Component, Focusable {
	readonly #items: SettingItem[];
	readonly #maxVisible: number;
	readonly #theme: SettingsListTheme;
	readonly #onChange: (id: string, newValue: string) => void;
	readonly #onCancel: () => void;
	readonly #search: SearchField | undefined;
	#shown: SettingItem[];
	#selected = 0;
	#submenu: Component | undefined;
	#focused = false;

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
		this.#maxVisible = Math.max(1, cells(maxVisible));
		this.#theme = theme;
		this.#onChange = onChange;
		this.#onCancel = onCancel;
		this.#search = options.enableSearch === true ? new SearchField() : undefined;
	}

	get focused(): boolean {
		return this.#focused;
	}

	/** The caret is in the open submenu, or else in the search. */
	set focused(focused: boolean) {
		this.#focused = focused;
		const submenu = this.#submenu ?? null;
		if (this.#search) this.#search.focused = focused && submenu === null;
		if (isFocusable(submenu)) submenu.focused = focused;
	}

	updateValue(id: string, newValue: string): void {
		const item = this.#items.find((candidate) => candidate.id === id);
		if (item) item.currentValue = newValue;
	}

	/** One that is not shown, or not there, leaves the selection as it is. */
	selectItem(id: string): void {
		const at = this.#shown.findIndex((item) => item.id === id);
		if (at >= 0) this.#selected = at;
	}

	invalidate(): void {
		this.#submenu?.invalidate();
	}

	render(width: number): string[] {
		if (this.#submenu) return this.#submenu.render(width);
		const rows = this.#search ? [this.#search.render(width), ""] : [];
		if (this.#shown.length === 0) rows.push(this.#hint("No matching settings", width));
		else rows.push(...this.#settingRows(width));
		rows.push("", this.#hint(this.#keys(), width));
		return rows;
	}

	handleInput(data: string): void {
		if (this.#submenu) return this.#submenu.handleInput?.(data);
		const keys = getKeybindings();
		const to = moved(data, this.#selected, this.#shown.length, this.#maxVisible);
		if (to !== undefined) this.#selected = to;
		else if (keys.matches(data, "tui.select.confirm")) this.#activate();
		// The first Escape clears the search, the next one closes the list.
		else if (this.#search?.cancels(data) === true) this.#filter();
		else if (keys.matches(data, "tui.select.cancel")) this.#onCancel();
		// During a search, a space separates two words.
		else if (matchesKey(data, "space") && (this.#search?.text ?? "") === "") this.#activate();
		else if (this.#search?.handle(data) === true) this.#filter();
	}

	#filter(): void {
		const search = this.#search?.text ?? "";
		const text = ({ id, label, description = "" }: SettingItem): string => `${label} ${id} ${description}`;
		this.#shown = search === "" ? this.#items : fuzzyFilter(this.#items, search, text);
		this.#selected = 0;
	}

	#activate(): void {
		const item = this.#shown[this.#selected];
		if (!item) return;
		if (item.submenu) return this.#open(item, item.submenu);
		const { values = [] } = item;
		const next = values[(values.indexOf(item.currentValue) + 1) % Math.max(1, values.length)];
		if (next !== undefined) this.#change(item, next);
	}

	/** Only the first call of `done` counts, also when it comes before the submenu is open. */
	#open(item: SettingItem, make: NonNullable<SettingItem["submenu"]>): void {
		let isDone = false;
		const submenu = make(item.currentValue, (value) => {
			if (isDone) return;
			isDone = true;
			this.#setSubmenu(undefined);
			if (value !== undefined) this.#change(item, value);
		});
		if (!isDone) this.#setSubmenu(submenu);
	}

	#setSubmenu(submenu: Component | undefined): void {
		const before = this.#submenu ?? null;
		if (isFocusable(before)) before.focused = false;
		this.#submenu = submenu;
		this.focused = this.#focused;
	}

	#change(item: SettingItem, value: string): void {
		item.currentValue = value;
		this.#onChange(item.id, value);
	}

	#settingRows(width: number): string[] {
		const { from, to } = windowOf(this.#shown.length, this.#selected, this.#maxVisible);
		const visible = this.#shown.slice(from, to);
		const column = this.#labelWidth(width);
		const rows = visible.map((item, at) => this.#row(item, from + at, width, column));
		if (visible.length < this.#shown.length) {
			const place = placeInList(this.#selected, this.#shown.length);
			rows.push(this.#theme.hint(truncateToWidth(place, width)));
		}
		const { description } = this.#shown[this.#selected] ?? {};
		return description ? [...rows, "", ...this.#describe(description, width)] : rows;
	}

	#describe(description: string, width: number): string[] {
		const room = Math.max(1, width - indent.length);
		return wrapTextWithAnsi(labelOf(description), room).map((line) =>
			truncateToWidth(`${indent}${this.#theme.description(line)}`, width),
		);
	}

	#keys(): string {
		const change = keyText("tui.select.confirm");
		const cancel = keyText("tui.select.cancel").split("/", 1).join("");
		const search = this.#search === undefined ? "" : "type to search · ";
		return `${search}${change}/space to change · ${cancel} to close`;
	}

	#hint(text: string, width: number): string {
		return this.#theme.hint(truncateToWidth(indent + text, width));
	}

	/** Computed from all settings, so that the values do not move during a search. */
	#labelWidth(width: number): number {
		const most = Math.max(1, Math.floor(width * labelShare));
		const labels = this.#items.values().map(({ label }) => label);
		return Math.max(1, widestLabel(labels, most));
	}

	#row(item: SettingItem, index: number, width: number, column: number): string {
		const isSelected = index === this.#selected;
		const cursor = isSelected ? this.#theme.cursor : spaces(visibleWidth(this.#theme.cursor));
		const label = truncateToWidth(labelOf(item.label), column);
		const space = spaces(column - visibleWidth(label) + gap);
		const value = this.#theme.value(labelOf(item.currentValue), isSelected);
		return truncateToWidth(`${cursor}${this.#theme.label(label, isSelected)}${space}${value}`, width);
	}
}
