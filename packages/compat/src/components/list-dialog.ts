/** A list between two lines, perhaps with a search above it: what pi's selectors have in common. */
import {
	Container,
	DynamicBorder,
	Input,
	SelectList,
	Spacer,
	Text,
	getKeybindings,
	type Focusable,
	type SelectItem,
} from "@tau/tui";
import { oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import { getSelectListTheme } from "./theming.ts";
import { screenTheme } from "../support/screen-theme.ts";

export interface ListDialogOptions {
	title?: string;
	items: readonly SelectItem[];
	/** The initial selection. */
	selected?: number;
	rows?: number;
	/** Typing narrows the list. */
	search?: boolean | string;
	onSelect(value: string): void;
	onCancel(): void;
	onMove?(value: string): void;
}

export class ListDialog extends Container implements Focusable {
	readonly #options: ListDialogOptions;
	readonly #search: Input | undefined;
	#list: SelectList;
	#title: string | undefined;

	constructor(options: ListDialogOptions) {
		super();
		this.#options = options;
		this.#title = options.title;
		this.#search = options.search === undefined || options.search === false ? undefined : new Input();
		if (typeof options.search === "string") this.#search?.setValue(options.search);
		this.#list = this.#made(options.items, options.selected ?? 0);
		this.#build();
	}

	get focused(): boolean {
		return this.#search?.focused ?? false;
	}

	set focused(value: boolean) {
		if (this.#search) this.#search.focused = value;
	}

	getSelectList(): SelectList {
		return this.#list;
	}

	getSearchInput(): Input | undefined {
		return this.#search;
	}

	/** Replaces the list. */
	setItems(items: readonly SelectItem[], selected: number = 0): void {
		this.#list = this.#made(items, selected);
		this.#build();
	}

	setTitle(title: string): void {
		this.#title = title;
		this.#build();
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		const moves = ["tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown"] as const;
		const isForList = [...moves, "tui.select.confirm" as const, "tui.select.cancel" as const].some((key) =>
			keys.matches(data, key),
		);
		if (isForList || !this.#search) return this.#list.handleInput(data);
		this.#search.handleInput(data);
		this.#list.setFilter(this.#search.getValue());
	}

	#made(items: readonly SelectItem[], selected: number): SelectList {
		const { onSelect, onCancel, onMove, rows = limits.listRows } = this.#options;
		const clean = items.map((item) => ({
			...item,
			label: oneLine(item.label ?? item.value, limits.titleChars),
		}));
		const list = new SelectList(clean, rows, getSelectListTheme());
		list.onSelect = ({ value }) => onSelect(value);
		list.onCancel = () => onCancel();
		if (onMove) list.onSelectionChange = ({ value }) => onMove(value);
		const filter = this.#search?.getValue() ?? "";
		if (filter !== "") list.setFilter(filter);
		list.setSelectedIndex(Math.max(0, selected));
		return list;
	}

	#build(): void {
		this.clear();
		const border = new DynamicBorder((text) => screenTheme().fg("border", text));
		this.addChild(border);
		if (this.#title !== undefined) {
			this.addChild(new Text(screenTheme().fg("accent", screenTheme().bold(this.#title)), 1, 0));
			this.addChild(new Spacer(1));
		}
		if (this.#search) this.addChild(this.#search);
		this.addChild(this.#list);
		this.addChild(border);
	}
}
