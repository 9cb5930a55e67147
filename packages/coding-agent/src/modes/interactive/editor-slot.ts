/** The slot of the editor, which another component may occupy for a while: a list, a dialog, a picker. */
import {
	getKeybindings,
	isFocusable,
	isFocusReport,
	isKeyRelease,
	type Component,
	type Focusable,
} from "@tau/tui";

import type { Closable, InEditorOptions } from "./host.ts";
import { limits } from "./limits.ts";

interface FocusHost {
	setFocus(component: Component | null): void;
	requestRender(): void;
}

/** What a user may be writing in. */
interface TextSource extends Component {
	getText(): string;
}

/** Implemented by a component that handles Escape itself. */
export interface EscapeUser {
	wantsEscape(): boolean;
}

export interface OpenGuest extends Closable {
	/** Returns the keys to the editor; the key for what waits brings them back. */
	stepBack(): void;
}

export interface EditorSlotParts {
	screen: FocusHost;
	editor: TextSource;
	/** Receives the error of a guest component that failed and was therefore closed. */
	onTrouble(error: unknown): void;
	/** In milliseconds. */
	now(): number;
}

/**
 * What the user opens takes the keys at once. A request opens whenever a model or an extension wants it, maybe between
 * two letters of a message: then it waits above the editor, so that no key typed for the editor can answer it.
 */
export class EditorSlot implements Component {
	readonly #parts: EditorSlotParts;
	/** The last one that does not wait is shown in place of the editor; closing it shows the one before. */
	#guests: Guest[] = [];
	/** When the user last pressed a key that was not for a request; undefined after one that was. */
	#typedAt: number | undefined = Number.NEGATIVE_INFINITY;

	constructor(parts: EditorSlotParts) {
		this.#parts = parts;
	}

	/** Something is shown in place of the editor. */
	get hasGuest(): boolean {
		return this.current !== this.#parts.editor;
	}

	/** What takes the keys now. */
	get current(): Component {
		return this.#guests.findLast(({ isWaiting }) => !isWaiting) ?? this.#parts.editor;
	}

	/** Used by the search for a component that requested a redraw. */
	get children(): Component[] {
		const waiting = this.#guests.findLast(({ isWaiting }) => isWaiting);
		return waiting ? [waiting, this.current] : [this.current];
	}

	show(
		component: Component,
		{ onCancel, isRequest = false, takesText = false }: InEditorOptions = {},
	): OpenGuest {
		const cancel = (): void => {
			close();
			onCancel?.();
		};
		const guest = new Guest(component, cancel, this.#parts.onTrouble);
		guest.isAnswered = isRequest && !takesText;
		guest.isWaiting = isRequest && this.#isTyping;
		const closed = Promise.withResolvers<void>();
		const close = (): void => {
			if (!this.#guests.includes(guest)) return;
			this.#guests = this.#guests.filter((other) => other !== guest);
			this.#focus();
			closed.resolve();
		};
		const stepBack = (): void => {
			guest.isWaiting = true;
			this.#focus();
		};
		this.#guests.push(guest);
		this.#focus();
		return { close, stepBack, closed: closed.promise };
	}

	/** Every key passes here first. Returns whether it was the one that answers what waits. */
	sawKey(data: string): boolean {
		if (isKeyRelease(data) || isFocusReport(data)) return false;
		const isFocusKey = getKeybindings().matches(data, "app.dialog.focus");
		if (isFocusKey && this.#guests.some(({ isWaiting }) => isWaiting)) {
			for (const guest of this.#guests) guest.isWaiting = false;
			this.#focus();
			return true;
		}
		const { current } = this;
		const isForRequest = current instanceof Guest && current.isAnswered;
		this.#typedAt = isForRequest ? undefined : this.#parts.now();
		return false;
	}

	/** The user has done something that may open a dialog, such as running a command: it may take the keys. */
	expectRequest(): void {
		this.#typedAt = undefined;
	}

	invalidate(): void {
		this.#parts.editor.invalidate();
		for (const guest of this.#guests) guest.invalidate();
	}

	render(width: number): string[] {
		return this.children.flatMap((child) => child.render(width));
	}

	/** The user is typing, or working in something that is open: the next keys are intended for that. */
	get #isTyping(): boolean {
		if (this.#typedAt === undefined) return false;
		const { editor, now } = this.#parts;
		return this.hasGuest || editor.getText() !== "" || now() - this.#typedAt < limits.typingMs;
	}

	#focus(): void {
		const { screen } = this.#parts;
		screen.setFocus(this.current);
		screen.requestRender();
	}
}

class Guest implements Component, Focusable {
	readonly #inner: Component;
	readonly #cancel: () => void;
	readonly #onTrouble: (error: unknown) => void;
	/** Its keys answer a request, and are no text. */
	isAnswered = false;
	/** It is shown above the editor and gets no keys. */
	isWaiting = false;

	constructor(inner: Component, cancel: () => void, onTrouble: (error: unknown) => void) {
		this.#inner = inner;
		this.#cancel = cancel;
		this.#onTrouble = onTrouble;
	}

	get children(): Component[] {
		return [this.#inner];
	}

	get wrapped(): Component {
		return this.#inner;
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
