/** Extracts the terminal's replies from its input, split anywhere, so that none is ever read as keys. */
import { timer } from "@tau/utils";

import { terminalLimits } from "../limits.ts";

export type Reply =
	/** Every terminal answers this query: earlier queries without an answer by then get none. */
	| { kind: "sentinel"; showsSixel: boolean }
	| { kind: "keyboard"; flags: number }
	/** 1 and 3: on, 2 and 4: off, 0: unknown. */
	| { kind: "mode"; mode: number; state: number }
	| { kind: "background"; red: number; green: number; blue: number }
	| { kind: "appearance"; dark: boolean }
	| { kind: "cellSize"; widthPx: number; heightPx: number }
	| { kind: "resized" }
	| { kind: "textSize"; columns: number; rows: number }
	/** From 1. Shift+F3 looks the same in some terminals: it counts only while it is awaited. */
	| { kind: "cursor"; row: number }
	/** The colors that an image can have at once. */
	| { kind: "colorRegisters"; count: number }
	| { kind: "notifications" }
	| { kind: "graphics"; ok: boolean };

const csi = /^\x1b\[(\??)([\d;]*)(\$?)([a-zRS])/;
const string = /^\x1b([\]_])([^\x07\x1b]*)(?:\x07|\x1b\\)/;
/** Input that may become a reply when more arrives. */
const begun =
	/^\x1b(?:$|\[(?:\?[\d;]*\$?|\d[\d;]*)?$|\](?:(?:1?1?|9?9?)|(?:11|99);[^\x07\x1b]*\x1b?)$|_(?:G[^\x07\x1b]*\x1b?)?$)/;

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

export interface ReplyListener {
	reply(reply: Reply): void;
	/** All other input, in order. */
	input(text: string): void;
	/** True if replies are awaited: only then is the beginning of one withheld from the keys. */
	awaits(): boolean;
}

export class ReplyReader implements Disposable {
	readonly #listener: ReplyListener;
	#held = "";
	/** In a paste: its last characters, in which its end marker may have begun. */
	#paste: string | undefined;
	#timer: Disposable | undefined;

	constructor(listener: ReplyListener) {
		this.#listener = listener;
	}

	push(chunk: string): void {
		this.#stopTimer();
		let text = this.#held + chunk;
		this.#held = "";
		// No reply is awaited: unsolicited reports are recognized among complete sequences (`readReply`).
		if (!this.#listener.awaits() && this.#paste === undefined) return this.#give(text);
		while (text !== "")
			text = this.#paste === undefined ? this.#readOne(text) : this.#readPaste(this.#paste, text);
	}

	[Symbol.dispose](): void {
		this.#stopTimer();
	}

	/** Handles the beginning of the text, and returns the rest. */
	#readOne(text: string): string {
		const at = text.indexOf("\x1b");
		if (at !== 0) {
			const end = at < 0 ? text.length : at;
			this.#give(text.slice(0, end));
			return text.slice(end);
		}
		const match = readReply(text);
		if (match !== undefined) {
			this.#listener.reply(match.reply);
			return text.slice(match.length);
		}
		if (text.startsWith(pasteStart)) {
			this.#paste = "";
			this.#give(pasteStart);
			return text.slice(pasteStart.length);
		}
		if (text.length <= terminalLimits.replyChars && (begun.test(text) || pasteStart.startsWith(text))) {
			this.#hold(text);
			return "";
		}
		// Includes the text after it, because a key must arrive in one chunk.
		const next = text.indexOf("\x1b", 1);
		const end = next < 0 ? text.length : next;
		this.#give(text.slice(0, end));
		return text.slice(end);
	}

	/** Pasted text is text, whatever it looks like. */
	#readPaste(before: string, text: string): string {
		const all = before + text;
		const end = all.indexOf(pasteEnd);
		if (end < 0) {
			this.#paste = all.slice(-pasteEnd.length);
			this.#give(text);
			return "";
		}
		this.#paste = undefined;
		const length = end + pasteEnd.length - before.length;
		this.#give(text.slice(0, length));
		return text.slice(length);
	}

	#hold(text: string): void {
		this.#held = text;
		this.#timer = timer(terminalLimits.replyHoldMs, () => {
			const held = this.#held;
			this.#held = "";
			this.#give(held);
		});
	}

	#give(input: string): void {
		if (input !== "") this.#listener.input(input);
	}

	#stopTimer(): void {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
	}
}

interface ReplyMatch {
	reply: Reply;
	length: number;
}

/** The reply at the beginning of the text. */
export function readReply(text: string): ReplyMatch | undefined {
	const [csiText, mark, numbers = "", dollar = "", letter = ""] = csi.exec(text) ?? [];
	if (csiText !== undefined) {
		const reply = csiReply(mark + dollar + letter, numbers.split(";").map(Number));
		return reply === undefined ? undefined : { reply, length: csiText.length };
	}
	const [stringText, opener, payload = ""] = string.exec(text) ?? [];
	if (stringText === undefined) return undefined;
	const reply = opener === "]" ? oscReply(payload) : apcReply(payload);
	return reply === undefined ? undefined : { reply, length: stringText.length };
}

function csiReply(shape: string, numbers: number[]): Reply | undefined {
	const [first = 0, second = 0, third = 0, ...more] = numbers;
	// The first number is the class of the terminal, the others are its features.
	if (shape === "?c") return { kind: "sentinel", showsSixel: numbers.indexOf(4, 1) > 0 };
	// Another second number than 0 is an error.
	if (shape === "?S" && first === 1) return { kind: "colorRegisters", count: second === 0 ? third : 0 };
	if (shape === "?u") return { kind: "keyboard", flags: first };
	if (shape === "?$y") return { kind: "mode", mode: first, state: second };
	if (shape === "?n" && first === 997) return { kind: "appearance", dark: second === 1 };
	if (shape === "R") return { kind: "cursor", row: first };
	if (shape !== "t") return undefined;
	if (first === 8) return { kind: "textSize", rows: second, columns: third };
	if (first === 6) return { kind: "cellSize", heightPx: second, widthPx: third };
	return first === 48 && more.length > 0 ? { kind: "resized" } : undefined;
}

function oscReply(payload: string): Reply | undefined {
	if (payload.startsWith("99;")) return { kind: "notifications" };
	const [, ...parts] = /^11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(payload) ?? [];
	const [red, green, blue] = parts.map((hex) => Number.parseInt(hex, 16) / (16 ** hex.length - 1));
	if (red === undefined || green === undefined || blue === undefined) return undefined;
	return { kind: "background", red, green, blue };
}

function apcReply(payload: string): Reply | undefined {
	return payload.startsWith("G") ? { kind: "graphics", ok: payload.endsWith(";OK") } : undefined;
}
