/** Keeps tokens in memory until shortly before their end; who asks at the same time waits for one exchange. */
import { abortable } from "@tau/utils";

/** The bounds of tokens that are kept in memory, each with its reason. */
const limits = {
	/** A token that is about to end would end during the request. */
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

/** `Other` is what an exchange may give that is no token, and that is not kept. */
export class TokenCache<T extends Token<unknown>, Other = never> {
	readonly #tokens = new Map<string, T>();
	readonly #pending = new Map<string, Pending<T | Other>>();

	/** Rejects when the signal aborts; the exchange goes on for as long as anybody waits for it. */
	async get(
		identity: string,
		signal: AbortSignal | undefined,
		fetchToken: (signal: AbortSignal) => Promise<T | Other>,
	): Promise<T | Other> {
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

	#start(identity: string, fetchToken: (signal: AbortSignal) => Promise<T | Other>): Pending<T | Other> {
		const stop = new AbortController();
		const forget = () => {
			if (this.#pending.get(identity) === pending) this.#pending.delete(identity);
		};
		// Who comes after the last has gone must not wait for an exchange that is being ended.
		stop.signal.addEventListener("abort", forget, { once: true });
		const outcome = fetchToken(stop.signal).then((given) => {
			if (isToken<T>(given)) this.#keep(identity, given);
			return given;
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

function isToken<T extends Token<unknown>>(given: unknown): given is T {
	return typeof given === "object" && given !== null && "value" in given;
}
