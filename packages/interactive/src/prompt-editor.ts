/** The prompt editor, whose application keys take precedence over editing keys; extensions may replace it. */
import {
	CURSOR_MARKER,
	decodePrintableKey,
	Editor,
	getKeybindings,
	isFocusable,
	isKeyRelease,
	type AutocompleteProvider,
	type EditorComponent,
	truncateToWidth,
	visibleWidth,
	type Marker,
} from "@tau/tui";

import { appActions, type AppAction } from "./keys.ts";
import { limits } from "./limits.ts";

export interface PastPrompt {
	text: string;
	at: number;
	/** The directory in which it was written, if it is known. */
	cwd?: string;
	/** The session that it was written in, if it is known and another one. */
	session?: { readonly id: string; readonly name?: string } | undefined;
}

export class PromptEditor extends Editor {
	/** Returns whether the action was handled; otherwise the editor handles the key. */
	onAction?: ((action: AppAction) => boolean) | undefined;

	/** `?` in an empty editor. */
	onHelp: (() => void) | undefined;

	/** A key that fails must not take the program with it. */
	onTrouble: ((error: unknown) => void) | undefined;

	/** Shows the earlier prompts of this session, newest first; without it, the editor searches them in its own frame. */
	onHistorySearch: ((prompts: readonly PastPrompt[]) => void) | undefined;

	/** By text, the newest last. */
	readonly #past = new Map<string, number>();
	#replacement: EditorComponent | undefined;
	#provider: AutocompleteProvider | undefined;

	/** A replacement editor is shown and gets the keys and the text from now on; without one, this is back. */
	setReplacement(next: EditorComponent | undefined): void {
		const text = this.getText();
		this.#replacement = next;
		if (next) this.#connect(next);
		this.setText(text);
		this.tui.requestRender();
	}

	override handleInput(data: string): void {
		try {
			// One that is derived from this class knows the keys of the application, and may handle some of them first.
			if (this.#replacement instanceof PromptEditor) return this.#replacement.handleInput(data);
			if (!isKeyRelease(data) && this.#acts(data)) return;
			const asksForHelp = data === "?" || decodePrintableKey(data) === "?";
			if (asksForHelp && this.onHelp && !isKeyRelease(data) && this.getText() === "" && !this.wantsEscape())
				return this.onHelp();
			if (!isKeyRelease(data) && this.#searchesHistory(data)) return;
			if (this.#replacement) this.#replacement.handleInput(data);
			else super.handleInput(data);
		} catch (error) {
			this.#fail(error);
		}
	}

	/** What is shown while nothing is written, painted. */
	placeholder: ((width: number) => string) | undefined;

	override render(width: number): string[] {
		const replacement = this.#replacement;
		if (!replacement) return this.#withPlaceholder(super.render(width), width);
		try {
			if (isFocusable(replacement)) replacement.focused = this.focused;
			replacement.borderColor = this.borderColor;
			return replacement.render(width);
		} catch (error) {
			this.#fail(error);
			return super.render(width);
		}
	}

	/** Only behind the caret: without one, something else is being written. */
	#withPlaceholder(rows: string[], width: number): string[] {
		const [, line = ""] = rows;
		if (!this.placeholder || rows.length !== 3 || this.getText() !== "" || !line.includes(CURSOR_MARKER))
			return rows;
		const start = line.trimEnd();
		const room = Math.max(0, width - visibleWidth(start) - 1);
		const shown = truncateToWidth(this.placeholder(room), room);
		const space = " ".repeat(Math.max(0, width - visibleWidth(start) - visibleWidth(shown)));
		return rows.with(1, start + shown + space);
	}

	override invalidate(): void {
		super.invalidate();
		this.#replacement?.invalidate();
	}

	override getText(): string {
		return this.#replacement ? this.#replacement.getText() : super.getText();
	}

	override getExpandedText(): string {
		if (!this.#replacement) return super.getExpandedText();
		return this.#replacement.getExpandedText?.() ?? this.#replacement.getText();
	}

	override setText(text: string, markers: readonly Marker[] = []): void {
		if (!this.#replacement) super.setText(text, markers);
		else if (this.#replacement instanceof Editor) this.#replacement.setText(text, markers);
		else this.#replacement.setText(text);
	}

	override insertTextAtCursor(text: string): void {
		if (!this.#replacement) return super.insertTextAtCursor(text);
		if (this.#replacement.insertTextAtCursor) this.#replacement.insertTextAtCursor(text);
		else this.#replacement.setText(this.#replacement.getText() + text);
	}

	override getMarkers(): Marker[] {
		if (!this.#replacement) return super.getMarkers();
		return this.#replacement instanceof Editor ? this.#replacement.getMarkers() : [];
	}

	override insertMarker(marker: Marker): void {
		if (!this.#replacement) super.insertMarker(marker);
		else if (this.#replacement instanceof Editor) this.#replacement.insertMarker(marker);
		else this.insertTextAtCursor(marker.expansion);
	}

	override addToHistory(text: string, markers: readonly Marker[] = [], at: number = Date.now()): void {
		super.addToHistory(text, markers);
		this.#past.delete(text);
		this.#past.set(text, at);
		const [oldest] = this.#past.keys();
		if (this.#past.size > limits.pastPrompts && oldest !== undefined) this.#past.delete(oldest);
		this.#replacement?.addToHistory?.(text, markers);
	}

	/** The prompts that follow belong to another session. */
	beginSession(): void {
		this.#past.clear();
	}

	override recall(text: string): void {
		if (!this.#replacement) super.recall(text);
		else if (this.#replacement instanceof Editor) this.#replacement.recall(text);
		else this.#replacement.setText(text);
	}

	override setAutocompleteProvider(provider: AutocompleteProvider): void {
		this.#provider = provider;
		super.setAutocompleteProvider(provider);
		this.#replacement?.setAutocompleteProvider?.(provider);
	}

	override wantsEscape(): boolean {
		if (!this.#replacement) return super.wantsEscape();
		return this.#replacement instanceof Editor && this.#replacement.wantsEscape();
	}

	#searchesHistory(data: string): boolean {
		// In the other modes of vim the key means redo.
		const isWriting = (this.getVimMode() ?? "insert") === "insert";
		if (!this.onHistorySearch || this.#replacement || !isWriting) return false;
		if (!getKeybindings().matches(data, "tui.editor.historySearch")) return false;
		this.onHistorySearch([...this.#past].toReversed().map(([text, at]) => ({ text, at })));
		return true;
	}

	#connect(replacement: EditorComponent): void {
		replacement.onSubmit = (text, markers) => this.onSubmit?.(text, markers);
		replacement.onChange = (text) => this.onChange?.(text);
		if (this.#provider) replacement.setAutocompleteProvider?.(this.#provider);
		if (replacement instanceof Editor) {
			replacement.onPasteText = (text) => this.onPasteText?.(text);
			replacement.earlierPrompts = () => this.earlierPrompts?.() ?? [];
		}
		if (!(replacement instanceof PromptEditor)) return;
		replacement.onAction = (action) => this.onAction?.(action) ?? false;
		replacement.onTrouble = (error) => this.#fail(error);
	}

	/** A replacement editor that failed is not used again; the text that the user wrote stays. */
	#fail(error: unknown): void {
		const failed = this.#replacement;
		this.#replacement = undefined;
		if (failed) super.setText(textOf(failed));
		// Not before the frame is drawn that it may have failed in.
		queueMicrotask(() => this.onTrouble?.(error));
	}

	#acts(data: string): boolean {
		// Plain characters are text, and by far the most of what comes.
		if (this.onAction === undefined || (data.length === 1 && data >= " " && data !== "\x7f")) return false;
		const keys = getKeybindings();
		return appActions.some(
			(action) => keys.matches(data, action) && this.#isFree(action) && this.onAction?.(action) === true,
		);
	}

	/** Some keys mean something to the editor first. */
	#isFree(action: AppAction): boolean {
		if (action === "app.interrupt") return !this.wantsEscape();
		if (action === "app.exit") return this.getText() === "";
		return true;
	}
}

function textOf(editor: EditorComponent): string {
	try {
		return editor.getText();
	} catch {
		// It has failed before; there is nothing else to ask.
		return "";
	}
}
