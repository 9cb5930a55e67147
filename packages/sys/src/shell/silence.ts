/** Decides when to stop reading an output whose command has ended. */
import { limits } from "../limits.ts";

export class Silence {
	#ticks = 0;

	/** Must be called for every chunk. */
	reset(): void {
		this.#ticks = 0;
	}

	/** Waits for the end of the output, but not for a background child that holds it open. */
	async orEnd(end: Promise<unknown>): Promise<void> {
		const silent = Promise.withResolvers<void>();
		let ticks = 0;
		this.#ticks = 0;
		// Silence is counted in ticks, not in time: no output arrives while the event loop is busy.
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
