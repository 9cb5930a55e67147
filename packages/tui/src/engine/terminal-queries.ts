/** What components may ask the terminal about its colors, by pi's names, and its changes. */
import { timer } from "@tau/utils";

import { Container } from "../container.ts";
import { onImagesChanged } from "../images/capabilities.ts";
import type { ColorScheme, Terminal } from "../terminal/terminal.ts";

/** From 0 to 255. */
export interface RgbColor {
	r: number;
	g: number;
	b: number;
}

export class TerminalQueries extends Container {
	terminal: Terminal;
	/** Called for Shift+Ctrl+D before any component gets it. */
	onDebug?: () => void;
	/** Called after each frame: what is shown elsewhere may have changed with it. */
	onFrame?: () => void;
	readonly #schemeListeners = new Set<(scheme: ColorScheme) => void>();
	#reportsScheme = true;
	#images: Disposable | undefined;
	readonly #resizeListeners = new Set<() => void>();

	constructor(terminal: Terminal) {
		super();
		this.terminal = terminal;
	}

	/** Called when the terminal has another size, before it is drawn. */
	onResize(listener: () => void): () => void {
		this.#resizeListeners.add(listener);
		return () => void this.#resizeListeners.delete(listener);
	}

	protected reportSize(): void {
		for (const listener of this.#resizeListeners) listener();
	}

	/** The terminal changed between dark and light. */
	onTerminalColorSchemeChange(listener: (scheme: ColorScheme) => void): () => void {
		this.#schemeListeners.add(listener);
		return () => void this.#schemeListeners.delete(listener);
	}

	/** Tau always follows the terminal itself; this decides about the listeners alone. */
	setTerminalColorSchemeNotifications(enabled: boolean): void {
		this.#reportsScheme = enabled;
	}

	/** Undefined where the terminal does not say. */
	async queryTerminalBackgroundColor({ timeoutMs }: { timeoutMs: number }): Promise<RgbColor | undefined> {
		const { terminal } = this;
		const color = await answerOf(terminal.askBackground?.bind(terminal), timeoutMs);
		const byte = (share: number): number => Math.round(share * 255);
		return color && { r: byte(color.red), g: byte(color.green), b: byte(color.blue) };
	}

	/** Undefined where the terminal does not say. */
	queryTerminalColorScheme({ timeoutMs }: { timeoutMs: number }): Promise<ColorScheme | undefined> {
		const { terminal } = this;
		return answerOf(terminal.askColorScheme?.bind(terminal), timeoutMs);
	}

	/** To be called when the terminal is started. `redraw` is called when it turns out to show images. */
	protected followTerminal(redraw: () => void): void {
		this.#images?.[Symbol.dispose]();
		this.#images = onImagesChanged(redraw);
		this.terminal.onColorScheme = (scheme) => {
			if (this.#reportsScheme) for (const listener of this.#schemeListeners) listener(scheme);
		};
	}

	/** To be called when the terminal is stopped. */
	protected unfollowTerminal(): void {
		this.#images?.[Symbol.dispose]();
	}
}

async function answerOf<T>(
	ask: ((answered: (answer: T | undefined) => void) => void) | undefined,
	timeoutMs: number,
): Promise<T | undefined> {
	if (ask === undefined) return undefined;
	const { promise, resolve } = Promise.withResolvers<T | undefined>();
	using _ = timer(timeoutMs, () => resolve(undefined));
	ask(resolve);
	return await promise;
}
