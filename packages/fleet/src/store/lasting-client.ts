/** A connection to Redis that comes back, however long Redis was away. */
import { RedisClient } from "bun";

import { log } from "@tau/utils";

import { limits } from "../limits.ts";

/** Bun's client gives up after ten attempts, in some 30 seconds, and fails every command from then on. */
export class LastingClient implements Disposable {
	readonly redis: RedisClient;
	#retrying: Timer | undefined;
	#isDisposed = false;

	constructor(url: string) {
		this.redis = new RedisClient(url);
		// Bun's client has one listener of each kind, and is no event target.
		Object.assign(this.redis, { onclose: () => this.#retry() });
	}

	/** From now on the connection is for this alone. Calls `listener` without a message whenever some may have been missed. */
	subscribe(channel: string, listener: (message?: string) => void): void {
		const onFailure = (error: unknown): void =>
			log.warn("the fleet is not watched", { reason: String(error) });
		// With each connection: Redis forgets who has subscribed.
		const onconnect = (): void =>
			void this.redis
				.subscribe(channel, (message) => listener(message))
				.then(() => listener())
				.catch(onFailure);
		Object.assign(this.redis, { onconnect });
		this.redis.connect().catch(onFailure);
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
