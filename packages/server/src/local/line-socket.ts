/** JSON lines over a socket, in both directions: bounded lines in, and writes that wait for the reader. */
import { ByteLines, errorCode, timer } from "@tau/utils";

import { limits } from "./limits.ts";

/** What this needs of a socket of Bun's. */
export interface RawSocket {
	readonly fd?: number;
	write(data: Uint8Array): number;
	flush(): void;
	end(): void;
	terminate(): void;
	pause(): void;
	resume(): void;
}

export interface LineSocketOptions {
	/** The longest line that is taken. */
	lineBytes: number;
	/** What is taken in all until `allow` is called; no bound without it. */
	firstBytes?: number;
	/** Never an empty one. */
	onLine(line: string): void;
	/** Called once; without a reason, the other end has left. */
	onEnd(reason: string | undefined): void;
}

export class LineSocket implements Disposable {
	readonly #socket: RawSocket;
	readonly #options: LineSocketOptions;
	readonly #lines: ByteLines;
	/** What may come before the peer is known. */
	#left: number;
	/** What the socket has not taken yet. */
	#unsent: Uint8Array[] = [];
	#drained: PromiseWithResolvers<void> | undefined;
	#unread: Disposable | undefined;
	#isEnded = false;
	#isClosing = false;

	constructor(socket: RawSocket, options: LineSocketOptions) {
		this.#socket = socket;
		this.#options = options;
		this.#lines = new ByteLines(options.lineBytes);
		this.#left = options.firstBytes ?? Number.POSITIVE_INFINITY;
	}

	get fd(): number | undefined {
		return this.#socket.fd;
	}

	/** The peer has shown that it may send more. */
	allow(): void {
		this.#left = Number.POSITIVE_INFINITY;
	}

	/** A promise while the other end does not read. */
	send(frame: object): void | Promise<void> {
		return this.sendLines([JSON.stringify(frame)]);
	}

	/** The same for what is JSON already. */
	sendLines(lines: readonly string[]): void | Promise<void> {
		if (this.#isEnded || this.#isClosing) return;
		this.#unsent.push(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
		if (this.#drained === undefined) this.#push();
		return this.#drained?.promise;
	}

	/** To be called with what has come. */
	take(chunk: Uint8Array): void {
		if (this.#isEnded) return;
		this.#left -= chunk.length;
		if (this.#left < 0) return this.drop("More came than a greeting has.");
		for (const part of this.#lines.push(chunk)) {
			if (this.#isEnded) return;
			if (part.kind !== "line") return this.drop(`A line is longer than ${this.#options.lineBytes} bytes.`);
			this.#receive(part.bytes);
		}
	}

	/** To be called when the socket takes more. */
	drain(): void {
		this.#push();
	}

	/** To be called when the socket is closed. */
	closed(error?: unknown): void {
		const isGone = error === undefined || ["EPIPE", "ECONNRESET"].includes(errorCode(error) ?? "");
		this.#end(isGone ? undefined : error instanceof Error ? error.message : String(error));
	}

	/** Nothing more is read until `resume`. */
	pause(): void {
		if (!this.#isEnded) this.#socket.pause();
	}

	resume(): void {
		if (!this.#isEnded) this.#socket.resume();
	}

	/** Ends the connection at once, because of what came or did not. */
	drop(reason: string): void {
		this.#end(reason);
	}

	/** Ends the connection when everything is written. */
	close(): void {
		this.#isClosing = true;
		if (this.#unsent.length === 0) this.#hangUp();
	}

	[Symbol.dispose](): void {
		this.#hangUp();
	}

	#receive(line: Uint8Array): void {
		let text: string;
		try {
			text = new TextDecoder("utf-8", { fatal: true }).decode(line);
		} catch {
			return this.drop("A line is not UTF-8.");
		}
		if (text.trim() !== "") this.#options.onLine(text);
	}

	#push(): void {
		while (this.#unsent.length > 0 && !this.#isEnded) {
			const [first = new Uint8Array()] = this.#unsent;
			const written = this.#socket.write(first);
			if (written < 0) return this.#end(undefined);
			if (written < first.length) {
				this.#unsent[0] = first.subarray(written);
				if (written > 0) this.#unread?.[Symbol.dispose]();
				if (written > 0 || !this.#unread) this.#unread = timer(limits.unreadMs, () => this.#dropUnread());
				this.#drained ??= Promise.withResolvers();
				return;
			}
			this.#unsent.shift();
		}
		this.#settle();
		if (this.#isClosing) this.#hangUp();
	}

	#dropUnread(): void {
		this.drop(`Nothing was read for ${limits.unreadMs / 1000} s.`);
	}

	#settle(): void {
		this.#unread?.[Symbol.dispose]();
		this.#unread = undefined;
		this.#drained?.resolve();
		this.#drained = undefined;
	}

	#hangUp(): void {
		this.#end(undefined);
	}

	#end(reason: string | undefined): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		const hasUnsent = this.#unsent.length > 0;
		this.#unsent = [];
		this.#settle();
		// What was written is still delivered, unless the other end does not read.
		if (hasUnsent) this.#socket.terminate();
		else this.#socket.end();
		this.#options.onEnd(reason);
	}
}
