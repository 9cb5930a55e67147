/** What the engine needs of a terminal; the first part is pi's, so that one written for pi will do. */
import type { TerminalFeatures } from "../terminal-features.ts";

export interface Terminal {
	start(onInput: (data: string) => void, onResize: () => void): void;
	stop(): void;
	/** Reads away what still comes in, so that late key releases do not end up in the shell. */
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

	/** What it can do, as far as is known by now; without it the environment is asked. */
	readonly features?: TerminalFeatures;
	/** Output waits for the terminal: no frame is to be written until `onDrain`. */
	readonly congested?: boolean;
	/** Called when waiting output has gone. */
	onDrain?: (() => void) | undefined;
	/** Modes that are on until `stop`, also when the process is stopped, ended or fails. */
	setMode?(mode: TerminalMode, on: boolean): void;
	/** Gives the terminal to the shell and stops the process, until somebody continues it. */
	suspend?(): void;
	/** Called before the process is stopped: the cursor must be where the shell may write. */
	onStop?: (() => void) | undefined;
	/** Called when the process goes on. */
	onContinue?: (() => void) | undefined;
	/** Lines that the wheel was turned, upwards when negative; only on the alternate screen. */
	onWheel?: ((lines: number) => void) | undefined;
}

export type TerminalMode = "alternateScreen";
