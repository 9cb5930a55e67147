/**
 * The screen of a pseudo-terminal: an emulator reads what the program writes, so that only cells leave it, never a
 * sequence of the program.
 */
import type { IBuffer, IBufferCell, Terminal } from "@xterm/headless";
import { Listeners, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { size } from "./session.ts";
import { visibleWidth } from "../text/index.ts";

export interface TerminalSize {
	readonly columns: number;
	readonly rows: number;
}

export interface DrawnScreen {
	/** The rows up to the last one that is in use, with colors. */
	readonly rows: readonly string[];
	/** The row of the cursor among them. */
	readonly cursorRow: number;
}

/** Ends a sequence that is not complete. */
const cancel = "\x18";

export class TerminalScreen implements Disposable {
	readonly #terminal: Terminal;
	readonly #listeners = new Listeners<void>();
	/** What the emulator has not got yet. */
	readonly #held: Uint8Array[] = [];
	#heldBytes = 0;
	/** Chunks that the emulator is reading. */
	#reading = 0;
	/** Something was lost, ... */
	#isCut = false;
	/** ... and the emulator may be in the middle of a sequence. */
	#isTorn = false;
	#isCursorHidden = false;
	#settled = Promise.withResolvers<void>();

	private constructor(terminal: Terminal, reply: (data: string) => void) {
		this.#terminal = terminal;
		// Programs ask for the cursor and the kind of the terminal, and wait for the answer.
		terminal.onData(reply);
		const onCursorMode = (final: string, isHidden: boolean): void =>
			void terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
				if (params.includes(25)) this.#isCursorHidden = isHidden;
				return false;
			});
		onCursorMode("h", false);
		onCursorMode("l", true);
	}

	/** Loads the emulator. `reply` receives its answers to the program's queries. */
	static async open(given: TerminalSize, reply: (data: string) => void): Promise<TerminalScreen> {
		const { Terminal: Emulator } = await import("@xterm/headless");
		const [cols, rows] = size(given.columns, given.rows);
		const terminal = new Emulator({
			cols,
			rows,
			scrollback: limits.screenLines,
			allowProposedApi: true,
			logLevel: "off",
		});
		return new TerminalScreen(terminal, reply);
	}

	/** A program that writes faster than the emulator reads loses the middle of its output, never the end. */
	write(chunk: Uint8Array): void {
		// The buffer belongs to the pseudo-terminal, and the emulator reads it later.
		this.#held.push(chunk.slice());
		this.#heldBytes += chunk.length;
		while (this.#heldBytes > limits.screenPendingBytes && this.#held.length > 1) {
			this.#heldBytes -= this.#held.shift()?.length ?? 0;
			this.#isCut = this.#isTorn = true;
		}
		this.#feed();
	}

	/** Called after the screen has changed. */
	onChange(listener: () => void): Disposable {
		return this.#listeners.add(listener);
	}

	/** Resolves when everything that was written is on the screen. */
	async settled(): Promise<void> {
		while (this.#reading > 0) await this.#settled.promise;
	}

	resize({ columns, rows }: TerminalSize): void {
		this.#terminal.resize(...size(columns, rows));
	}

	/** The modes that decide how a key is sent. */
	get modes(): { readonly applicationCursor: boolean; readonly bracketedPaste: boolean } {
		const { applicationCursorKeysMode, bracketedPasteMode } = this.#terminal.modes;
		return { applicationCursor: applicationCursorKeysMode, bracketedPaste: bracketedPasteMode };
	}

	/** `cursor` draws the cell under the cursor. */
	draw(cursor: (cell: string) => string): DrawnScreen {
		const { active } = this.#terminal.buffer;
		const cell = active.getNullCell();
		const cursorRow = active.cursorY;
		let used = cursorRow + 1;
		for (let row = this.#terminal.rows - 1; row >= used; row--)
			if (active.getLine(active.baseY + row)?.translateToString(true)) used = row + 1;
		const rows = Array.from({ length: used }, (_, row) => {
			const at = row === cursorRow && !this.#isCursorHidden ? active.cursorX : undefined;
			return this.#row(active.baseY + row, at, cursor, cell);
		});
		return { rows, cursorRow };
	}

	/** The program draws on a screen of its own, which is gone when it ends. */
	get isFullScreen(): boolean {
		return this.#terminal.buffer.active.type === "alternate";
	}

	/** The rows of the screen, without what has scrolled away. */
	visible(): string {
		const { active } = this.#terminal.buffer;
		return textOf(active, active.baseY);
	}

	/**
	 * What the terminal shows, with what has scrolled away, and a full-screen program's last screen below that.
	 * Undefined if a part of it is lost.
	 */
	text(): string | undefined {
		const { normal, active } = this.#terminal.buffer;
		if (this.#isCut || normal.length >= limits.screenLines + this.#terminal.rows) return undefined;
		const parts = active.type === "normal" ? [normal] : [normal, active];
		return parts
			.map((buffer) => textOf(buffer))
			.filter((text) => text !== "")
			.join("\n");
	}

	[Symbol.dispose](): void {
		this.#terminal.dispose();
	}

	/** Passes on what came while the emulator was reading. */
	#feed(): void {
		if (this.#reading > 0 || this.#held.length === 0) return;
		this.#settled = Promise.withResolvers();
		const chunks = this.#held.splice(0);
		this.#heldBytes = 0;
		if (this.#isTorn) this.#terminal.write(cancel);
		this.#isTorn = false;
		this.#reading = chunks.length;
		for (const chunk of chunks)
			this.#terminal.write(chunk, () => {
				const { resolve } = this.#settled;
				if (--this.#reading === 0) {
					this.#feed();
					resolve();
				}
				this.#listeners.call();
			});
	}

	#row(
		index: number,
		cursorAt: number | undefined,
		cursor: (cell: string) => string,
		reused: IBufferCell,
	): string {
		const line = this.#terminal.buffer.active.getLine(index);
		const { cols } = this.#terminal;
		// After the last column, the cursor waits for the next character on that column.
		const cursorColumn = cursorAt === undefined ? undefined : Math.min(cursorAt, cols - 1);
		let drawn = "";
		let style = "";
		// Blank cells without a color at the end of a row need not be drawn.
		let blanks = "";
		for (let column = 0; column < cols; column++) {
			const cell = line?.getCell(column, reused);
			if (!cell || cell.getWidth() === 0) continue;
			const text = cellText(cell);
			const isCursor = column === cursorColumn;
			if (!isCursor && text === " " && cell.isAttributeDefault()) {
				blanks += " ";
				continue;
			}
			const next = styleOf(cell);
			const isReset = style !== "" && (blanks !== "" || next !== style);
			drawn += `${isReset ? "\x1b[0m" : ""}${blanks}`;
			if (next !== "" && (isReset || style === "")) drawn += `\x1b[${next}m`;
			style = next;
			blanks = "";
			drawn += isCursor ? cursor(text) : text;
		}
		return style === "" ? drawn : `${drawn}\x1b[0m`;
	}
}

function textOf(buffer: IBuffer, from = 0): string {
	const lines: string[] = [];
	for (let row = from; row < buffer.length; row++) {
		const line = buffer.getLine(row);
		const continues = buffer.getLine(row + 1)?.isWrapped === true;
		const text = line?.translateToString(!continues) ?? "";
		lines.push(line?.isWrapped ? (lines.pop() ?? "") + text : text);
	}
	return stripControls(lines.join("\n").trimEnd());
}

/** A character whose width the emulator sees differently would move the rest of the row. */
function cellText(cell: IBufferCell): string {
	const width = cell.getWidth();
	const text = cell.isInvisible() ? "" : stripControls(cell.getChars(), { newline: false, tab: false });
	return text === "" || visibleWidth(text) !== width ? " ".repeat(width) : text;
}

/** The parameters of the sequence that sets colors and weight. */
function styleOf(cell: IBufferCell): string {
	const parts: number[] = [];
	if (cell.isBold()) parts.push(1);
	if (cell.isDim()) parts.push(2);
	if (cell.isItalic()) parts.push(3);
	if (cell.isUnderline()) parts.push(4);
	if (cell.isInverse()) parts.push(7);
	if (cell.isStrikethrough()) parts.push(9);
	if (!cell.isFgDefault()) parts.push(...colorOf(cell.getFgColor(), cell.isFgRGB(), 30));
	if (!cell.isBgDefault()) parts.push(...colorOf(cell.getBgColor(), cell.isBgRGB(), 40));
	return parts.join(";");
}

function colorOf(color: number, isRgb: boolean, base: 30 | 40): number[] {
	if (isRgb) return [base + 8, 2, (color >> 16) & 255, (color >> 8) & 255, color & 255];
	if (color < 8) return [base + color];
	return color < 16 ? [base + 60 + color - 8] : [base + 8, 5, color];
}
