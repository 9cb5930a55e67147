/** Caches tokens in memory until shortly before their end; concurrent requests share one exchange. */
import { abortable } from "@tau/utils";

/** The bounds of tokens that are kept in memory, each with its reason. */
const limits = {
	/** A token that is about to expire would expire during the request. */
	refreshBeforeMs: 60_000,
	/** Accounts that one process uses at the same time. */
	tokens: 16,
} as const;

export interface Token<Value = string> {
	value: Value;
	/** Milliseconds since the epoch. */
	expiresAt: number;
}

interface Pending<Outcome> {
	outcome: Promise<Outcome>;
	waiting: number;
	stop: AbortController;
}

/** `Other` is a result of an exchange that is not a token, and that is not cached. */
export class TokenCache<T extends Token<unknown>, Other = never> {
	readonly #tokens = new Map<string, T>();
	readonly #pending = new Map<string, Pending<T | Other>>();

	/** Rejects when the signal aborts; the exchange continues as long as any caller waits for it. */
	async get(
		identity: string,
		signal: AbortSignal | undefined,
		fetchToken: (signal: AbortSignal) => Promise<T | Other>,
	): Promise<T | Other> {
		const cached = this.#tokens.get(identity);
		if (cached && cached.expiresAt - Date.now() > limits.refreshBeforeMs) return cached;
		const pending = this.#pending.get(identity) ?? this.#start(identity, fetchToken);
		pending.waiting++;
		try {
			return await abortable(pending.outcome, signal);
		} finally {
			if (--pending.waiting === 0) pending.stop.abort();
		}
	}

	#start(identity: string, fetchToken: (signal: AbortSignal) => Promise<T | Other>): Pending<T | Other> {
		const stop = new AbortController();
		const forget = () => {
			if (this.#pending.get(identity) === pending) this.#pending.delete(identity);
		};
		// A new caller after the last one has gone must not wait for an exchange that is being aborted.
		stop.signal.addEventListener("abort", forget, { once: true });
		const outcome = fetchToken(stop.signal).then((result) => {
			if (isToken<T>(result)) this.#keep(identity, result);
			return result;
		});
		const pending: Pending<T | Other> = { outcome, waiting: 0, stop };
		this.#pending.set(identity, pending);
		return pending;
	}

	#keep(identity: string, token: T): void {
		this.#tokens.delete(identity);
		this.#tokens.set(identity, token);
		for (const oldest of this.#tokens.keys()) {
			if (this.#tokens.size <= limits.tokens) break;
			this.#tokens.delete(oldest);
		}
	}
}

function isToken<T extends Token<unknown>>(result: unknown): result is T {
	return typeof result === "object" && result !== null && "value" in result;
}
