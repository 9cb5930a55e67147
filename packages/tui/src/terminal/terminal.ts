/** The engine's contract with a terminal; the first part is pi's, so that a terminal written for pi works. */
import type { TerminalFeatures } from "../terminal-features.ts";

export interface Terminal {
	start(onInput: (data: string) => void, onResize: () => void): void;
	stop(): void;
	/** Discards pending input, so that late key releases do not reach the shell. */
	drainInput(maxMs?: number, idleMs?: number): Promise<void>;
	write(data: string): void;
	get columns(): number;
	get rows(): number;
	get kittyProtocolActive(): boolean;
	moveBy(lines: number): void;
	hideCursor(): void;
	showCursor(): void;
	clearLine(): void;
	clearFromCursor(): void;
	clearScreen(): void;
	setTitle(title: string): void;
	setProgress(active: boolean): void;

	/** The features known so far; without it the environment decides. */
	readonly features?: TerminalFeatures;
	/** Output is pending: no frame should be written until `onDrain`. */
	readonly congested?: boolean;
	/** Called when pending output was written. */
	onDrain?: (() => void) | undefined;
	/** Modes that are on until `stop`; they are restored also when the process is stopped, ends or fails. */
	setMode?(mode: TerminalMode, on: boolean): void;
	/** Asks for the row of the cursor, from 0; `undefined` where the terminal does not say. */
	askCursor?(answered: (row: number | undefined) => void): void;
	/** Asks for the size that the terminal has when it has drawn everything up to here. */
	askSize?(answered: (size: { columns: number; rows: number } | undefined) => void): void;
	/** Asks for the background, in shares of 1; `undefined` where the terminal does not say. */
	askBackground?(answered: (color: { red: number; green: number; blue: number } | undefined) => void): void;
	/** Asks whether the terminal is dark or light; `undefined` where it does not say. */
	askColorScheme?(answered: (scheme: ColorScheme | undefined) => void): void;
	/** Called when the terminal reports that it is dark or light now. */
	onColorScheme?: ((scheme: ColorScheme) => void) | undefined;
	/** Gives another program the alternate screen, until `start`, which comes back to this one as it was, or `stop`. */
	lend?(): void;
	/** Gives the terminal to the shell and stops the process, until it is continued. */
	suspend?(): void;
	/** Called before the process is stopped: the cursor must be where the shell may write. */
	onStop?: (() => void) | undefined;
	/** Called when the process continues. */
	onContinue?: (() => void) | undefined;
	/** Lines that the wheel was turned, negative for up; only on the alternate screen. */
	onWheel?: ((lines: number) => void) | undefined;
}

export type ColorScheme = "dark" | "light";

export type TerminalMode = "alternateScreen";
