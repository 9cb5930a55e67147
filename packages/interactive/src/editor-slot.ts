/** The slot of the editor, which another component may occupy for a while: a list, a dialog, a picker. */
import {
	decodePrintableKey,
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
	setText(text: string): void;
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
	after(ms: number, act: () => void): Disposable;
	/** Paints a row below a dialog. */
	hint(text: string): string;
}

/** Written while a question waits, it is an answer to that question and no message for the model. */
const loneAnswer = /^(?:([1-9])\1*|[yn])$/i;
const listKeys = [
	"tui.select.up",
	"tui.select.down",
	"tui.select.pageUp",
	"tui.select.pageDown",
	"tui.select.confirm",
	"tui.select.cancel",
] as const;
const pasteStart = "\x1b[200~";
const submitKeys = ["tui.input.submit", "app.message.followUp"] as const;

/**
 * What the user opens takes the keys at once. A request opens whenever a model or an extension wants it, maybe between
 * two letters of a message: then it waits above the editor, so that no key typed for the editor can answer it. It takes
 * the keys when the editor is empty and the user has stopped typing.
 */
export class EditorSlot implements Component, Disposable {
	readonly #parts: EditorSlotParts;
	/** The last one that does not wait is shown in place of the editor; closing it shows the one before. */
	#guests: Guest[] = [];
	/** When the user last pressed a key that was not for a request; undefined after one that was. */
	#typedAt: number | undefined = Number.NEGATIVE_INFINITY;
	/** Until the user counts as quiet. */
	#quiet: Disposable | undefined;

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
		{ onCancel, isRequest = false, takesText = false, isChoice = false }: InEditorOptions = {},
	): OpenGuest {
		const cancel = (): void => {
			close();
			onCancel?.();
		};
		const guest = new Guest(component, cancel, this.#parts.onTrouble);
		guest.isAnswered = isRequest && !takesText;
		guest.isChoice = isRequest && isChoice;
		guest.isWaiting = isRequest && this.#isTyping;
		const closed = Promise.withResolvers<void>();
		const close = (): void => {
			if (!this.#guests.includes(guest)) return;
			this.#guests = this.#guests.filter((other) => other !== guest);
			this.#focus();
			this.#awaitQuiet();
			closed.resolve();
		};
		const stepBack = (): void => {
			guest.isWaiting = true;
			guest.isLeft = true;
			this.#focus();
		};
		this.#guests.push(guest);
		this.#focus();
		this.#awaitQuiet();
		return { close, stepBack, closed: closed.promise };
	}

	/** Every key passes here first. Returns whether it was handled here, and must go nowhere else. */
	sawKey(data: string): boolean {
		if (isKeyRelease(data) || isFocusReport(data)) return false;
		const keys = getKeybindings();
		const { current } = this;
		if (keys.matches(data, "app.dialog.focus") && this.#guests.some(({ isWaiting }) => isWaiting)) {
			this.#give(this.#guests);
			return true;
		}
		if (current instanceof Guest && current.isAnswered && !(current.isChoice && isWriting(data))) {
			if (this.#hasLoneAnswer) this.#parts.editor.setText("");
			this.#typedAt = undefined;
			return false;
		}
		// Letters are no answer: the user began to write a message when the question took the keys.
		if (current instanceof Guest && current.isChoice) this.#returnKeys();
		this.#typedAt = this.#parts.now();
		this.#awaitQuiet();
		const isSent = submitKeys.some((key) => keys.matches(data, key));
		return isSent && !this.hasGuest && this.#expectsAnswer && this.#hasLoneAnswer;
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
		const rows = this.children.flatMap((child) => child.render(width));
		const { current } = this;
		if (!(current instanceof Guest && current.isChoice && this.#hasLoneAnswer)) return rows;
		const [first = ""] = this.#parts.editor.getText();
		const hint = /\d/.test(first) ? `Press ${first} again to answer` : "Press a number to answer";
		return [...rows, this.#parts.hint(hint)];
	}

	[Symbol.dispose](): void {
		this.#quiet?.[Symbol.dispose]();
	}

	/** A request is shown above the editor, and the user did not put it there. */
	get #expectsAnswer(): boolean {
		return this.#guests.some(({ isWaiting, isLeft }) => isWaiting && !isLeft);
	}

	get #hasLoneAnswer(): boolean {
		return loneAnswer.test(this.#parts.editor.getText());
	}

	/** What waits gets the keys as soon as the user has stopped typing; a text or an open list comes first. */
	#awaitQuiet(): void {
		this.#quiet?.[Symbol.dispose]();
		this.#quiet = undefined;
		if (!this.#expectsAnswer) return;
		const { editor, now, after } = this.#parts;
		const since = this.#typedAt === undefined ? limits.typingMs : now() - this.#typedAt;
		this.#quiet = after(Math.max(0, limits.typingMs - since), () => {
			this.#quiet = undefined;
			if (this.hasGuest || (editor.getText() !== "" && !this.#hasLoneAnswer)) return;
			this.#give(this.#guests.filter(({ isLeft }) => !isLeft));
		});
	}

	#give(guests: readonly Guest[]): void {
		for (const guest of guests) {
			guest.isWaiting = false;
			guest.isLeft = false;
		}
		this.#focus();
	}

	#returnKeys(): void {
		for (const guest of this.#guests) guest.isWaiting ||= guest.isAnswered;
		this.#focus();
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
	/** It is answered with digits, arrows and Enter. */
	isChoice = false;
	/** It is shown above the editor and gets no keys. */
	isWaiting = false;
	/** The user has returned to the editor from it, and comes back with a key. */
	isLeft = false;

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

/** A letter or a paste: something that is written. Keys that are bound to a list, such as `j`, are not. */
function isWriting(data: string): boolean {
	const keys = getKeybindings();
	if (listKeys.some((key) => keys.matches(data, key))) return false;
	if (data.startsWith(pasteStart)) return true;
	const text = decodePrintableKey(data) ?? data;
	return /^[^\p{C}\d ]+$/u.test(text);
}

function isEscapeUser(component: Component): component is Component & EscapeUser {
	return "wantsEscape" in component && typeof component.wantsEscape === "function";
}
