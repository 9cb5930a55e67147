/** The terminal as the watching thread uses it: a message over its last rows, and keys that the main thread gets later. */
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

import { log, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";
import type { SharedState } from "./shared-state.ts";

/** The last row, whatever the size: terminals take the nearest one that they have. */
const toLastRow = "\x1b[9999;1H";
const [saveCursor, restoreCursor, eraseRow] = ["\x1b7", "\x1b8", "\x1b[2K"];

export class TerminalGuard implements Disposable {
	readonly #state: SharedState;
	readonly #fd = openTerminal();
	/** Rows that were written over. */
	#rows = 0;

	constructor(state: SharedState) {
		this.#state = state;
	}

	/** The cursor is the main thread's, and is put back. */
	show(message: string): void {
		const rows = wrapWords(message, Math.max(20, this.#state.columns));
		this.#rows = Math.max(this.#rows, rows.length);
		const above = Array.from({ length: this.#rows - rows.length }, () => "");
		this.#overwrite([...above, ...rows.map((row) => `\x1b[7m${row}\x1b[0m`)]);
	}

	read(): Uint8Array {
		const buffer = new Uint8Array(limits.readBytes);
		try {
			return buffer.subarray(0, readSync(this.#fd, buffer));
		} catch {
			// No key was pressed, or the terminal is gone.
			return new Uint8Array();
		}
	}

	/** Keeps keys for the main thread. */
	keep(keys: Uint8Array): void {
		const added = this.#state.addKeys(keys);
		if (added < keys.length) log.warn("input was dropped", { bytes: keys.length - added });
	}

	/** Leaves the terminal as the shell expects it, with a last message below everything else. */
	restore(message: string): void {
		this.#erase();
		this.#write(`${this.#state.restoreSequence}${toLastRow}\r\n${stripControls(message)}\r\n`);
		Bun.sleepSync(limits.drainMs);
		this.read();
	}

	/** The main thread draws the rows again. */
	[Symbol.dispose](): void {
		this.#erase();
		closeSync(this.#fd);
	}

	#erase(): void {
		this.#overwrite(Array.from({ length: this.#rows }, () => ""));
	}

	#overwrite(rows: readonly string[]): void {
		if (rows.length === 0) return;
		const up = rows.length > 1 ? `\x1b[${rows.length - 1}A` : "";
		const body = rows.map((row) => `${eraseRow}${row}`).join("\r\n");
		this.#write(`${saveCursor}${toLastRow}${up}${body}${restoreCursor}`);
	}

	#write(text: string): void {
		try {
			writeSync(this.#fd, text);
		} catch {
			// The terminal is full or gone: the log has the message.
		}
	}
}

/** Opened for this thread alone, because it must not wait for keys. */
function openTerminal(): number {
	const flags = constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY;
	try {
		return openSync("/dev/tty", flags);
	} catch {
		// The process has a terminal that does not control it.
		return openSync("/proc/self/fd/0", flags);
	}
}

function wrapWords(text: string, columns: number): string[] {
	const rows: string[] = [];
	for (const word of stripControls(text, { newline: false }).split(" ")) {
		const last = rows.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= columns)
			rows[rows.length - 1] = `${last} ${word}`;
		else rows.push(word.slice(0, columns));
	}
	return rows;
}

/**
 * The byte; the kitty protocol, also on layouts where the key has another letter and with caps lock or num lock, whose
 * releases (event 3) are not presses; modifyOtherKeys.
 */
const ctrlC =
	/\x03|\x1b\[(?:99(?::\d*)*|\d+:\d*:99);(?:5|69|133|197)(?::([123]))?(?:;[\d:]*)?u|\x1b\[27;5;99~/g;
/** The beginning of such a sequence, whose end has not arrived. */
const begun = /\x1b(?:\[[\d;:]*)?$/;

/** Finds presses of Ctrl+C in what was typed. */
export class CtrlC {
	#held = "";
	#lastMs = Number.NEGATIVE_INFINITY;

	/** `rest` is everything else, in order. "twice": the last two presses were close to each other. */
	take(bytes: Uint8Array): { presses: "none" | "once" | "twice"; rest: Uint8Array } {
		// Latin 1 has a character for each byte, so nothing that is cut in two changes.
		const text = this.#held + Buffer.from(bytes).toString("latin1");
		let presses: "none" | "once" | "twice" = "none";
		const rest = text.replace(ctrlC, (_, event?: string) => {
			if (event === "3") return "";
			const now = performance.now();
			presses = presses !== "twice" && now - this.#lastMs > limits.twiceMs ? "once" : "twice";
			this.#lastMs = now;
			return "";
		});
		// An Escape key that no sequence follows is passed on at the next look.
		this.#held = bytes.length === 0 ? "" : (begun.exec(rest)?.[0] ?? "");
		return { presses, rest: Buffer.from(rest.slice(0, rest.length - this.#held.length), "latin1") };
	}

	/** What may be the beginning of a sequence. */
	pending(): Uint8Array {
		return Buffer.from(this.#held, "latin1");
	}
}
