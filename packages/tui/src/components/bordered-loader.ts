/** A loader between two lines, for a wait that takes the place of the editor. */
import type { Component } from "../component.ts";
import type { Theme } from "../theme/index.ts";
import { CancellableLoader } from "./cancellable-loader.ts";
import { DynamicBorder } from "./dynamic-border.ts";
import { keyHint } from "./key-hint.ts";
import type { RenderHost } from "./loader.ts";
import { Text } from "./text.ts";

export class BorderedLoader implements Component, Disposable {
	readonly #loader: CancellableLoader;
	readonly #parts: readonly Component[];
	readonly #isCancellable: boolean;

	constructor(
		ui: RenderHost,
		theme: Theme,
		message: string,
		{ cancellable = true }: { cancellable?: boolean } = {},
	) {
		const border = new DynamicBorder((text) => theme.fg("border", text));
		this.#isCancellable = cancellable;
		this.#loader = new CancellableLoader(
			ui,
			(text) => theme.fg("accent", text),
			(text) => theme.fg("muted", text),
			message,
		);
		const hint = new Text(keyHint(theme, "tui.select.cancel", "cancel"), 1, 0);
		this.#parts = [border, this.#loader, ...(cancellable ? [hint] : []), border];
	}

	get signal(): AbortSignal {
		return this.#loader.signal;
	}

	set onAbort(listener: (() => void) | undefined) {
		if (listener) this.#loader.onAbort = listener;
		else delete this.#loader.onAbort;
	}

	handleInput(data: string): void {
		if (this.#isCancellable) this.#loader.handleInput(data);
	}

	invalidate(): void {
		for (const part of this.#parts) part.invalidate();
	}

	render(width: number): string[] {
		return this.#parts.flatMap((part) => part.render(width));
	}

	dispose(): void {
		this.#loader.dispose();
	}

	[Symbol.dispose](): void {
		this.dispose();
	}
}
