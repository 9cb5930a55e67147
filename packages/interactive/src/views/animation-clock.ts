/** The one clock of everything that moves: it runs only while something does, and as fast as that needs. */
import type { Clock, Component } from "@tau/tui";
import { onDispose, timer } from "@tau/utils";

import { limits } from "../limits.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const stillSign = "●";

export interface Redraw {
	requestComponentRender(component: Component): void;
}

interface Animated {
	users: number;
	everyMs: number;
	drawnAt: number;
}

const realClock: Clock = { now: () => performance.now(), after: timer };

export class AnimationClock implements Disposable {
	readonly #screen: Redraw;
	readonly #clock: Clock;
	readonly #active = new Map<Component, Animated>();
	#waiting: { dueAt: number; timer: Disposable } | undefined;
	#startedAt = 0;
	/** If true, indicators are not animated, and only times are updated. */
	isStill = false;
	/** If true, nothing is drawn again by itself, not even times: a screen reader would read it each time. */
	isSilent = false;

	constructor(screen: Redraw, clock: Clock = realClock) {
		this.#screen = screen;
		this.#clock = clock;
	}

	now(): number {
		return this.#clock.now();
	}

	/** The sign of something that runs, in this frame. */
	get spinner(): string {
		const frame = Math.floor((this.now() - this.#startedAt) / limits.spinnerMs);
		return this.isStill || this.isSilent ? stillSign : (frames[frame % frames.length] ?? stillSign);
	}

	/** Has the component drawn again so often until it is disposed of. */
	animate(component: Component, everyMs: number = limits.spinnerMs): Disposable {
		if (this.#active.size === 0) this.#startedAt = this.now();
		const known = this.#active.get(component);
		const users = (known?.users ?? 0) + 1;
		this.#active.set(component, {
			users,
			everyMs: Math.max(limits.fastestMs, Math.min(everyMs, known?.everyMs ?? everyMs)),
			drawnAt: this.now(),
		});
		this.#wait();
		return onDispose(() => this.#leave(component));
	}

	[Symbol.dispose](): void {
		this.#active.clear();
		this.#stop();
	}

	#leave(component: Component): void {
		const known = this.#active.get(component);
		if (!known) return;
		known.users--;
		if (known.users === 0) this.#active.delete(component);
		if (this.#active.size === 0) this.#stop();
	}

	/** For the next beat; a faster part restarts the wait. */
	#wait(): void {
		if (this.isSilent) return;
		const now = this.now();
		const dueAt = this.isStill ? now + limits.stillMs : this.#nextDue();
		if (this.#waiting && this.#waiting.dueAt <= dueAt) return;
		this.#stop();
		this.#waiting = { dueAt, timer: this.#clock.after(Math.max(1, dueAt - now), () => this.#beat()) };
	}

	#beat(): void {
		this.#waiting = undefined;
		const now = this.now();
		for (const [component, animated] of this.#active) {
			// Parts that are nearly due are drawn too, so that parts with different starts come to share their beats.
			if (!this.isStill && now - animated.drawnAt < animated.everyMs - limits.fastestMs / 2) continue;
			animated.drawnAt = now;
			this.#screen.requestComponentRender(component);
		}
		if (this.#active.size > 0) this.#wait();
	}

	#nextDue(): number {
		return Math.min(...this.#active.values().map(({ everyMs, drawnAt }) => drawnAt + everyMs));
	}

	#stop(): void {
		this.#waiting?.timer[Symbol.dispose]();
		this.#waiting = undefined;
	}
}
