/** Turns raw terminal input, split anywhere, into complete sequences and complete pastes. */
import { EventEmitter } from "node:events";
import { timer } from "@tau/utils";

import { limits } from "./limits.ts";
import { PASTE_END, PASTE_START, PasteAssembly } from "./paste-assembly.ts";
import { scanSequence, type Wait } from "./sequence.ts";

export type StdinBufferOptions = {
	/** How long to wait after a lone ESC, in milliseconds; a function is asked each time. */
	timeout?: number | (() => number | undefined);
};

export type StdinBufferEventMap = {
	/** One key, one character or one terminal reply. */
	data: [string];
	/** The pasted text, unchanged. */
	paste: [string];
	/** A paste was longer than the bound: this many characters of it were dropped. */
	pasteCut: [number];
};

const leastMs: Readonly<Record<Wait, number>> = {
	escape: 0,
	sequence: limits.sequenceMs,
	string: limits.stringMs,
};

/** What one chunk of input consists of, as the event that reports it. */
export type StdinPart = { data: string } | { paste: string } | { pasteCut: number };

/**
 * `read` takes the chunks of stdin and gives what they complete, in the order of the input; what turns out to be complete
 * later, because nothing has followed it, is emitted. `process` emits all of it.
 */
export class StdinBuffer extends EventEmitter<StdinBufferEventMap> {
	readonly #escapeMs: () => number;
	#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	#pending = "";
	#paste: PasteAssembly | undefined;
	#timer: Disposable | undefined;
	#waiting: Wait | undefined;

	constructor(options: StdinBufferOptions = {}) {
		super();
		const { timeout } = options;
		this.#escapeMs = () => (typeof timeout === "function" ? timeout() : timeout) ?? limits.escapeMs;
	}

	process(data: string | Uint8Array): void {
		for (const part of this.read(data)) this.#emit(part);
	}

	/** Each part before the next one is read: how long to wait for the rest may depend on it. */
	*read(data: string | Uint8Array): Generator<StdinPart, void> {
		let text = typeof data === "string" ? data : this.#decoder.decode(data, { stream: true });
		while (text !== "") {
			text =
				this.#paste === undefined
					? yield* this.#readSequences(text)
					: yield* this.#readPaste(this.#paste, text);
		}
	}

	/** Stops waiting: the pending input is emitted, and returned. */
	flush(): string[] {
		this.#stopTimer();
		const rest = this.#pending + this.#decoder.decode();
		this.#pending = "";
		for (const part of this.#endPaste()) this.#emit(part);
		// Two presses of Escape that arrived together are not one key.
		const out = rest.startsWith("\x1b\x1b") ? ["\x1b", rest.slice(1)] : rest === "" ? [] : [rest];
		const whole = out.map((sequence) => sequence.replace(/\p{Cs}/gu, "\ufffd"));
		for (const sequence of whole) this.emit("data", sequence);
		return whole;
	}

	/** Drops the pending input without an event. */
	clear(): void {
		this.#stopTimer();
		this.#pending = "";
		this.#paste = undefined;
		this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	}

	getBuffer(): string {
		return this.#pending;
	}

	destroy(): void {
		this.clear();
		this.removeAllListeners();
	}

	[Symbol.dispose](): void {
		this.destroy();
	}

	#emit(part: StdinPart): void {
		if ("data" in part) this.emit("data", part.data);
		else if ("paste" in part) this.emit("paste", part.paste);
		else this.emit("pasteCut", part.pasteCut);
	}

	/** Gives complete sequences; returns the beginning of a paste. */
	*#readSequences(chunk: string): Generator<StdinPart, string> {
		const text = this.#pending + chunk;
		const held = this.#pending !== "";
		this.#pending = "";
		let at = 0;
		while (at < text.length) {
			const scan = scanSequence(text, at);
			if ("wait" in scan) {
				this.#hold(text.slice(at), scan.wait, held && at === 0);
				return "";
			}
			const sequence = text.slice(at, scan.end);
			at = scan.end;
			if (sequence === PASTE_START) {
				this.#stopTimer();
				this.#paste = new PasteAssembly();
				this.#watchPaste();
				return text.slice(at);
			}
			// The end of a paste that was already given up is ignored.
			if (sequence !== PASTE_END) yield { data: sequence };
		}
		this.#stopTimer();
		return "";
	}

	#hold(rest: string, wait: Wait, continues: boolean): void {
		this.#pending = rest;
		// The timer of a sequence runs from its beginning: keys typed into a split one must not keep it open.
		if (continues && this.#waiting === wait) return;
		this.#stopTimer();
		this.#waiting = wait;
		this.#timer = timer(Math.max(this.#escapeMs(), leastMs[wait]), () => this.flush());
	}

	*#readPaste(paste: PasteAssembly, chunk: string): Generator<StdinPart, string> {
		const rest = paste.push(chunk);
		if (rest === undefined) {
			this.#watchPaste();
			return "";
		}
		yield* this.#endPaste();
		return rest;
	}

	#watchPaste(): void {
		this.#stopTimer();
		this.#timer = timer(limits.pasteStallMs, () => this.flush());
	}

	*#endPaste(): Generator<StdinPart, void> {
		const paste = this.#paste;
		if (paste === undefined) return;
		this.#paste = undefined;
		this.#stopTimer();
		const { text, dropped } = paste.end();
		if (dropped > 0) yield { pasteCut: dropped };
		yield { paste: text };
	}

	#stopTimer(): void {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
		this.#waiting = undefined;
	}
}
