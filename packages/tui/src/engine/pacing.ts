/** Schedules frames: many requests become one frame, the first at once, the others at a rate that their cost allows. */
import { timer } from "@tau/utils";

import { engineLimits } from "../limits.ts";

/** The clock of the scheduler; tests have their own. */
export interface Clock {
	/** In milliseconds. */
	now(): number;
	after(ms: number, run: () => void): Disposable;
}

const realClock: Clock = { now: () => performance.now(), after: timer };

export class Pacing {
	readonly #draw: (isForKey: boolean) => void;
	readonly #clock: Clock;
	#last = Number.NEGATIVE_INFINITY;
	/** What a frame takes, in milliseconds: the mean of the last ones, in which the newest counts most. */
	#cost = 0;
	#pending: { due: number; waiting: Disposable | undefined } | undefined;
	#paused = true;
	#isDrawing = false;
	#wanted = false;

	/** A frame for a key is drawn while another one waits, and leaves to that what it is for. */
	constructor(draw: (isForKey: boolean) => void, clock: Clock = realClock) {
		this.#draw = draw;
		this.#clock = clock;
	}

	/** Requests a frame: as soon as the frame rate allows, and not before `delayMs`. */
	request(pace: "frame" | "key" | "now" = "frame", delayMs = 0): void {
		this.#wanted = true;
		if (this.#paused) return;
		const gap = pace === "now" ? 0 : pace === "key" ? engineLimits.keyFrameMs : this.#frameMs;
		const now = this.#clock.now();
		const due = Math.max(now + delayMs, this.#last + gap);
		if (this.#pending !== undefined && this.#pending.due <= due) return;
		this.#cancel();
		const pending: { due: number; waiting: Disposable | undefined } = { due, waiting: undefined };
		this.#pending = pending;
		if (due > now) pending.waiting = this.#clock.after(due - now, () => this.#fire(pending));
		// Drawn after all changes of this turn of the event loop.
		else queueMicrotask(() => this.#fire(pending));
	}

	/** When the frame that waits is due. */
	get due(): number | undefined {
		return this.#pending?.due;
	}

	/** Draws synchronously for a key if the rate of keys allows it; a frame that waited before it comes when it was due. */
	drawKey(due: number | undefined): void {
		this.request("key");
		const left = due === undefined ? 0 : due - this.#clock.now();
		this.#flush(left > 0);
		if (left > 0) this.request("now", left);
	}

	/** Draws a requested frame synchronously if the frame rate allows it. */
	#flush(isForKey = false): void {
		if (this.#pending !== undefined && this.#pending.due <= this.#clock.now()) this.#run(isForKey);
	}

	/** Draws synchronously, whatever the frame rate; from inside a frame, the next one is drawn as usual. */
	drawNow(): void {
		if (this.#isDrawing) return this.request();
		this.request("now");
		this.#flush();
	}

	/** Pauses drawing until `resume`: the terminal is busy, or another program uses it. */
	pause(): void {
		this.#paused = true;
		this.#cancel();
	}

	resume(): void {
		if (!this.#paused) return;
		this.#paused = false;
		if (this.#wanted) this.request("now");
	}

	/** Restarts the delay: nothing is drawn while the size is still changing. */
	postpone(delayMs: number): void {
		this.#cancel();
		this.request("now", delayMs);
	}

	/** The interval between two frames. */
	get #frameMs(): number {
		const affordable = this.#cost / engineLimits.frameShare;
		return Math.max(engineLimits.frameMs, Math.min(affordable, engineLimits.costlyFrameMs));
	}

	#fire(pending: object): void {
		if (this.#pending === pending) this.#run();
	}

	#run(isForKey = false): void {
		this.#cancel();
		this.#wanted = false;
		this.#last = this.#clock.now();
		this.#isDrawing = true;
		try {
			this.#draw(isForKey);
		} finally {
			this.#isDrawing = false;
			this.#cost += (this.#clock.now() - this.#last - this.#cost) * engineLimits.newestFrame;
		}
	}

	#cancel(): void {
		this.#pending?.waiting?.[Symbol.dispose]();
		this.#pending = undefined;
	}
}
