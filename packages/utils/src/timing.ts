/** Measures where the time of a run goes, as a tree of spans that starts with the process, and reports phases live. */
import { writeSync } from "node:fs";

import { env } from "./env.ts";
import type { Env } from "./env.ts";
import { timingLimits } from "./limits.ts";

/** `exit`: end after printing, to measure the start alone; `full`: print every entry. */
export type TimingMode = "off" | "on" | "exit" | "full";

export function timingMode(from: Env = process.env): TimingMode {
	const value = env("TAU_TIMING", from);
	if (value === undefined) return "off";
	if (value === "x") return "exit";
	return value === "full" ? "full" : "on";
}

interface Span {
	readonly name: string;
	readonly start: number;
	readonly parent: Span | undefined;
	readonly children: Span[];
	/** Undefined while the span runs; equal to `start` for a mark. */
	end: number | undefined;
}

const nothing: Disposable = { [Symbol.dispose]() {} };

/**
 * A span that starts while another one runs becomes its child. Concurrent spans are distinguished by that order
 * alone, which is enough for a start-up that does one thing after the other.
 */
export class Timings {
	readonly #now: () => number;
	readonly #root: Span;
	#current: Span;
	#count = 0;

	constructor(now: () => number) {
		this.#now = now;
		// The clock counts from the start of the process, so this span covers what ran before the first call.
		this.#root = { name: "process", start: 0, parent: undefined, children: [], end: undefined };
		this.#current = this.#root;
	}

	span(name: string): Disposable {
		const span = this.#add(name);
		if (!span) return nothing;
		this.#current = span;
		return { [Symbol.dispose]: () => this.#finish(span) };
	}

	mark(name: string): void {
		const span = this.#add(name);
		if (span) span.end = span.start;
	}

	format(options: { full?: boolean } = {}): string {
		const now = this.#now();
		const rows = options.full ? Number.POSITIVE_INFINITY : timingLimits.rows;
		const lines = [...layOut(this.#root, 0, now, now)];
		const hidden = lines.length - rows;
		if (hidden > 0) lines.splice(rows, hidden, `… ${hidden} more, TAU_TIMING=full shows all`);
		if (this.#count > timingLimits.spans) lines.push(`… ${this.#count - timingLimits.spans} not recorded`);
		return `${lines.join("\n")}\n`;
	}

	#add(name: string): Span | undefined {
		this.#count++;
		if (this.#count > timingLimits.spans) return undefined;
		const parent = this.#current;
		const span: Span = { name, start: this.#now(), parent, children: [], end: undefined };
		parent.children.push(span);
		return span;
	}

	#finish(span: Span): void {
		if (span.end !== undefined) return;
		span.end = this.#now();
		while (this.#current.end !== undefined && this.#current.parent) this.#current = this.#current.parent;
	}
}

function* layOut(span: Span, depth: number, now: number, total: number): Generator<string> {
	const isMark = span.end === span.start;
	const ms = isMark ? span.start : (span.end ?? now) - span.start;
	const share = isMark
		? "     @"
		: `${((ms / Math.max(total, Number.EPSILON)) * 100).toFixed(1).padStart(5)}%`;
	const running = span.end === undefined && depth > 0 ? " (running)" : "";
	yield `${ms.toFixed(1).padStart(9)} ms ${share}  ${"  ".repeat(depth)}${span.name}${running}`;
	for (const child of span.children) yield* layOut(child, depth + 1, now, total);
}

let active: Timings | undefined;
let isInitialized = false;

function timings(): Timings | undefined {
	if (!isInitialized) {
		isInitialized = true;
		if (timingMode() !== "off") active = new Timings(() => performance.now());
	}
	return active;
}

/** `using _ = span("load settings")`, or `await span("load settings", fn)`. Costs nothing when timing is off. */
export function span(name: string): Disposable;
export function span<T>(name: string, fn: () => Promise<T>): Promise<T>;
export function span<T>(name: string, fn?: () => Promise<T>): Disposable | Promise<T> {
	const open = announced(name, timings()?.span(name) ?? nothing);
	return fn ? within(open, fn) : open;
}

let hasScreen = false;

/** From now on the screen belongs to the TUI: phases are reported only where standard error is no terminal. */
export function leaveScreenAlone(): void {
	hasScreen = true;
}

/** With TAU_DEBUG_STARTUP, the last line on standard error names the phase that a hanging start is in. */
function announced(name: string, open: Disposable): Disposable {
	if (env("TAU_DEBUG_STARTUP") === undefined) return open;
	report(`${name}:start`);
	return {
		[Symbol.dispose]() {
			open[Symbol.dispose]();
			report(`${name}:done`);
		},
	};
}

function report(phase: string): void {
	if (hasScreen && process.stderr.isTTY) return;
	try {
		// Synchronous: a buffered line would be lost with the process that hangs.
		writeSync(2, `[startup] ${phase}\n`);
	} catch {
		// Standard error is closed or full; the start continues without its markers.
	}
}

async function within<T>(open: Disposable, fn: () => Promise<T>): Promise<T> {
	using _span = open;
	return await fn();
}

/** Records a moment without a duration, such as the first frame. */
export function mark(name: string): void {
	timings()?.mark(name);
}

/** The tree so far, with milliseconds and the share of the whole; empty when timing is off. */
export function formatTimings(): string {
	return timings()?.format({ full: timingMode() === "full" }) ?? "";
}
