/** The one clock of everything that moves: it runs only while something does. */
import type { Clock, Component } from "@tau/tui";
import { onDispose, timer } from "@tau/utils";

import { limits } from "../limits.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const stillSign = "●";

export interface Redraw {
	requestComponentRender(component: Component): void;
}

const realClock: Clock = { now: () => performance.now(), after: timer };

export class Pulse implements Disposable {
	readonly #screen: Redraw;
	readonly #clock: Clock;
	readonly #active = new Map<Component, number>();
	#waiting: Disposable | undefined;
	#frame = 0;
	/** Signs stand still, and only times go on. */
	isStill = false;

	constructor(screen: Redraw, clock: Clock = realClock) {
		this.#screen = screen;
		this.#clock = clock;
	}

	now(): number {
		return this.#clock.now();
	}

	/** The sign of something that runs, in this frame. */
	get spinner(): string {
		return this.isStill ? stillSign : (frames[this.#frame % frames.length] ?? stillSign);
	}

	/** Has the component drawn again with each beat until it is disposed of. */
	animate(component: Component): Disposable {
		this.#active.set(component, (this.#active.get(component) ?? 0) + 1);
		this.#wait();
		return onDispose(() => {
			const left = (this.#active.get(component) ?? 1) - 1;
			if (left > 0) this.#active.set(component, left);
			else this.#active.delete(component);
			if (this.#active.size === 0) this.#stop();
		});
	}

	[Symbol.dispose](): void {
		this.#active.clear();
		this.#stop();
	}

	#wait(): void {
		this.#waiting ??= this.#clock.after(this.isStill ? limits.stillMs : limits.spinnerMs, () => {
			this.#waiting = undefined;
			this.#frame++;
			for (const component of this.#active.keys()) this.#screen.requestComponentRender(component);
			if (this.#active.size > 0) this.#wait();
		});
	}

	#stop(): void {
		this.#waiting?.[Symbol.dispose]();
		this.#waiting = undefined;
	}
}
