/** A component of an extension that is drawn where the session is: its rows come from there, and its keys go there. */
import { getKeybindings, type Component, type Focusable } from "@tau/tui";
import type { ComponentView } from "@tau/wire";

import type { EscapeUser } from "../editor-slot.ts";
import { limits } from "../limits.ts";
import { waitingHint } from "../terminal-viewer.ts";

export interface RemoteRowsHost {
	key(data: string): void;
	/** Paints what a key does. */
	hint(text: string): string;
	/** The user returns to the editor, and the terminal of a command waits above it. */
	stepBack(): void;
	/** The user leaves it, whether the other end answers or not. */
	leave(): void;
}

export class RemoteRows implements Component, Focusable, EscapeUser {
	readonly #host: RemoteRowsHost;
	view: ComponentView;
	focused = false;
	#wasCleared = false;

	constructor(view: ComponentView, host: RemoteRowsHost) {
		this.view = view;
		this.#host = host;
	}

	get wantsKeyRelease(): boolean {
		return this.view.wantsKeyRelease === true;
	}

	/** Escape is for it. */
	wantsEscape(): boolean {
		return true;
	}

	/** All keys are the component's, so there has to be a way out of one that does not answer. */
	handleInput(data: string): void {
		const keys = getKeybindings();
		if (this.view.isTerminal && keys.matches(data, "app.terminal.leave")) return this.#host.stepBack();
		const isClear = keys.matches(data, "app.clear") && !this.view.isTerminal;
		if (isClear && this.#wasCleared) return this.#host.leave();
		this.#wasCleared = isClear;
		this.#host.key(data);
	}

	invalidate(): void {
		// They were drawn elsewhere.
	}

	/** For another width until they are drawn again: the engine cuts rows that are too long. */
	render(): string[] {
		const { rows, isTerminal } = this.view;
		if (!isTerminal || this.focused) return [...rows];
		// Between its frames: a rule and the command above, what keys do and a rule below.
		const last = rows.slice(2, -2).slice(-limits.terminalPreviewRows);
		return [...rows.slice(0, 2), ...last, ` ${this.#host.hint(waitingHint())}`];
	}
}
