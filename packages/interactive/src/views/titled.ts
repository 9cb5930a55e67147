/** Something that takes the keys, with a title over it and hints below. */
import {
	Input,
	isFocusable,
	keyText,
	Markdown,
	markdownTheme,
	matchesKey,
	MultiSelectList,
	SelectList,
	Text,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";
import { stripControls } from "@tau/utils";

export interface TitledOptions {
	/** What the keys of the inner component do; by default, that Enter selects. */
	keys?(): string;
	/** Markdown above the title. */
	about?: string;
	/** Drawn after the hints. */
	note?(): string;
	/** Called for the left arrow, except in a text, where that moves the cursor. */
	onBack?(): void;
}

export class Titled implements Component, Focusable {
	readonly #title: string;
	readonly #inner: Component;
	readonly #theme: { readonly current: Theme };
	readonly #options: TitledOptions;
	#focused = false;

	constructor(
		title: string,
		inner: Component,
		theme: { readonly current: Theme },
		options: TitledOptions = {},
	) {
		this.#title = stripControls(title).trim();
		this.#inner = inner;
		this.#theme = theme;
		this.#options = options;
	}

	get children(): Component[] {
		return [this.#inner];
	}

	get focused(): boolean {
		return this.#focused;
	}

	set focused(focused: boolean) {
		this.#focused = focused;
		if (isFocusable(this.#inner)) this.#inner.focused = focused;
	}

	handleInput(data: string): void {
		const isText = this.#inner instanceof Input && this.#inner.getValue() !== "";
		if (this.#options.onBack && !isText && matchesKey(data, "left")) this.#options.onBack();
		else this.#inner.handleInput?.(data);
	}

	invalidate(): void {
		this.#inner.invalidate();
	}

	render(width: number): string[] {
		const theme = this.#theme.current;
		if (this.#inner instanceof SelectList || this.#inner instanceof MultiSelectList)
			this.#inner.isActive = this.#focused;
		const border = theme.fg(this.#focused ? "borderAccent" : "borderMuted", "─".repeat(Math.max(1, width)));
		const title = [...this.#body(theme, width), ...new Text(theme.bold(this.#title), 1, 0).render(width)];
		// One that waits is above the editor, which begins with a rule of its own.
		const end = this.#focused ? [border] : [];
		return [border, ...title, "", ...this.#inner.render(width), "", ...this.#hint(theme, width), ...end];
	}

	/** What the question is about, as Markdown. */
	#body(theme: Theme, width: number): string[] {
		const { about = "" } = this.#options;
		if (about === "") return [];
		return [...new Markdown(stripControls(about), 1, 0, markdownTheme(theme)).render(width), ""];
	}

	/** Wrapped and not cut: on a narrow screen the last key is the one that leaves. */
	#hint(theme: Theme, width: number): string[] {
		const { keys = () => `${keyText("tui.select.confirm")} to select`, note = () => "" } = this.#options;
		const hint = this.#focused ? `${keys()} · ${keyText("tui.select.cancel")} to cancel` : waitingHint();
		return new Text(theme.fg(this.#focused ? "dim" : "accent", hint + note()), 1, 0).render(width);
	}
}

/** Below a dialog that waits above the editor. */
export function waitingHint(): string {
	return `press ${keyText("app.dialog.focus")} to answer (your typing goes to the prompt)`;
}
