/** Writes to the terminal without ever waiting for it: what it does not take yet is written when it does. */
import { closeSync, constants, openSync, writeSync } from "node:fs";

import { onDispose, timer } from "@tau/utils";

import { terminalLimits } from "../limits.ts";

export interface OutputEvents {
	/** What was waiting has gone. */
	drained(): void;
	/** The terminal is gone; told once. */
	lost(code: string): void;
}

export class Output implements Disposable {
	readonly #events: OutputEvents;
	readonly #fd: number;
	readonly #close: Disposable;
	#pending: Uint8Array[] = [];
	#pendingBytes = 0;
	#retry: Disposable | undefined;
	#retryMs: number = terminalLimits.retryMs;
	#lost = false;

	/** `paths` are tried in turn; with none of them it is the standard output, which may be waited for. */
	constructor(events: OutputEvents, paths: readonly string[]) {
		this.#events = events;
		const own = openOwn(paths);
		this.#fd = own ?? 1;
		this.#close = onDispose(() => {
			if (own !== undefined) closeSync(own);
		});
	}

	get congested(): boolean {
		return this.#pending.length > 0;
	}

	write(text: string): void {
		if (this.#lost || text === "") return;
		const bytes = Buffer.from(text);
		if (this.#pendingBytes + bytes.length > terminalLimits.pendingBytes) return;
		this.#pending.push(bytes);
		this.#pendingBytes += bytes.length;
		if (this.#retry === undefined) this.#pump();
	}

	/** Writes what waits before it returns; a terminal that takes nothing is given up after a while. */
	flush(text = ""): void {
		this.write(text);
		const end = performance.now() + terminalLimits.flushMs;
		while (this.congested && !this.#lost && performance.now() < end) {
			if (this.#take() === "full") Bun.sleepSync(terminalLimits.retryMs);
		}
	}

	[Symbol.dispose](): void {
		this.#stopRetry();
		this.#close[Symbol.dispose]();
	}

	#pump(): void {
		this.#stopRetry();
		for (;;) {
			const taken = this.#take();
			if (taken === "lost" || taken === "done") return;
			if (taken === "full") break;
		}
		this.#retry = timer(this.#retryMs, () => {
			this.#pump();
			if (!this.congested && !this.#lost) this.#events.drained();
		});
		this.#retryMs = Math.min(this.#retryMs * 2, terminalLimits.retryMostMs);
	}

	/** One try. */
	#take(): "some" | "done" | "full" | "lost" {
		const [first, ...rest] = this.#pending;
		if (first === undefined) return "done";
		try {
			const count = writeSync(this.#fd, first);
			this.#retryMs = terminalLimits.retryMs;
			this.#pendingBytes -= count;
			this.#pending = count < first.length ? [first.subarray(count), ...rest] : rest;
			return this.congested ? "some" : "done";
		} catch (error) {
			const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
			if (code === "EAGAIN" || code === "EINTR") return "full";
			this.#lose(code);
			return "lost";
		}
	}

	/** Told once; nothing is written any more, or every frame would fail again. */
	#lose(code: string): void {
		this.#lost = true;
		this.#pending = [];
		this.#pendingBytes = 0;
		this.#events.lost(code);
	}

	#stopRetry(): void {
		this.#retry?.[Symbol.dispose]();
		this.#retry = undefined;
	}
}

/** Ways to open the terminal again that this process writes to. */
export const terminalPaths = process.platform === "linux" ? ["/proc/self/fd/1", "/dev/tty"] : ["/dev/tty"];

/**
 * Opened again for ourselves: not waiting is a property of an opening, and the one that we were given is shared with
 * the shell. A write to a stopped terminal (Ctrl+S) would otherwise stop the whole process.
 */
function openOwn(paths: readonly string[]): number | undefined {
	for (const path of paths) {
		try {
			return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
		} catch {
			// Not ours to open (another user's terminal, or none): the next way, and in the end the one we were given.
		}
	}
	return undefined;
}
