/** The editor of prompts with the application's keys over those of the editor; another one may stand in for it. */
import {
	Editor,
	getKeybindings,
	isFocusable,
	isKeyRelease,
	type AutocompleteProvider,
	type EditorComponent,
	type Marker,
} from "@tau/tui";

import { appActions, type AppAction } from "./keys.ts";

export class PromptEditor extends Editor {
	/** Says whether it had a use for the action; otherwise the key is the editor's. */
	onAction?: ((action: AppAction) => boolean) | undefined;

	/** A key that fails must not take the program with it. */
	onTrouble: ((error: unknown) => void) | undefined;

	#standIn: EditorComponent | undefined;
	#provider: AutocompleteProvider | undefined;

	/** An editor of somebody else is seen and gets the keys from now on, with the text; without one, this is back. */
	setStandIn(next: EditorComponent | undefined): void {
		const text = this.getText();
		this.#standIn = next;
		if (next) this.#connect(next);
		this.setText(text);
		this.tui.requestRender();
	}

	override handleInput(data: string): void {
		try {
			// One that was made from this class knows the keys of the application, and may want some of them first.
			if (this.#standIn instanceof PromptEditor) return this.#standIn.handleInput(data);
			if (!isKeyRelease(data) && this.#acts(data)) return;
			if (this.#standIn) this.#standIn.handleInput(data);
			else super.handleInput(data);
		} catch (error) {
			this.#fail(error);
		}
	}

	override render(width: number): string[] {
		const standIn = this.#standIn;
		if (!standIn) return super.render(width);
		try {
			if (isFocusable(standIn)) standIn.focused = this.focused;
			standIn.borderColor = this.borderColor;
			return standIn.render(width);
		} catch (error) {
			this.#fail(error);
			return super.render(width);
		}
	}

	override invalidate(): void {
		super.invalidate();
		this.#standIn?.invalidate();
	}

	override getText(): string {
		return this.#standIn ? this.#standIn.getText() : super.getText();
	}

	override getExpandedText(): string {
		if (!this.#standIn) return super.getExpandedText();
		return this.#standIn.getExpandedText?.() ?? this.#standIn.getText();
	}

	override setText(text: string): void {
		if (this.#standIn) this.#standIn.setText(text);
		else super.setText(text);
	}

	override insertTextAtCursor(text: string): void {
		if (!this.#standIn) return super.insertTextAtCursor(text);
		if (this.#standIn.insertTextAtCursor) this.#standIn.insertTextAtCursor(text);
		else this.#standIn.setText(this.#standIn.getText() + text);
	}

	override getMarkers(): Marker[] {
		if (!this.#standIn) return super.getMarkers();
		return this.#standIn instanceof Editor ? this.#standIn.getMarkers() : [];
	}

	override insertMarker(marker: Marker): void {
		if (!this.#standIn) super.insertMarker(marker);
		else if (this.#standIn instanceof Editor) this.#standIn.insertMarker(marker);
		else this.insertTextAtCursor(marker.expansion);
	}

	override addToHistory(text: string): void {
		super.addToHistory(text);
		this.#standIn?.addToHistory?.(text);
	}

	override setAutocompleteProvider(provider: AutocompleteProvider): void {
		this.#provider = provider;
		super.setAutocompleteProvider(provider);
		this.#standIn?.setAutocompleteProvider?.(provider);
	}

	override wantsEscape(): boolean {
		if (!this.#standIn) return super.wantsEscape();
		return this.#standIn instanceof Editor && this.#standIn.wantsEscape();
	}

	#connect(standIn: EditorComponent): void {
		standIn.onSubmit = (text, markers) => this.onSubmit?.(text, markers);
		standIn.onChange = (text) => this.onChange?.(text);
		if (this.#provider) standIn.setAutocompleteProvider?.(this.#provider);
		if (standIn instanceof Editor) standIn.onPasteText = (text) => this.onPasteText?.(text);
		if (!(standIn instanceof PromptEditor)) return;
		standIn.onAction = (action) => this.onAction?.(action) ?? false;
		standIn.onTrouble = (error) => this.#fail(error);
	}

	/** Whoever stood in and failed is not asked again; what was written stays. */
	#fail(error: unknown): void {
		const failed = this.#standIn;
		this.#standIn = undefined;
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
