/** Writes to the terminal without blocking: output that it does not accept yet is written later. */
import { closeSync, constants, openSync, writeSync } from "node:fs";

import { onDispose, timer } from "@tau/utils";

import { terminalLimits } from "../limits.ts";

export interface OutputEvents {
	/** The pending output was written. */
	drained(): void;
	/** The terminal is gone; reported once. */
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

	/** `paths` are tried in order; without any, standard output is used, which may block. */
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

	/** Writes pending output before it returns; a blocked terminal is given up after a while. */
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
			const progress = this.#take();
			if (progress === "lost" || progress === "done") return;
			if (progress === "full") break;
		}
		this.#retry = timer(this.#retryMs, () => {
			this.#pump();
			if (!this.congested && !this.#lost) this.#events.drained();
		});
		this.#retryMs = Math.min(this.#retryMs * 2, terminalLimits.retryMostMs);
	}

	/** One attempt. */
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

	/** Reported once; nothing is written any more, or every frame would fail again. */
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

/** Paths to reopen the terminal of standard output. */
export const terminalPaths = process.platform === "linux" ? ["/proc/self/fd/1", "/dev/tty"] : ["/dev/tty"];

/**
 * Reopened for ourselves: O_NONBLOCK is a property of the open file, and the inherited one is shared with the shell.
 * A write to a stopped terminal (Ctrl+S) would otherwise block the whole process.
 */
function openOwn(paths: readonly string[]): number | undefined {
	for (const path of paths) {
		try {
			return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
		} catch {
			// The terminal cannot be opened (another user's, or none): the next path is tried, and in the end the
			// inherited one is used.
		}
	}
	return undefined;
}
