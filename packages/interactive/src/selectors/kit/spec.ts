/** The specification of a list: the source of its rows, their appearance, and the actions of keys. */
import type { Tab, Theme } from "@tau/tui";

export interface PickerSpec<T> {
	title: string | (() => string);
	/** Asked in every frame, so that tabs may come and go. */
	tabs?(): readonly Tab[];
	/** The tab that is open at first. */
	tab?: string;
	/** What fits the search, in order. Asked when the search or the tab changes, and after `refresh`. */
	items(search: string, tab: string): readonly T[];
	idOf(item: T): string;
	/** The item to select when the one that was selected is not shown any more. */
	instead?(id: string): string | undefined;
	/** Without the sign of the selection. */
	row(item: T, width: number, theme: Theme): string;
	/** What the selected item is about, below the list: always as many rows as `aboutRows`. */
	about?(item: T, width: number, theme: Theme): readonly string[];
	aboutRows?: number;
	/** The text that is shown if the list is empty. */
	empty(search: string, tab: string): string;
	hints(theme: Theme, item: T | undefined): readonly string[];
	/** Its own keys, before those of the list. Returns whether it was one. */
	onKey?(data: string, item: T | undefined): boolean;
	onSelectionChange?(item: T | undefined): void;
	onConfirm(item: T): void | Promise<void>;
	onCancel(): void;
	/** A list without a search takes letters as keys. */
	hasSearch?: boolean;
	/** The initial text of the search. */
	search?: string;
}

/** What a list needs of the screen. */
export interface PickerScreen {
	readonly theme: { readonly current: Theme };
	readonly rows: number;
	requestRender(): void;
}
