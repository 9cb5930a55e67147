/** Picks the terminal's replies out of its input, torn anywhere, so that none is ever taken for keys. */
import { timer } from "@tau/utils";

import { terminalLimits } from "../limits.ts";

export type Reply =
	/** Every terminal answers this question: what was asked before it and has no answer by then gets none. */
	| { kind: "sentinel" }
	| { kind: "keyboard"; flags: number }
	/** 1 and 3: on, 2 and 4: off, 0: unknown. */
	| { kind: "mode"; mode: number; state: number }
	| { kind: "background"; red: number; green: number; blue: number }
	| { kind: "appearance"; dark: boolean }
	| { kind: "cellSize"; widthPx: number; heightPx: number }
	| { kind: "resized" }
	| { kind: "notifications" }
	| { kind: "graphics"; ok: boolean };

const csi = /^\x1b\[(\??)([\d;]*)(\$?)([a-z])/;
const string = /^\x1b([\]_])([^\x07\x1b]*)(?:\x07|\x1b\\)/;
/** Anything that may become a reply when more comes. */
const begun = /^\x1b(?:$|\[(?:\?[\d;]*\$?|[46][\d;]*)?$|\](?:(?:1?1?|9?9?)|(?:11|99);[^\x07\x1b]*\x1b?)$|_(?:G[^\x07\x1b]*\x1b?)?$)/;

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

export interface ReplyListener {
	reply(reply: Reply): void;
	/** Everything else, in order. */
	input(text: string): void;
	/** Whether replies are awaited: only then is a beginning kept back from the keys. */
	awaits(): boolean;
}

export class ReplyReader implements Disposable {
	readonly #listener: ReplyListener;
	#held = "";
	#pasting = false;
	#timer: Disposable | undefined;

	constructor(listener: ReplyListener) {
		this.#listener = listener;
	}

	push(chunk: string): void {
		this.#stopTimer();
		let text = this.#held + chunk;
		this.#held = "";
		let input = "";
		while (text !== "") {
			const at = this.#pasting ? -1 : text.indexOf("\x1b");
			if (at < 0) {
				const [pasted, rest] = this.#passPaste(text);
				input += pasted;
				text = rest;
				continue;
			}
			input += text.slice(0, at);
			text = text.slice(at);
			const found = readReply(text);
			if (found !== undefined) {
				this.#give(input);
				input = "";
				this.#listener.reply(found.reply);
				text = text.slice(found.length);
			} else if (this.#mayBeReply(text)) {
				this.#hold(text);
				text = "";
			} else {
				this.#pasting = text.startsWith(pasteStart);
				const length = this.#pasting ? pasteStart.length : 1;
				input += text.slice(0, length);
				text = text.slice(length);
			}
		}
		this.#give(input);
	}

	[Symbol.dispose](): void {
		this.#stopTimer();
	}

	/** What is pasted is text, whatever it looks like. */
	#passPaste(text: string): [pasted: string, rest: string] {
		if (!this.#pasting) return [text, ""];
		const end = text.indexOf(pasteEnd);
		if (end < 0) return [text, ""];
		this.#pasting = false;
		return [text.slice(0, end + pasteEnd.length), text.slice(end + pasteEnd.length)];
	}

	#mayBeReply(text: string): boolean {
		return this.#listener.awaits() && text.length <= terminalLimits.replyChars && begun.test(text);
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

interface Found {
	reply: Reply;
	length: number;
}

/** The reply that the text begins with. */
function readReply(text: string): Found | undefined {
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

function csiReply(shape: string, [first = 0, second = 0, third = 0, ...more]: number[]): Reply | undefined {
	if (shape === "?c") return { kind: "sentinel" };
	if (shape === "?u") return { kind: "keyboard", flags: first };
	if (shape === "?$y") return { kind: "mode", mode: first, state: second };
	if (shape === "?n" && first === 997) return { kind: "appearance", dark: second === 1 };
	if (shape !== "t") return undefined;
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
