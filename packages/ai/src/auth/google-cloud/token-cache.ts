/** Keeps tokens in memory until shortly before their end; who asks at the same time waits for one exchange. */
import { abortable } from "@tau/utils";

import type { Failure } from "../../types.ts";
import type { Token } from "./exchange.ts";
import { limits } from "./limits.ts";

type Outcome = Token | Failure | undefined;

interface Pending {
	outcome: Promise<Outcome>;
	waiting: number;
	stop: AbortController;
}

export class TokenCache {
	readonly #tokens = new Map<string, Token>();
	readonly #pending = new Map<string, Pending>();

	/** Rejects when the signal aborts; the exchange goes on for as long as anybody waits for it. */
	async get(
		identity: string,
		signal: AbortSignal,
		fetchToken: (signal: AbortSignal) => Promise<Outcome>,
	): Promise<Outcome> {
		const known = this.#tokens.get(identity);
		if (known && known.expiresAt - Date.now() > limits.refreshBeforeMs) return known;
		const pending = this.#pending.get(identity) ?? this.#start(identity, fetchToken);
		pending.waiting++;
		try {
			return await abortable(pending.outcome, signal);
		} finally {
			if (--pending.waiting === 0) pending.stop.abort();
		}
	}

	#start(identity: string, fetchToken: (signal: AbortSignal) => Promise<Outcome>): Pending {
		const stop = new AbortController();
		const forget = () => {
			if (this.#pending.get(identity) === pending) this.#pending.delete(identity);
		};
		// Who comes after the last has gone must not wait for an exchange that is being ended.
		stop.signal.addEventListener("abort", forget, { once: true });
		const outcome = fetchToken(stop.signal).then((token) => {
			if (token && "value" in token) this.#keep(identity, token);
			return token;
		});
		const pending: Pending = { outcome, waiting: 0, stop };
		this.#pending.set(identity, pending);
		return pending;
	}

	#keep(identity: string, token: Token): void {
		this.#tokens.delete(identity);
		this.#tokens.set(identity, token);
		for (const oldest of this.#tokens.keys()) {
			if (this.#tokens.size <= limits.tokens) break;
			this.#tokens.delete(oldest);
		}
	}
}
