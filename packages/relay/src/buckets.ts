/** Counts what addresses and members use, and says when it is too much. */
import type { Allowance } from "./limits.ts";
import { limits } from "./limits.ts";

/** Fills up again at a constant rate, so that a burst is allowed and a flood is not. */
export class Bucket {
	readonly #allowance: Allowance;
	#left: number;
	#at = Date.now();

	constructor(allowance: Allowance) {
		this.#allowance = allowance;
		this.#left = allowance.amount;
	}

	/** False if there is not enough left; nothing is taken then. */
	take(amount = 1): boolean {
		this.#fill();
		if (amount > this.#left) return false;
		this.#left -= amount;
		return true;
	}

	get isFull(): boolean {
		this.#fill();
		return this.#left === this.#allowance.amount;
	}

	/** How long to wait until half of it is there again; 0 while more than a quarter is left. */
	get pauseMs(): number {
		const { amount, perMs } = this.#allowance;
		if (this.#left > amount / 4) return 0;
		return Math.ceil(((amount / 2 - this.#left) / amount) * perMs);
	}

	#fill(): void {
		const { amount, perMs } = this.#allowance;
		const now = Date.now();
		// A clock that is set back must not take away what was left.
		this.#left = Math.min(amount, this.#left + (Math.max(0, now - this.#at) / perMs) * amount);
		this.#at = now;
	}
}

/** One bucket for each address; the least recently seen ones are forgotten beyond a bound. */
export class AddressBuckets {
	readonly #allowance: Allowance;
	readonly #buckets = new Map<string, Bucket>();

	constructor(allowance: Allowance) {
		this.#allowance = allowance;
	}

	take(address: string): boolean {
		const key = networkOf(address);
		const bucket = this.#buckets.get(key) ?? new Bucket(this.#allowance);
		this.#buckets.delete(key);
		this.#buckets.set(key, bucket);
		const taken = bucket.take();
		// A bucket that is full again says no more than none.
		for (const [oldest, each] of this.#buckets) {
			if (this.#buckets.size <= limits.addresses && !each.isFull) break;
			this.#buckets.delete(oldest);
		}
		return taken;
	}
}

/** Somebody with IPv6 has a network of 2^64 addresses, so the network counts. */
function networkOf(address: string): string {
	if (!address.includes(":")) return address;
	const [head = "", tail] = address.split("::");
	const groups = head.split(":");
	if (tail !== undefined) {
		const rest = tail === "" ? [] : tail.split(":");
		while (groups.length + rest.length < 8) groups.push("0");
	}
	return `${groups.slice(0, 4).join(":")}::/64`;
}
