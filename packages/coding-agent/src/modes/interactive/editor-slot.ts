/** The place of the editor, which something else may take for a while: a list, a question, a picker. */
import { getKeybindings, isFocusable, type Component, type Focusable } from "@tau/tui";

import type { Closable, InEditorOptions } from "./host.ts";

interface FocusHost {
	setFocus(component: Component | null): void;
	requestRender(): void;
}

/** Implemented by a component that handles Escape itself. */
export interface EscapeUser {
	wantsEscape(): boolean;
}

export class EditorSlot implements Component {
	readonly #screen: FocusHost;
	readonly #editor: Component;
	readonly #onTrouble: (error: unknown) => void;
	/** The last one is shown; closing it shows the one before. */
	#guests: Guest[] = [];

	/** `onTrouble` receives the error of a guest component that failed and was therefore closed. */
	constructor(screen: FocusHost, editor: Component, onTrouble: (error: unknown) => void) {
		this.#screen = screen;
		this.#editor = editor;
		this.#onTrouble = onTrouble;
	}

	get hasGuest(): boolean {
		return this.#guests.length > 0;
	}

	/** What takes the keys now. */
	get current(): Component {
		return this.#guests.at(-1) ?? this.#editor;
	}

	/** Used by the search for a component that requested a redraw. */
	get children(): Component[] {
		return [this.current];
	}

	show(component: Component, { onCancel }: InEditorOptions = {}): Closable {
		const cancel = (): void => {
			close();
			onCancel?.();
		};
		const guest = new Guest(component, cancel, this.#onTrouble);
		const closed = Promise.withResolvers<void>();
		const close = (): void => {
			if (!this.#guests.includes(guest)) return;
			this.#guests = this.#guests.filter((other) => other !== guest);
			this.#focus();
			closed.resolve();
		};
		this.#guests.push(guest);
		this.#focus();
		return { close, closed: closed.promise };
	}

	invalidate(): void {
		this.#editor.invalidate();
		for (const guest of this.#guests) guest.invalidate();
	}

	render(width: number): string[] {
		return this.current.render(width);
	}

	#focus(): void {
		this.#screen.setFocus(this.current);
		this.#screen.requestRender();
	}
}

class Guest implements Component, Focusable {
	readonly #inner: Component;
	readonly #cancel: () => void;
	readonly #onTrouble: (error: unknown) => void;

	constructor(inner: Component, cancel: () => void, onTrouble: (error: unknown) => void) {
		this.#inner = inner;
		this.#cancel = cancel;
		this.#onTrouble = onTrouble;
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

	get wantsKeyRelease(): boolean {
		return this.#inner.wantsKeyRelease ?? false;
	}

	handleInput(data: string): void {
		try {
			const isCancel = getKeybindings().matches(data, "tui.select.cancel");
			if (isCancel && !(isEscapeUser(this.#inner) && this.#inner.wantsEscape())) this.#cancel();
			else this.#inner.handleInput?.(data);
		} catch (error) {
			this.#cancel();
			this.#onTrouble(error);
		}
	}

	invalidate(): void {
		this.#inner.invalidate();
	}

	render(width: number): string[] {
		return this.#inner.render(width);
	}
}

function isEscapeUser(component: Component): component is Component & EscapeUser {
	return "wantsEscape" in component && typeof component.wantsEscape === "function";
}
