/** Shows a login in progress: the address, the code to enter there, and an input to paste the result. */
import type { LoginInteraction, LoginStep } from "@tau/ai";
import { getKeybindings, hintLine, Input, rawKeyHint, truncateToWidth, wrapTextWithAnsi } from "@tau/tui";
import { listen, stripControls } from "@tau/utils";

import type { Escaping } from "../kit/stacked.ts";
import type { PickerScreen } from "../kit/spec.ts";

export class LoginView implements Escaping, LoginInteraction {
	readonly #screen: PickerScreen;
	readonly #label: string;
	readonly #open: (url: string) => boolean;
	readonly #input = new Input();
	#rows: string[] = ["Starting the login…"];
	#waiting: ((line: string | undefined) => void) | undefined;
	#mayBeEmpty = false;

	constructor(screen: PickerScreen, label: string, open: (url: string) => boolean) {
		this.#screen = screen;
		this.#label = label;
		this.#open = open;
		this.#input.onSubmit = (value) => this.#submit(value);
	}

	get focused(): boolean {
		return this.#input.focused;
	}

	set focused(focused: boolean) {
		this.#input.focused = focused;
	}

	show(step: LoginStep): void {
		const opened = this.#open(step.url);
		const where = [`To log in to ${this.#label}, open:`, "", clean(step.url), ""];
		if (step.kind === "device") this.#show([...where, `and enter the code ${clean(step.code)}`, "Waiting…"]);
		else if (step.pasteOnly) this.#show([...where, "Then paste the URL you were redirected to."]);
		else {
			const state = opened ? "Waiting for the browser…" : "Open the URL in a browser.";
			this.#show([...where, `${state} On another machine? Paste the URL you were redirected to.`]);
		}
	}

	notice(message: string): void {
		this.#show([...this.#rows, clean(message)]);
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
		this.#input.handleInput(data);
		this.#screen.requestRender();
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const inner = Math.max(1, width - 2);
		const rule = theme.fg("borderMuted", "─".repeat(Math.max(0, width)));
		// An address is wrapped and never cut: it is copied by hand.
		const rows = this.#rows.flatMap((text) => (text === "" ? [""] : wrapTextWithAnsi(text, inner)));
		const hints = [
			this.#waiting ? rawKeyHint(theme, "enter", "submit") : "",
			rawKeyHint(theme, "escape", "cancel"),
		];
		return [
			rule,
			...rows.map((text) => `  ${truncateToWidth(text, inner)}`),
			...(this.#waiting ? this.#input.render(width) : []),
			`  ${hintLine(theme, hints)}`,
		];
	}

	#submit(value: string): void {
		const line = value.trim();
		if (line === "" && !this.#mayBeEmpty) return;
		this.#input.setValue("");
		this.#waiting?.(line);
	}

	#show(rows: string[]): void {
		this.#rows = rows;
		this.#screen.requestRender();
	}
}

function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
