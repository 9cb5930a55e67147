/** A clock that only the test advances. */
import type { Clock } from "@tau/tui";

export class TestClock implements Clock {
	#now = 0;
	#waiting: { at: number; run: () => void }[] = [];

	now(): number {
		return this.#now;
	}

	after(ms: number, run: () => void): Disposable {
		const entry = { at: this.#now + ms, run };
		this.#waiting.push(entry);
		return {
			[Symbol.dispose]: () => {
				this.#waiting = this.#waiting.filter((other) => other !== entry);
			},
		};
	}

	/** The number of pending timers; an idle program has none. */
	get waiting(): number {
		return this.#waiting.length;
	}

	/** Time that the program itself takes, without returning to the event loop. */
	spend(ms: number): void {
		this.#now += ms;
	}

	/** Advances the clock and runs all timers that are due, including new ones. */
	async pass(ms: number): Promise<void> {
		const end = this.#now + ms;
		for (;;) {
			await settled();
			const next = this.#waiting.toSorted((a, b) => a.at - b.at)[0];
			if (next === undefined || next.at > end) break;
			this.#waiting = this.#waiting.filter((other) => other !== next);
			this.#now = Math.max(this.#now, next.at);
			next.run();
		}
		this.#now = end;
		await settled();
	}
}

/** Runs all queued microtasks, and those that they queue. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}
