/** The todo list as editable Markdown: Enter is a new line here, and another key saves it. */
import {
	Editor,
	editorTheme,
	getKeybindings,
	hintLine,
	keyHint,
	rawKeyHint,
	truncateToWidth,
	wrapTextWithAnsi,
	type EditorHost,
} from "@tau/tui";

import type { Escaping } from "../kit/stacked.ts";
import type { PickerScreen } from "../kit/spec.ts";

const newLine = "\n";

export interface TodoEditorParts {
	text: string;
	/** Returns the problem with the text; undefined if it was saved. */
	save(text: string): string | undefined;
}

export class TodoEditor implements Escaping, Disposable {
	readonly #screen: PickerScreen;
	readonly #parts: TodoEditorParts;
	readonly #editor: Editor;
	#wrong: string | undefined;

	constructor(screen: PickerScreen & EditorHost, parts: TodoEditorParts) {
		this.#screen = screen;
		this.#parts = parts;
		this.#editor = new Editor(screen, editorTheme(screen.theme.current));
		this.#editor.setText(parts.text);
	}

	get focused(): boolean {
		return this.#editor.focused;
	}

	set focused(focused: boolean) {
		this.#editor.focused = focused;
	}

	wantsEscape(): boolean {
		return this.#editor.wantsEscape();
	}

	invalidate(): void {
		this.#editor.invalidate();
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		this.#wrong = undefined;
		if (keys.matches(data, "app.todo.save")) this.#wrong = this.#parts.save(this.#editor.getExpandedText());
		else this.#editor.handleInput(keys.matches(data, "tui.input.submit") ? newLine : data);
		this.#screen.requestRender();
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const title = ` ${theme.fg("accent", theme.bold("Todo list"))} ${theme.fg("dim", "[ ] to do  [/] doing  [x] done  [-] dropped")}`;
		const hints = [keyHint(theme, "app.todo.save", "save"), rawKeyHint(theme, "escape", "discard")];
		return [
			...wrapTextWithAnsi(title, width),
			...this.#editor.render(width),
			...(this.#wrong === undefined
				? []
				: [` ${theme.fg("error", truncateToWidth(this.#wrong, width - 1))}`]),
			truncateToWidth(` ${hintLine(theme, hints)}`, width),
		];
	}

	[Symbol.dispose](): void {
		this.#editor[Symbol.dispose]();
	}
}
