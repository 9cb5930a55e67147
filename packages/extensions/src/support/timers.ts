/** The timers that extensions have asked for: they end with the session, and hold no program open. */
import { limits } from "./limits.ts";

export class Timers {
	/** The references are weak, because an extension clears its timers without notice. */
	readonly #open = new Set<WeakRef<NodeJS.Timeout>>();
	#isOver = false;

	once(ms: number, act: () => void): NodeJS.Timeout {
		return this.#keep(setTimeout(act, ms));
	}

	every(ms: number, act: () => void): NodeJS.Timeout {
		return this.#keep(setInterval(act, ms));
	}

	dispose(): void {
		this.#isOver = true;
		// Bun ends both kinds with the one call, as Node does.
		for (const timer of this.#open) clearTimeout(timer.deref());
		this.#open.clear();
	}

	#keep(timer: NodeJS.Timeout): NodeJS.Timeout {
		timer.unref();
		if (this.#isOver) clearTimeout(timer);
		else this.#open.add(new WeakRef(timer));
		if (this.#open.size % limits.timersBetweenLooks === 0)
			for (const each of this.#open) if (!each.deref()) this.#open.delete(each);
		return timer;
	}
}
