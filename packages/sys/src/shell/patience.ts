/** Waits for a process that was asked for something, by what it could have done rather than by the clock. */
import { limits } from "../limits.ts";
import { readActivity } from "../process/index.ts";

export class Patience {
	readonly #pid: number;
	readonly #deadline = performance.now() + limits.interruptMs;
	#looks = 0;
	#ticks = 0;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/** Waits a moment; false when the process has had its chance, and will not do it. */
	async lasts(): Promise<boolean> {
		await Bun.sleep(limits.killPollMs);
		const now = readActivity(this.#pid);
		// Forty other programs may stand before it: that it has not answered yet says nothing then.
		const hadNoChance = now?.isHeldUp === true && now.ticks === this.#ticks;
		this.#ticks = now?.ticks ?? 0;
		if (!hadNoChance) this.#looks++;
		return this.#looks < limits.interruptLooks && performance.now() < this.#deadline;
	}
}
