/** Shows the terminal of a command in the place of the editor: the user's keys go to the program. */
import type { TerminalSize } from "@tau/sys";
import {
	CURSOR_MARKER,
	encodeKey,
	getKeybindings,
	keyText,
	PasteReader,
	truncateToWidth,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";
import { oneLine, onDispose } from "@tau/utils";
import { componentLimits } from "@tau/wire";

import type { Attention } from "./attention.ts";
import type { EscapeUser } from "./editor-slot.ts";
import { limits } from "./limits.ts";
import type { LocalRequests, ShownTerminal, TerminalViewer } from "./local-parts.ts";
import type { Screen } from "./screen.ts";

/** Commands of a session in this process may open terminals that the user types into. */
export function showTerminals(
	requests: Pick<LocalRequests, "connect">,
	screen: Pick<Screen, "tui" | "slot" | "theme">,
	attention: Pick<Attention, "waits">,
): Disposable {
	return requests.connect({
		kinds: new Set(),
		terminals: terminalViewer(screen, attention),
		open: () => {},
	});
}

export function terminalViewer(
	{ tui, slot, theme }: Pick<Screen, "tui" | "slot" | "theme">,
	attention: Pick<Attention, "waits">,
): TerminalViewer {
	const size = (): TerminalSize => ({
		columns: tui.terminal.columns,
		rows: Math.max(1, tui.terminal.rows - componentLimits.terminalFrameRows),
	});
	return {
		isHere: true,
		size,
		show(terminal) {
			const { isOpenedByUser = false } = terminal;
			const leave = (): void => (isOpenedByUser ? close() : opened.stepBack());
			const view = new TerminalView(terminal, theme, leave);
			const opened = slot.show(view, { isRequest: !isOpenedByUser, takesText: true });
			const forget = tui.onResize(() => terminal.resize(size()));
			const followed = terminal.screen.onChange(() => {
				view.invalidate();
				tui.requestComponentRender(view);
			});
			const close = (): void => {
				forget();
				followed[Symbol.dispose]();
				opened.close();
			};
			if (!isOpenedByUser) attention.waits("A command has opened a terminal.");
			return onDispose(close);
		},
	};
}

/** What the user can do about one that waits above the editor. */
export function waitingHint(): string {
	return `${keyText("app.dialog.focus")} to type into it · ${keyText("app.interrupt")} to stop it`;
}

/** `leave`: the user returns to the editor. */
export class TerminalView implements Component, Focusable, EscapeUser {
	readonly #terminal: ShownTerminal;
	readonly #theme: { readonly current: Theme };
	readonly #leave: () => void;
	readonly #pastes = new PasteReader();
	#rows: { drawn: readonly string[]; cursorRow: number } | undefined;
	#focused = false;

	constructor(terminal: ShownTerminal, theme: { readonly current: Theme }, leave: () => void) {
		this.#terminal = terminal;
		this.#theme = theme;
		this.#leave = leave;
	}

	get focused(): boolean {
		return this.#focused;
	}

	set focused(focused: boolean) {
		this.#focused = focused;
		this.invalidate();
	}

	/** Editors and pagers need it. */
	wantsEscape(): boolean {
		return true;
	}

	invalidate(): void {
		this.#rows = undefined;
	}

	handleInput(data: string): void {
		for (const part of this.#pastes.read(data)) {
			if ("paste" in part) this.#paste(part.paste);
			else this.#key(part.input);
		}
	}

	render(width: number): string[] {
		const theme = this.#theme.current;
		const border = theme.fg(this.#focused ? "borderAccent" : "borderMuted", "─".repeat(Math.max(1, width)));
		const title = ` ${theme.bold(oneLine(`$ ${this.#terminal.command}`, limits.lineChars))}`;
		const hint = this.#focused
			? `${keyText("app.terminal.leave")} to leave · other keys go to the program`
			: waitingHint();
		return [
			border,
			truncateToWidth(title, width),
			...this.#body(width),
			truncateToWidth(` ${theme.fg(this.#focused ? "dim" : "accent", hint)}`, width),
			// One that waits is above the editor, which begins with a rule of its own.
			...(this.#focused ? [border] : []),
		];
	}

	/** Of one that waits, the rows around the cursor. */
	#body(width: number): string[] {
		this.#rows ??= this.#draw();
		const { drawn, cursorRow } = this.#rows;
		const rows = this.#focused
			? drawn
			: drawn
					.slice(Math.max(0, cursorRow + 1 - limits.terminalPreviewRows))
					.slice(0, limits.terminalPreviewRows);
		return rows.map((row) => truncateToWidth(row, width, ""));
	}

	#draw(): { drawn: readonly string[]; cursorRow: number } {
		const marker = this.#focused ? CURSOR_MARKER : "";
		const { rows, cursorRow } = this.#terminal.screen.draw((cell) => `${marker}\x1b[7m${cell}\x1b[27m`);
		return { drawn: rows, cursorRow };
	}

	#key(data: string): void {
		if (getKeybindings().matches(data, "app.terminal.leave")) return this.#leave();
		const bytes = encodeKey(data, this.#terminal.screen.modes);
		if (bytes !== undefined) this.#terminal.type(bytes);
	}

	#paste(text: string): void {
		const { bracketedPaste } = this.#terminal.screen.modes;
		const typed = text.replaceAll(/\r?\n/g, "\r");
		this.#terminal.type(bracketedPaste ? `\x1b[200~${typed}\x1b[201~` : typed);
	}
}
