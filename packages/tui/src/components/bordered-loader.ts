/** A loader between two lines, which replaces the editor during a wait. */
import { Container } from "../container.ts";
import type { Theme } from "../theme/index.ts";
import { CancellableLoader } from "./cancellable-loader.ts";
import { DynamicBorder } from "./dynamic-border.ts";
import { HintLine } from "./hint-line.ts";
import { keyHint } from "./key-hint.ts";
import type { RenderHost } from "./loader.ts";

export class BorderedLoader extends Container implements Disposable {
	readonly #loader: CancellableLoader;
	readonly #isCancellable: boolean;

	constructor(
		ui: RenderHost,
		theme: Theme,
		message: string,
		{ cancellable = true }: { cancellable?: boolean } = {},
	) {
		super();
		this.#isCancellable = cancellable;
		this.#loader = new CancellableLoader(
			ui,
			(text) => theme.fg("accent", text),
			(text) => theme.fg("muted", text),
			message,
		);
		const border = new DynamicBorder((text) => theme.fg("border", text));
		this.addChild(border);
		this.addChild(this.#loader);
		if (cancellable) {
			this.addChild(new HintLine(theme, () => [keyHint(theme, "tui.select.cancel", "cancel")]));
		}
		this.addChild(border);
	}

	setMessage(message: string): void {
		this.#loader.setMessage(message);
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

	dispose(): void {
		this.#loader.dispose();
	}

	[Symbol.dispose](): void {
		this.dispose();
	}
}
