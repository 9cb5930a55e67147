/** The engine's `Terminal` on top of a real emulator, whose screen and history can be read as rows. */
import { Terminal as Xterm } from "@xterm/headless";

import { detectFeatures, type Terminal, type TerminalFeatures, type TerminalMode } from "@tau/tui";

export interface EmulatorOptions {
	columns: number;
	rows: number;
	multiplexer?: boolean;
	syncOutput?: boolean;
	/** Rows that are on the screen before the program starts. */
	shell?: readonly string[];
}

interface Writer {
	_core: { writeSync(data: string): void };
}

export class Emulator implements Terminal {
	readonly #xterm: Xterm;
	#onInput: ((data: string) => void) | undefined;
	#onResize: (() => void) | undefined;
	readonly features: TerminalFeatures;
	congested = false;
	onDrain: (() => void) | undefined;
	onStop: (() => void) | undefined;
	onContinue: (() => void) | undefined;
	onWheel: ((lines: number) => void) | undefined;
	/** The output since this was last cleared. */
	written: string[] = [];
	readonly kittyProtocolActive = false;

	constructor(options: EmulatorOptions) {
		const { columns: cols, rows, multiplexer = false, syncOutput = true, shell = [] } = options;
		this.#xterm = new Xterm({ cols, rows, scrollback: 100_000, allowProposedApi: true, logLevel: "off" });
		this.features = { ...detectFeatures({ TERM: "xterm-256color" }), multiplexer, syncOutput };
		for (const row of shell) this.feed(`${row}\r\n`);
	}

	get columns(): number {
		return this.#xterm.cols;
	}

	get rows(): number {
		return this.#xterm.rows;
	}

	start(onInput: (data: string) => void, onResize: () => void): void {
		this.#onInput = onInput;
		this.#onResize = onResize;
	}

	stop(): void {}

	async drainInput(): Promise<void> {}

	write(data: string): void {
		this.written.push(data);
		this.feed(data);
	}

	/** Writes bytes of another program, such as a shell. */
	feed(data: string): void {
		(this.#xterm as unknown as Writer)._core.writeSync(data);
	}

	type(data: string): void {
		this.#onInput?.(data);
	}

	/** Changes the size of the window; the program is notified by `notifyResize`. */
	resize(columns: number, rows: number): void {
		this.#xterm.resize(columns, rows);
	}

	notifyResize(): void {
		this.#onResize?.();
	}

	setMode(mode: TerminalMode, on: boolean): void {
		if (mode === "alternateScreen") this.write(on ? "\x1b[?1049h" : "\x1b[?1049l");
	}

	/** Everything on the normal screen: first the history, then the rows of the screen. */
	tape(): { history: string[]; screen: string[] } {
		const lines = this.#lines("normal");
		const { baseY } = this.#xterm.buffer.normal;
		return { history: lines.slice(0, baseY), screen: lines.slice(baseY, baseY + this.#xterm.rows) };
	}

	/** The rows of the current screen, normal or alternate. */
	screen(): string[] {
		const { type, baseY } = this.#xterm.buffer.active;
		return this.#lines(type).slice(baseY, baseY + this.#xterm.rows);
	}

	/** Every visible cell of the screen, with its colors. */
	cells(): string[] {
		const { active } = this.#xterm.buffer;
		return Array.from({ length: this.#xterm.rows }, (_, row) => {
			const line = active.getLine(active.baseY + row);
			const cells = Array.from({ length: this.#xterm.cols }, (_unused, column) => {
				const cell = line?.getCell(column);
				if (cell === undefined) return "";
				const drawsLine = cell.isUnderline() + cell.isInverse() + cell.isStrikethrough() > 0;
				const letters = `${cell.isBold() > 0 ? "b" : ""}${cell.isItalic() > 0 ? "i" : ""}${drawsLine ? "l" : ""}`;
				const look = `${cell.getFgColor()}/${cell.getBgColor()}${letters}`;
				const shown = cell.getChars() || (cell.getWidth() === 0 ? "" : " ");
				return shown === " " && cell.isBgDefault() && !drawsLine ? " " : `${shown}<${look}>`;
			});
			return cells.join("").trimEnd();
		});
	}

	get cursor(): { row: number; column: number } {
		const { cursorX, cursorY } = this.#xterm.buffer.active;
		return { row: cursorY, column: cursorX };
	}

	/** Lines as they were written: rows that the emulator wrapped are joined again. */
	logicalLines(): string[] {
		const { normal } = this.#xterm.buffer;
		const lines: string[] = [];
		for (let at = 0; at < normal.length; at++) {
			const line = normal.getLine(at);
			const next = normal.getLine(at + 1);
			const text = line?.translateToString(next?.isWrapped !== true) ?? "";
			if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
			else lines.push(text);
		}
		return lines;
	}

	moveBy(): void {}
	hideCursor(): void {}
	showCursor(): void {}
	clearLine(): void {}
	clearFromCursor(): void {}
	clearScreen(): void {}
	setTitle(): void {}
	setProgress(): void {}

	#lines(which: "normal" | "alternate"): string[] {
		const buffer = this.#xterm.buffer[which];
		return Array.from(
			{ length: buffer.length },
			(_, at) => buffer.getLine(at)?.translateToString(true) ?? "",
		);
	}
}
