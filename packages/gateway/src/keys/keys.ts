/** Keys that the gateway gives out: what each may use, and what it has used. */
import { randomBytes, timingSafeEqual } from "node:crypto";

import { failure, type Failure, type Usage } from "@tau/ai";
import { errorText, log, shortId } from "@tau/utils";

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

/** What a new key may do. */
export type KeyRights = Omit<KeyRow, "id" | "hash" | "createdAt" | "revokedAt">;

/** A key without its hash, with what it used this day and this month. */
export interface KeySummary extends Omit<KeyRow, "hash"> {
	today: Amounts;
	thisMonth: Amounts;
}

/** The account of requests with the gateway's own token. */
export const ownerId = "owner";

/** What a request may use at most; its price may not be known. */
export interface MostUse {
	cost: number | undefined;
	tokens: number;
}

/** A request that was let in, and what it may use at most as long as it runs. */
export interface Admission {
	id: string;
	held?: Held;
}

interface Held {
	period: Period;
	amounts: Pick<Amounts, "cost" | "output">;
}

/** `sk-tau-<id>-<secret>`: the id finds the row, the secret is compared. */
const form = /^sk-tau-([a-z0-9]+)-[\w-]{43}$/;

export class Keys implements AsyncDisposable {
	readonly #ledger: Ledger;
	readonly #now: () => number;
	/** What was used and is not written yet: by the holder of the token, and by keys whose ledger was away. */
	readonly #waiting = new Map<string, Amounts>();
	#timer: NodeJS.Timeout | undefined;

	constructor(ledger: Ledger, now: () => number = Date.now) {
		this.#ledger = ledger;
		this.#now = now;
	}

	/** The key is in the answer and nowhere else. */
	async create(rights: KeyRights): Promise<{ key: string; row: KeyRow }> {
		const rows = await this.#ledger.rows();
		if (rows.length >= limits.keys)
			throw new Error(`The gateway has ${limits.keys} keys, which is its limit.`);
		const id = shortId();
		const key = `sk-tau-${id}-${randomBytes(32).toString("base64url")}`;
		const row: KeyRow = { ...rights, id, hash: digest(key).toHex(), createdAt: this.#now() };
		await this.#ledger.put(row);
		return { key, row };
	}

	/** False if there is no such key. */
	async revoke(id: string): Promise<boolean> {
		const row = await this.#ledger.row(id);
		if (!row) return false;
		await this.#ledger.put({ ...row, revokedAt: row.revokedAt ?? this.#now() });
		return true;
	}

	async list(): Promise<KeySummary[]> {
		const rows = await this.#ledger.rows();
		const summaries = rows
			.toSorted((a, b) => a.createdAt - b.createdAt)
			.map(async ({ hash: _, ...row }) => ({ ...row, ...(await this.usage(row.id)) }));
		return await Promise.all(summaries);
	}

	async usage(id: string): Promise<{ today: Amounts; thisMonth: Amounts }> {
		if (this.#waiting.has(id)) await this.#write();
		const { day, month } = periodsAt(this.#now());
		const [today = noAmounts(), thisMonth = noAmounts()] = await this.#ledger.read(id, [day, month]);
		return { today, thisMonth };
	}

	/** The row of a key that is known, or why it no longer opens anything. */
	async find(key: string | undefined): Promise<KeyRow | Failure | undefined> {
		const id = key === undefined ? undefined : form.exec(key)?.[1];
		if (key === undefined || id === undefined) return undefined;
		const row = await this.#ledger.row(id);
		if (!row || !timingSafeEqual(digest(key), Uint8Array.fromHex(row.hash))) return undefined;
		if (row.revokedAt !== undefined) return refused(401, "The key was revoked");
		if (row.expiresAt !== undefined && row.expiresAt <= this.#now())
			return refused(401, "The key has expired");
		return row;
	}

	/** Counts a request, and says why it may not be sent, if so. A refused request counts, too: it was one. */
	async admit(row: KeyRow, model: string, most: MostUse): Promise<Failure | Admission> {
		const now = this.#now();
		const { id, requestsPerMinute, tokensPerMinute, budgetPerDay, budgetPerMonth } = row;
		if (!mayUse(row, model)) return refused(403, `The key may not use ${model}`);
		const hasBudget = budgetPerDay !== undefined || budgetPerMonth !== undefined;
		if (hasBudget && most.cost === undefined)
			return refused(403, `The key has a budget, and the price of ${model} is not known`);
		const { minute, day, month } = periodsAt(now);
		// Before the accounts are read: a request that ends in between counts twice for a moment, and never not at all.
		const isBound = hasBudget || tokensPerMinute !== undefined;
		const { held, running } = isBound ? await this.#hold(id, most) : nothingHeld;
		const [inMinute, inDay, inMonth] = await this.#ledger.add(id, [minute, day, month], { requests: 1 });
		const checks: Check[] = [
			// This request is counted already.
			[(inMinute?.requests ?? 0) - 1, requestsPerMinute, "requests per minute", minute, 0],
			[tokensOf(inMinute), tokensPerMinute, "tokens per minute", minute, running.output],
			[inDay?.cost ?? 0, budgetPerDay, "dollars per day", day, running.cost],
			[inMonth?.cost ?? 0, budgetPerMonth, "dollars per month", month, running.cost],
		];
		const over = checks.find(([used, limit]) => limit !== undefined && used >= limit);
		const isHeld = checks.some(
			([used, limit, , , others]) => limit !== undefined && others > 0 && used + others >= limit,
		);
		if (!over && !isHeld) return { id, ...(held ? { held } : {}) };
		if (held) await this.#release(id, held);
		if (!over)
			return exhausted("Requests of the key that run may use the rest of its limit", limits.heldRetryMs);
		const [, limit, what, period] = over;
		return exhausted(`The key has used its ${limit} ${what}`, endOf(period, now) - now);
	}

	/** Adds what a request used. */
	async charge({ id, held }: Admission, usage: Usage): Promise<void> {
		const { input, output, cacheRead, cacheWrite, cost } = usage;
		const amounts = { requests: 0, input, output, cacheRead, cacheWrite, cost: cost.total };
		if (id === ownerId) return this.#collect(id, { ...amounts, requests: 1 });
		const { minute, day, month } = periodsAt(this.#now());
		try {
			await this.#ledger.add(id, [minute, day, month], amounts);
		} catch (error) {
			// Nothing else is tried again: it may have been counted.
			if (error instanceof LedgerAway) this.#collect(id, amounts);
			throw error;
		}
		if (held) await this.#release(id, held);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#write();
		clearTimeout(this.#timer);
	}

	/** Many requests at once must not pass a limit together: each holds what it may use until it has ended. */
	async #hold(id: string, most: MostUse): Promise<{ held: Held; running: Held["amounts"] }> {
		const { span, lastSpan } = periodsAt(this.#now());
		const amounts = { cost: most.cost ?? 0, output: Math.ceil(most.tokens) };
		const [[current], [last]] = await Promise.all([
			this.#ledger.add(id, [span], amounts),
			this.#ledger.read(id, [lastSpan]),
		]);
		const others = (name: keyof Held["amounts"]): number =>
			(current?.[name] ?? 0) - amounts[name] + (last?.[name] ?? 0);
		// Sums of fractions are off by less than this.
		const cost = others("cost") < 1e-9 ? 0 : others("cost");
		return { held: { period: span, amounts }, running: { cost, output: others("output") } };
	}

	async #release(id: string, { period, amounts }: Held): Promise<void> {
		await this.#ledger.add(id, [period], { cost: -amounts.cost, output: -amounts.output });
	}

	#collect(id: string, amounts: Amounts): void {
		const sums = this.#waiting.getOrInsertComputed(id, noAmounts);
		for (const name of amountNames) sums[name] += amounts[name];
		this.#timer ??= setTimeout(() => void this.#write(), limits.waitingMs);
	}

	/** What waits for a ledger that is away waits on. */
	async #write(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		const { day, month } = periodsAt(this.#now());
		const writing = waiting.map(async ([id, amounts]) => {
			try {
				await this.#ledger.add(id, [day, month], amounts);
			} catch (error) {
				if (error instanceof LedgerAway) this.#collect(id, amounts);
				else log.error("gateway: usage was not counted", { key: id, reason: errorText(error) });
			}
		});
		await Promise.all(writing);
	}
}

/** What was used, its limit, in words, the period, and what requests that run may still use of it. */
type Check = [used: number, limit: number | undefined, what: string, period: Period, others: number];

const nothingHeld = { held: undefined, running: { cost: 0, output: 0 } };

function refused(status: number, message: string): Failure {
	return failure("auth", message, { status });
}

function exhausted(message: string, retryAfterMs: number): Failure {
	return failure("rate_limit", message, { status: 429, retryAfterMs });
}

/** Whether the patterns of a key allow `provider/id`. */
export function mayUse({ models }: KeyRow, model: string): boolean {
	return models.length === 0 || models.some((pattern) => matches(pattern, model));
}

/** `*` stands for any characters. A pattern without a provider is for the models of all. */
function matches(pattern: string, model: string): boolean {
	const name = pattern.includes("/") ? model : model.slice(model.indexOf("/") + 1);
	const [start = "", ...parts] = pattern.split("*");
	if (!name.startsWith(start)) return false;
	if (parts.length === 0) return name === start;
	let at = start.length;
	for (const part of parts.slice(0, -1)) {
		const found = name.indexOf(part, at);
		if (found < 0) return false;
		at = found + part.length;
	}
	const end = parts.at(-1) ?? "";
	return name.length - end.length >= at && name.endsWith(end);
}

function tokensOf(amounts: Amounts | undefined): number {
	const { input, output, cacheRead, cacheWrite } = amounts ?? noAmounts();
	return input + output + cacheRead + cacheWrite;
}

type PeriodName = "minute" | "span" | "lastSpan" | "day" | "month";

/** Days and months are those of UTC, so that all nodes agree on them. */
function periodsAt(now: number): Record<PeriodName, Period> {
	const iso = new Date(now).toISOString();
	const spanAt = (time: number): Period => ({
		name: `held ${Math.floor(time / limits.heldMs)}`,
		keptSeconds: (3 * limits.heldMs) / 1000,
	});
	return {
		minute: { name: iso.slice(0, 16), keptSeconds: limits.minuteSeconds },
		span: spanAt(now),
		lastSpan: spanAt(now - limits.heldMs),
		day: { name: iso.slice(0, 10), keptSeconds: limits.daySeconds },
		month: { name: iso.slice(0, 7), keptSeconds: limits.monthSeconds },
	};
}

function endOf({ name }: Period, now: number): number {
	if (name.length === 16) return Date.parse(`${name}Z`) + 60_000;
	if (name.length === 10) return Date.parse(name) + 86_400_000;
	const date = new Date(now);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function digest(text: string): Uint8Array {
	return new Bun.CryptoHasher("sha256").update(text).digest();
}
