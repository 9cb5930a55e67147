/** Shows a login in progress: the address, the code to enter there, and an input to paste the result. */
import type { LoginInteraction, LoginStep } from "@tau/ai";
import {
	decodePrintableKey,
	getKeybindings,
	hintLine,
	hyperlink,
	Input,
	rawKeyHint,
	truncateToWidth,
	wrapTextWithAnsi,
} from "@tau/tui";
import { listen, stripControls } from "@tau/utils";

import type { Copied } from "../../clipboard.ts";
import type { Escaping } from "../kit/stacked.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface LoginActions {
	/** Returns whether a browser was started. */
	open(url: string): boolean;
	copy(url: string): Promise<Copied>;
	/** The terminal shows links. */
	hyperlinks: boolean;
}

export class LoginView implements Escaping, LoginInteraction {
	readonly #screen: PickerScreen;
	readonly #label: string;
	readonly #actions: LoginActions;
	readonly #input = new Input();
	#rows: readonly string[] = ["Starting the login…"];
	#url: string | undefined;
	#waiting: ((line: string | undefined) => void) | undefined;
	#mayBeEmpty = false;

	constructor(screen: PickerScreen, label: string, actions: LoginActions) {
		this.#screen = screen;
		this.#label = label;
		this.#actions = actions;
		this.#input.onSubmit = (value) => this.#submit(value);
	}

	get focused(): boolean {
		return this.#input.focused;
	}

	set focused(focused: boolean) {
		this.#input.focused = focused;
	}

	show(step: LoginStep): void {
		const opened = this.#actions.open(step.url);
		this.#url = clean(step.url);
		if (step.kind === "device") this.#show([`and enter the code ${clean(step.code)}`, "Waiting…"]);
		else if (step.pasteOnly) this.#show(["Then paste the URL you were redirected to."]);
		else {
			const state = opened ? "Waiting for the browser…" : "Open the URL in a browser.";
			this.#show([`${state} On another machine? Paste the URL you were redirected to.`]);
		}
	}

	notice(message: string): void {
		const text = clean(message);
		if (this.#rows.at(-1) !== text) this.#show([...this.#rows, text]);
	}

	async paste(
		signal: AbortSignal,
		{ mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
	): Promise<string | undefined> {
		if (signal.aborted) return undefined;
		const { promise, resolve } = Promise.withResolvers<string | undefined>();
		using _ = listen(signal, "abort", () => resolve(undefined));
		this.#waiting = resolve;
		this.#mayBeEmpty = mayBeEmpty;
		this.#screen.requestRender();
		try {
			return await promise;
		} finally {
			this.#waiting = undefined;
		}
	}

	/** Escape stops the login, which closes it. */
	wantsEscape(): boolean {
		return false;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	handleInput(data: string): void {
		if (getKeybindings().matches(data, "tui.select.cancel")) return;
		// What is pasted comes in one piece, so a single letter at the beginning is a key.
		if (
			this.#url !== undefined &&
			this.#input.getValue() === "" &&
			(decodePrintableKey(data) ?? data) === "c"
		)
			return void this.#copy(this.#url);
		this.#input.handleInput(data);
		this.#screen.requestRender();
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const inner = Math.max(1, width - 2);
		const rule = theme.fg("borderMuted", "─".repeat(Math.max(0, width)));
		const rows = this.#rows.flatMap((text) => wrapTextWithAnsi(text, inner));
		const hints = [
			this.#url === undefined ? "" : rawKeyHint(theme, "c", "copy URL"),
			this.#waiting ? rawKeyHint(theme, "enter", "submit") : "",
			rawKeyHint(theme, "escape", "cancel"),
		];
		return [
			rule,
			...this.#address(width),
			...rows.map((text) => `  ${truncateToWidth(text, inner)}`),
			...(this.#waiting ? this.#input.render(width) : []),
			truncateToWidth(`  ${hintLine(theme, hints)}`, width),
		];
	}

	/** From the first column on, so that a selection of its rows holds nothing else; each row is a link to all of it. */
	#address(width: number): string[] {
		const url = this.#url;
		if (url === undefined) return [];
		const rows = wrapTextWithAnsi(url, Math.max(1, width));
		const linked = this.#actions.hyperlinks ? rows.map((row) => hyperlink(row, url)) : rows;
		const inner = Math.max(1, width - 2);
		const title = wrapTextWithAnsi(`To log in to ${this.#label}, open:`, inner);
		return [...title.map((row) => `  ${row}`), "", ...linked, ""];
	}

	async #copy(url: string): Promise<void> {
		const copied = await this.#actions.copy(url);
		this.notice(copied.ok ? "Copied the URL." : copied.message);
	}

	#submit(value: string): void {
		const line = value.trim();
		if (line === "" && !this.#mayBeEmpty) return;
		this.#input.setValue("");
		this.#waiting?.(line);
	}

	#show(rows: readonly string[]): void {
		this.#rows = rows;
		this.#screen.requestRender();
	}
}

function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
