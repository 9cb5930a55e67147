/** Knows when enough has been heard of an output whose command has ended. */
import { limits } from "../limits.ts";

export class Silence {
	#ticks = 0;

	/** To be called for everything that comes. */
	heard(): void {
		this.#ticks = 0;
	}

	/** Waits for the end of the output; a background child that holds it open does not hold us. */
	async orEnd(end: Promise<unknown>): Promise<void> {
		const silent = Promise.withResolvers<void>();
		let ticks = 0;
		this.#ticks = 0;
		// Silence is counted in ticks, not in time: nothing can be heard while the event loop is busy with other things.
		const ticker = setInterval(() => {
			if (++this.#ticks > limits.drainSilentTicks || ++ticks > limits.drainTicks) silent.resolve();
		}, limits.drainTickMs);
		try {
			await Promise.race([end, silent.promise]);
		} finally {
			clearInterval(ticker);
		}
	}
}
