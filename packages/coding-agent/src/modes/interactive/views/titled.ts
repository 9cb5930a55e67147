/** Something that takes the keys, with a title over it and hints below. */
import {
	isFocusable,
	keyText,
	Text,
	truncateToWidth,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";
import { stripControls } from "@tau/utils";

export class Titled implements Component, Focusable {
	readonly #title: string;
	readonly #inner: Component;
	readonly #theme: { readonly current: Theme };
	readonly #note: () => string;

	/** `note` is drawn after the hints. */
	constructor(
		title: string,
		inner: Component,
		theme: { readonly current: Theme },
		note: () => string = () => "",
	) {
		this.#title = stripControls(title).trim();
		this.#inner = inner;
		this.#theme = theme;
		this.#note = note;
	}

	get children(): Component[] {
		return [this.#inner];
	}

	get focused(): boolean {
		return isFocusable(this.#inner) && this.#inner.focused;
	}

	set focused(focused: boolean) {
		if (isFocusable(this.#inner)) this.#inner.focused = focused;
	}

	handleInput(data: string): void {
		this.#inner.handleInput?.(data);
	}

	invalidate(): void {
		this.#inner.invalidate();
	}

	render(width: number): string[] {
		const theme = this.#theme.current;
		const border = theme.fg("borderAccent", "─".repeat(Math.max(1, width)));
		const title = new Text(theme.bold(this.#title), 1, 0).render(width);
		const hint = ` ${keyText("tui.select.confirm")} to select · ${keyText("tui.select.cancel")} to cancel`;
		return [
			border,
			...title,
			...this.#inner.render(width),
			theme.fg("dim", truncateToWidth(hint + this.#note(), width)),
			border,
		];
	}
}
