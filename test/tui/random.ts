/** Pseudorandom numbers from a seed. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 (inclusive) to 1 (exclusive). */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	}

	/** From `low` to `high`, both inclusive. */
	between(low: number, high: number): number {
		return low + Math.floor(this.next() * (high - low + 1));
	}

	chance(share: number): boolean {
		return this.next() < share;
	}

	pick<T>(from: readonly T[]): T {
		const found = from[this.between(0, from.length - 1)];
		if (found === undefined) throw new Error("nothing to pick from");
		return found;
	}
}
