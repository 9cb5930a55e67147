/** A screen that is shown elsewhere: components work with it as with any other, and others ask for their rows. */
import type { Component } from "../component.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { OverlayLayer } from "./focus.ts";
import { TUI } from "./tui.ts";

/** A remote window: it has a size, and nothing is written to it. */
export class OffscreenTerminal implements Terminal {
	columns: number;
	rows: number;
	readonly kittyProtocolActive = false;

	constructor(columns: number, rows: number) {
		this.columns = columns;
		this.rows = rows;
	}

	start(): void {}
	stop(): void {}
	async drainInput(): Promise<void> {}
	write(): void {}
	moveBy(): void {}
	hideCursor(): void {}
	showCursor(): void {}
	clearLine(): void {}
	clearFromCursor(): void {}
	clearScreen(): void {}
	setTitle(): void {}
	setProgress(): void {}
}

export class OffscreenTUI extends TUI {
	readonly #changed: () => void;

	/** `changed` is called whenever something may look different. */
	constructor(terminal: OffscreenTerminal, changed: () => void) {
		super(terminal, false);
		this.#changed = changed;
	}

	/** The overlays that are to be seen, the topmost last. */
	overlays(): OverlayLayer[] {
		const { columns, rows } = this.terminal;
		this.focus.correct();
		return this.focus.layers({ columns, rows });
	}

	hideOverlays(): void {
		this.focus.clear();
	}

	get focused(): Component | null {
		return this.focus.focused;
	}

	/** A key from the terminal that shows it. */
	input(data: string): void {
		this.takeInput(data);
		this.#changed();
	}

	/** Its window has another size. */
	resized(): void {
		this.reportSize();
		this.#changed();
	}

	override requestRender(): void {
		this.#changed();
	}

	override renderNow(): void {
		this.#changed();
	}

	override requestComponentRender(): void {
		this.#changed();
	}

	/** There is no terminal here to start, to stop or to switch. */
	override start(): void {}
	override stop(): void {}
	override suspend(): void {}
	override setFullScreen(): void {}
	override setShowHardwareCursor(): void {}
	override setLinear(): void {}
}
