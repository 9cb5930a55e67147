/** A list in which several items can be chosen. */
import type { Component, Focusable } from "../component.ts";
import { getKeybindings, matchesKey } from "../input/index.ts";
import { truncateToWidth } from "../text.ts";
import { SearchField } from "./search-field.ts";
import { SelectList, type SelectItem, type SelectListTheme } from "../elements/select-list.ts";

export interface MultiSelectItem extends SelectItem {
	/** Chosen initially. */
	isChosen?: boolean;
}

export interface MultiSelectOptions {
	/** Typing filters the list. */
	enableSearch?: boolean;
	/** The first nine items have numbers, which toggle them. Without effect where typing filters. */
	numbered?: boolean;
}

const [chosenSign, otherSign] = ["[✓] ", "[ ] "];

export class MultiSelectList implements Component, Focusable {
	readonly #rows: readonly Row[];
	readonly #list: SelectList;
	readonly #theme: SelectListTheme;
	readonly #search: SearchField | undefined;
	focused = false;
	/** The values of the chosen items, in the order of the list. */
	onConfirm?: (values: string[]) => void;
	onCancel?: () => void;
	onChange?: (values: string[]) => void;

	constructor(
		items: readonly MultiSelectItem[],
		maxVisible: number,
		theme: SelectListTheme,
		options: MultiSelectOptions = {},
	) {
		this.#rows = items.map((item) => new Row(item));
		const numbered = options.numbered === true && options.enableSearch !== true;
		this.#list = new SelectList(this.#rows, maxVisible, theme, { numbered, wrapItems: numbered });
		this.#theme = theme;
		this.#search = options.enableSearch === true ? new SearchField() : undefined;
	}

	/** See `SelectList.isActive`. */
	get isActive(): boolean {
		return this.#list.isActive;
	}

	set isActive(isActive: boolean) {
		this.#list.isActive = isActive;
	}

	get values(): string[] {
		return this.#rows.filter(({ isChosen }) => isChosen).map(({ value }) => value);
	}

	invalidate(): void {
		this.#list.invalidate();
	}

	render(width: number): string[] {
		const chosen = `  ${this.values.length} of ${this.#rows.length} selected`;
		const rows = [...this.#list.render(width), this.#theme.scrollInfo(truncateToWidth(chosen, width))];
		if (this.#search === undefined) return rows;
		this.#search.focused = this.focused;
		return [this.#search.render(width), "", ...rows];
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		const number = this.#list.numberOf(data);
		if (number !== undefined) {
			this.#list.setSelectedIndex(number);
			this.#toggle();
		} else if (matchesKey(data, "space")) this.#toggle();
		else if (matchesKey(data, "ctrl+a")) this.#toggleAll();
		else if (keys.matches(data, "tui.select.confirm")) this.onConfirm?.(this.values);
		else if (this.#search?.cancels(data) === true) this.#list.setFilter("");
		else if (keys.matches(data, "tui.select.cancel")) this.onCancel?.();
		else if (this.#search?.handle(data) === true) this.#list.setFilter(this.#search.text);
		else this.#list.handleInput(data);
	}

	#toggle(): void {
		const row = this.#list.getSelectedItem();
		if (!(row instanceof Row)) return;
		row.isChosen = !row.isChosen;
		this.onChange?.(this.values);
	}

	/** Chooses all items, or none when all are chosen. */
	#toggleAll(): void {
		const isChosen = this.#rows.some((row) => !row.isChosen);
		for (const row of this.#rows) row.isChosen = isChosen;
		this.onChange?.(this.values);
	}
}

/** An item whose label shows whether it is chosen. */
class Row implements SelectItem {
	readonly value: string;
	readonly description: string;
	readonly #name: string;
	isChosen: boolean;

	constructor({ value, label, description = "", isChosen = false }: MultiSelectItem) {
		this.value = value;
		this.description = description;
		this.#name = label || value;
		this.isChosen = isChosen;
	}

	get label(): string {
		return (this.isChosen ? chosenSign : otherSign) + this.#name;
	}
}
