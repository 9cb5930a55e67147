/** The terminal that this process runs in. */
import { appendFileSync } from "node:fs";

import { cutUnits, env, log } from "@tau/utils";

import { isFocusReport, setKittyProtocolActive, StdinBuffer } from "../input/index.ts";
import { terminalLimits } from "../limits.ts";
import type { TerminalFeatures } from "../terminal-features.ts";
import { Answers, schemeOf } from "./answers.ts";
import { Modes } from "./modes.ts";
import { clipboardSequence, noticeSequence, progressSequence, titleSequence } from "./osc.ts";
import { Output, terminalPaths } from "./output.ts";
import { readReply } from "./replies.ts";
import { stopNow, watchProcess } from "./signals.ts";
import type { ColorScheme, Terminal, TerminalMode } from "./terminal.ts";

export type Appearance = ColorScheme;

/** Other programs do this too; once more changes nothing. */
const [enterScreen, leaveScreen] = ["\x1b[?1049h\x1b[2J\x1b[H", "\x1b[?1049l"];

export class ProcessTerminal implements Terminal {
	readonly #modes = new Modes();
	readonly #isTerminal = process.stdin.isTTY && process.stdout.isTTY;
	readonly #writeLog = env("TAU_TUI_WRITE_LOG");
	/** What the terminal is and does, as far as it has answered. */
	readonly #answers = new Answers(this.#modes, this.#isTerminal, {
		write: (bytes) => this.write(bytes),
		appearance: (appearance) => this.onAppearance?.(appearance),
		scheme: (scheme) => this.onColorScheme?.(scheme),
	});
	#output: Output | undefined;
	#input: StdinBuffer | undefined;
	#process: Disposable | undefined;
	#decoder = new TextDecoder();
	/** Keys that arrived before there was a listener. */
	#early: string[] = [];
	/** What was typed before the program controlled the terminal has been read. */
	#hasRead = false;
	/** Input that is handled in the next turns of the event loop. */
	#unread = "";
	#reading: NodeJS.Immediate | undefined;
	#onInput: ((data: string) => void) | undefined;
	#onResize: (() => void) | undefined;
	#raw = false;
	#stopped = false;
	/** Another program has the alternate screen. */
	#isLent = false;
	#hasFocusReports = false;
	#size = { columns: terminalLimits.columns as number, rows: terminalLimits.rows as number };
	onDrain: (() => void) | undefined;
	onStop: (() => void) | undefined;
	onContinue: (() => void) | undefined;
	onWheel: ((lines: number) => void) | undefined;
	onColorScheme: ((scheme: ColorScheme) => void) | undefined;
	/** The terminal is gone (its window was closed, the connection is lost); called once. */
	onLost: ((reason: string) => void) | undefined;
	/**
	 * For another thread that may have to restore the terminal: called with the bytes that do it whenever they change, and
	 * with `undefined` when the terminal is released.
	 */
	onRestoreSequence: ((sequence: string | undefined) => void) | undefined;
	/** Returns input that another thread has read from the terminal; it precedes whatever this one reads next. */
	takeOtherInput: (() => Uint8Array | undefined) | undefined;
	/** The background was detected as dark or light, or has changed. */
	onAppearance: ((appearance: Appearance) => void) | undefined;

	get columns(): number {
		return this.#size.columns;
	}

	get rows(): number {
		return this.#size.rows;
	}

	get features(): TerminalFeatures {
		return this.#answers.features;
	}

	get congested(): boolean {
		return this.#output?.congested ?? false;
	}

	get kittyProtocolActive(): boolean {
		return this.#modes.has("kittyKeyboard");
	}

	/** The background as the terminal reports it, and until then as its environment does. */
	get appearance(): Appearance | undefined {
		return this.#answers.appearance ?? this.features.appearance;
	}

	/** The bytes that restore the terminal; a signal handler may write them at any moment. */
	get restoreSequence(): string {
		return this.features.dumb ? "" : this.#modes.restoreSequence();
	}

	/** Takes keys from now on, before there is anything to show; `start` passes them to its listener. */
	capture(): void {
		if (this.#raw || !this.#isTerminal) return;
		process.stdin.setRawMode(true);
		this.#raw = true;
		process.stdin.on("data", this.#onData);
		process.stdin.on("end", this.#onEnd);
		process.stdin.resume();
	}

	start(onInput: (data: string) => void, onResize: () => void): void {
		if (this.#output !== undefined) return;
		this.#onInput = onInput;
		this.#onResize = onResize;
		this.#output = this.#newOutput();
		if (!this.#isTerminal) return this.#refreshSize();
		if (this.#isLent) this.write(leaveScreen);
		this.#isLent = false;
		const timeout = () => (this.#answers.isAwaited ? terminalLimits.replyHoldMs : undefined);
		this.#input = new StdinBuffer({ timeout });
		this.#input.on("data", (sequence) => this.#onSequence(sequence));
		this.#input.on("paste", (text) => this.#onPaste(text));
		this.#process = watchProcess({
			resized: () => this.#resized(),
			stopping: () => this.#release(),
			continued: () => this.#restoreModes(),
			ending: () => this.#end(),
		});
		this.#refreshSize();
		this.capture();
		this.#modes.onChange = () => this.onRestoreSequence?.(this.restoreSequence);
		this.onRestoreSequence?.(this.restoreSequence);
		if (!this.features.dumb) this.#answers.begin();
		if (this.#hasFocusReports) this.write(this.#modes.set("focusReports", true));
		this.#take(this.#early.splice(0).join(""));
	}

	askCursor(answered: (row: number | undefined) => void): void {
		this.#answers.ask("cursor", (reply) => answered(reply?.kind === "cursor" ? reply.row - 1 : undefined));
	}

	askSize(answered: (size: { columns: number; rows: number } | undefined) => void): void {
		this.#answers.ask("textSize", (reply) => answered(reply?.kind === "textSize" ? reply : undefined));
	}

	askBackground(answered: (color: { red: number; green: number; blue: number } | undefined) => void): void {
		this.#answers.ask("background", (reply) => answered(reply?.kind === "background" ? reply : undefined));
	}

	askColorScheme(answered: (scheme: ColorScheme | undefined) => void): void {
		this.#answers.ask("colorScheme", (reply) =>
			answered(reply?.kind === "appearance" ? schemeOf(reply) : undefined),
		);
	}

	lend(): void {
		if (this.#output === undefined) return;
		this.#isLent = !this.features.dumb;
		this.#close(this.restoreSequence + (this.#isLent ? enterScreen : ""));
	}

	stop(): void {
		if (this.#isLent) {
			this.#isLent = false;
			using output = this.#newOutput();
			output.flush(leaveScreen);
		}
		this.#close(this.restoreSequence);
	}

	#newOutput(): Output {
		return new Output(
			{ drained: () => this.onDrain?.(), lost: (code) => this.#lose(code) },
			this.#isTerminal ? terminalPaths : [],
		);
	}

	#close(bytes: string): void {
		const output = this.#output;
		if (output === undefined) return;
		output.flush(bytes);
		this.#modes.onChange = undefined;
		this.onRestoreSequence?.(undefined);
		this.#modes.clear();
		setKittyProtocolActive(false);
		clearImmediate(this.#reading);
		this.#reading = undefined;
		// Whoever gets the terminal next did not ask for these keys.
		this.#unread = "";
		this.#process?.[Symbol.dispose]();
		this.#answers.end();
		this.#input?.destroy();
		output[Symbol.dispose]();
		this.#output = this.#input = this.#process = undefined;
		this.#leaveRaw();
	}

	async drainInput(maxMs = 1000, idleMs = 50): Promise<void> {
		if (!this.#isTerminal) return;
		this.write(this.#modes.set("kittyKeyboard", false) + this.#modes.set("modifyOtherKeys", false));
		this.#onInput = undefined;
		let lastInput = performance.now();
		const onEvent = () => {
			lastInput = performance.now();
		};
		process.stdin.on("data", onEvent);
		const end = lastInput + maxMs;
		while (performance.now() < end && performance.now() - lastInput < idleMs) await Bun.sleep(idleMs / 2);
		process.stdin.off("data", onEvent);
	}

	write(data: string): void {
		if (this.#writeLog !== undefined) appendFileSync(this.#writeLog, data);
		this.#output?.write(data);
	}

	setMode(mode: TerminalMode, on: boolean): void {
		if (!this.features.dumb) this.write(this.#modes.set(mode, on));
	}

	/** Ctrl+Z: the shell gets the terminal, until it continues us. */
	suspend(): void {
		if (!this.#isTerminal || process.platform === "win32") return;
		this.#release();
		stopNow();
	}

	moveBy(lines: number): void {
		if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
	}

	hideCursor(): void {
		this.write("\x1b[?25l");
	}

	showCursor(): void {
		this.write("\x1b[?25h");
	}

	clearLine(): void {
		this.write("\x1b[2K");
	}

	clearFromCursor(): void {
		this.write("\x1b[J");
	}

	/** For components written for pi: the screen is scrolled up, so that nothing on it is lost. */
	clearScreen(): void {
		this.write(`${"\r\n".repeat(this.rows)}\x1b[H`);
	}

	setTitle(title: string): void {
		if (!this.features.dumb) this.write(titleSequence(title));
	}

	setProgress(active: boolean): void {
		if (!this.features.dumb) this.write(progressSequence(active));
	}

	/** Notifies a user who looks elsewhere; `TAU_NOTIFICATIONS=off` disables it. */
	notify(title: string, body = ""): void {
		const quiet = /^(?:off|0|false)$/i.test(env("TAU_NOTIFICATIONS") ?? "");
		if (!this.features.dumb && !quiet) this.write(noticeSequence(title, body, this.#answers.richNotices));
	}

	/** Returns whether the text was sent to the terminal's clipboard. */
	copy(text: string): boolean {
		const sequence = this.features.dumb ? undefined : clipboardSequence(text);
		if (sequence !== undefined) this.write(sequence);
		return sequence !== undefined;
	}

	/** Handles input that another thread has read, as if it had just been typed. */
	readOtherInput(): void {
		const bytes = this.takeOtherInput?.();
		if (bytes) this.#receive(bytes);
	}

	readonly #onData = (chunk: Uint8Array): void => {
		this.readOtherInput();
		this.#receive(chunk);
	};

	#receive(chunk: Uint8Array): void {
		const bytes = this.#decoder.decode(chunk, { stream: true });
		const text = this.#hasRead ? bytes : asTyped(bytes);
		this.#hasRead = true;
		if (this.#input === undefined) this.#early.push(text);
		else this.#take(text);
	}

	/** A flood of keys (a paste without brackets) is handled in slices, so that frames and other work come between. */
	#take(text: string): void {
		this.#unread += text;
		if (this.#reading === undefined) this.#readSlice();
	}

	#readSlice(): void {
		this.#reading = undefined;
		const slice = cutUnits(this.#unread, terminalLimits.inputSliceChars);
		this.#unread = this.#unread.slice(slice.length);
		if (this.#unread !== "") this.#reading = setImmediate(() => this.#readSlice());
		this.#onKeys(slice);
	}

	readonly #onEnd = (): void => this.#lose("end of input");

	/** On the alternate screen the wheel arrives as several cursor keys at once; a key press gives one. */
	#onKeys(text: string): void {
		const wheel = this.#modes.has("alternateScreen")
			? /^(?:\x1b[[O]([AB]))(?:\x1b[[O]\1)+$/.exec(text)
			: null;
		if (wheel === null || this.onWheel === undefined) this.#readKeys(text);
		else this.onWheel((wheel[1] === "A" ? -1 : 1) * (text.length / 3));
	}

	#readKeys(text: string): void {
		const input = this.#input;
		for (const part of input?.read(text) ?? []) {
			if ("data" in part) this.#onSequence(part.data);
			else if ("paste" in part) this.#onPaste(part.paste);
			// A key may have ended the program, or given the terminal to another one: the rest is not its input.
			if (this.#input !== input) return;
		}
	}

	#onPaste(text: string): void {
		this.#onInput?.(`\x1b[200~${text}\x1b[201~`);
	}

	/** A late or unsolicited reply is not a key either; a key with modifiers may look like the place of the cursor. */
	#onSequence(sequence: string): void {
		const reply = readReply(sequence);
		if (isFocusReport(sequence)) this.#noteFocusReports();
		if (!reply || (reply.kind === "cursor" && !this.#answers.isAsked("cursor"))) this.#onInput?.(sequence);
		else if (reply.kind === "resized") this.#resized();
		else this.#answers.take(reply);
	}

	/** An extension has asked for them; they are switched off, and on again, with everything else. */
	#noteFocusReports(): void {
		this.#hasFocusReports = true;
		this.#modes.set("focusReports", true);
	}

	#refreshSize(): void {
		// Read again each time: the cached size of the stream may be older than the last signal.
		const [columns, rows] = process.stdout.isTTY ? process.stdout.getWindowSize() : [0, 0];
		const [givenColumns, givenRows] = [Number(process.env.COLUMNS), Number(process.env.LINES)];
		this.#size = {
			columns: columns || givenColumns || terminalLimits.columns,
			rows: rows || givenRows || terminalLimits.rows,
		};
	}

	#resized(): void {
		this.#refreshSize();
		// Another font has other cells, which sixel images must fit.
		if (this.features.images === "sixel" && !this.#answers.isAsked("cellSize"))
			this.#answers.ask("cellSize", () => {});
		this.#onResize?.();
	}

	/** Gives the terminal to the shell for a while. */
	#release(): void {
		if (this.#stopped) return;
		this.#stopped = true;
		this.onStop?.();
		this.#output?.flush(this.restoreSequence);
		process.stdin.setRawMode(false);
	}

	/** Also after an unannounced stop (SIGSTOP): the shell has had the terminal all the same. */
	#restoreModes(): void {
		this.#stopped = false;
		process.stdin.setRawMode(true);
		this.write(this.#modes.resumeSequence());
		this.#refreshSize();
		this.onContinue?.();
	}

	#end(): void {
		this.#output?.flush(this.restoreSequence);
		this.#modes.clear();
		this.#leaveRaw();
	}

	#lose(reason: string): void {
		if (this.#onInput === undefined && this.#onResize === undefined) return;
		this.#onInput = this.#onResize = undefined;
		log.warn("the terminal is gone", { reason });
		this.onLost?.(reason);
	}

	#leaveRaw(): void {
		if (!this.#raw) return;
		this.#raw = false;
		process.stdin.off("data", this.#onData);
		process.stdin.off("end", this.#onEnd);
		try {
			process.stdin.setRawMode(false);
		} catch {
			// The terminal is gone, and its mode with it.
		}
		process.stdin.pause();
	}
}

/**
 * Until the program controls the terminal, it turns Enter into a line feed. Several of them are more likely a paste,
 * which must not be submitted line by line.
 */
function asTyped(early: string): string {
	const isEntered = early.indexOf("\n") !== -1 && early.indexOf("\n") === early.lastIndexOf("\n");
	return isEntered ? early.replace("\n", "\r") : early;
}
