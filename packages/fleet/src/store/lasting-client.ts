/** A connection to Redis that comes back, however long Redis was away. */
import { RedisClient } from "bun";

import { log } from "@tau/utils";

import { limits } from "../limits.ts";

/** Bun's client gives up after ten attempts, in some 30 seconds, and fails every command from then on. */
export class LastingClient implements Disposable {
	readonly redis: RedisClient;
	#retrying: Timer | undefined;
	#isDisposed = false;

	/** `onConnect` is called each time that it is connected. */
	constructor(url: string, onConnect: () => void = () => {}) {
		this.redis = new RedisClient(url);
		// Bun's client has one listener of each kind, and is no event target.
		Object.assign(this.redis, { onconnect: onConnect, onclose: () => this.#retry() });
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		clearTimeout(this.#retrying);
		this.redis.close();
	}

	#retry(): void {
		clearTimeout(this.#retrying);
		if (this.#isDisposed) return;
		this.#retrying = setTimeout(() => {
			this.redis.connect().catch((error: unknown) => {
				log.debug("the store of tasks is still away", { reason: String(error) });
				this.#retry();
			});
		}, limits.reconnectMs);
	}
}
