/** Keys and accounts that several nodes share, in a Redis or Valkey. */
import { RedisClient } from "bun";
import { abortable, withTimeout } from "@tau/utils";

import {
	amountNames,
	LedgerAway,
	noAmounts,
	type Amounts,
	type KeyRow,
	type Ledger,
	type Period,
} from "./ledger.ts";
import { limits } from "./limits.ts";

const prefix = "tau:gateway";
const keysHash = `${prefix}:keys`;

/** Every wait is bounded: a gateway without its Redis refuses instead of hanging, and lets nothing through uncounted. */
export class RedisLedger implements Ledger {
	readonly #redis: RedisClient;
	/** The first connection: it, and every later one, is tried for until it succeeds. */
	readonly #opening: Promise<void>;

	constructor(url: string) {
		this.#redis = new RedisClient(url, {
			connectionTimeout: limits.redisMs,
			// The client would give up after ten attempts, for good.
			maxRetries: 2 ** 31 - 1,
			// What is asked for meanwhile is refused, and would pile up without an end.
			enableOfflineQueue: false,
		});
		this.#opening = this.#redis.connect();
		// Closed before that.
		this.#opening.catch(() => {});
	}

	async put(row: KeyRow): Promise<void> {
		await this.#ask("HSET", keysHash, row.id, JSON.stringify(row));
	}

	async row(id: string): Promise<KeyRow | undefined> {
		const text = await this.#ask("HGET", keysHash, id);
		return typeof text === "string" ? (JSON.parse(text) as KeyRow) : undefined;
	}

	async rows(): Promise<KeyRow[]> {
		const texts = await this.#ask("HVALS", keysHash);
		return Array.isArray(texts) ? texts.map((text) => JSON.parse(String(text)) as KeyRow) : [];
	}

	async add(id: string, periods: readonly Period[], amounts: Partial<Amounts>): Promise<Amounts[]> {
		// Sent together and in order: the client writes commands of one turn in one packet.
		const added = Promise.all(
			periods.flatMap(({ name, keptSeconds }) => {
				const account = accountOf(id, name);
				const sums = amountNames.flatMap((field) => {
					const amount = amounts[field] ?? 0;
					if (amount === 0) return [];
					const command = field === "cost" ? "HINCRBYFLOAT" : "HINCRBY";
					return [this.#ask(command, account, field, String(amount))];
				});
				return [...sums, this.#ask("EXPIRE", account, String(keptSeconds))];
			}),
		);
		const [amountsThen] = await Promise.all([this.read(id, periods), added]);
		return amountsThen;
	}

	async read(id: string, periods: readonly Period[]): Promise<Amounts[]> {
		return await Promise.all(
			periods.map(async ({ name }) => {
				const values = await this.#ask("HMGET", accountOf(id, name), ...amountNames);
				const amounts = noAmounts();
				if (Array.isArray(values))
					for (const [at, field] of amountNames.entries()) amounts[field] = Number(values[at] ?? 0);
				return amounts;
			}),
		);
	}

	async rest(fingerprint: string, ms: number): Promise<void> {
		await this.#ask("SET", `${prefix}:rest:${fingerprint}`, "1", "PX", String(Math.max(1, Math.ceil(ms))));
	}

	async restsFor(fingerprint: string): Promise<number> {
		return Math.max(0, Number(await this.#ask("PTTL", `${prefix}:rest:${fingerprint}`)));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#redis.close();
	}

	async #ask(command: string, ...args: string[]): Promise<unknown> {
		using deadline = withTimeout(undefined, limits.redisMs, `Redis did not answer ${command}`);
		if (!this.#redis.connected) await this.#opened(deadline.signal);
		return await abortable(this.#redis.send(command, args) as Promise<unknown>, deadline.signal);
	}

	async #opened(signal: AbortSignal): Promise<void> {
		await abortable(this.#opening, signal).catch((error: unknown) => {
			throw new LedgerAway("Redis cannot be reached", { cause: error });
		});
		if (!this.#redis.connected) throw new LedgerAway("Redis is away");
	}
}

function accountOf(id: string, period: string): string {
	return `${prefix}:use:${id}:${period}`;
}
