/** Where keys and their accounts are kept: one node has a file, several share a Redis. */

/** What a key may do. Amounts are US dollars. */
export interface KeyRow {
	id: string;
	/** SHA-256 of the key; the key itself is shown once and never stored. */
	hash: string;
	name: string;
	/** Patterns of `provider/id`; empty: all. */
	models: string[];
	budgetPerDay?: number;
	budgetPerMonth?: number;
	requestsPerMinute?: number;
	tokensPerMinute?: number;
	createdAt: number;
	expiresAt?: number;
	revokedAt?: number;
}

/** What a key used in a period. */
export interface Amounts {
	requests: number;
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	cost: number;
}

export const amountNames = [
	"requests",
	"input",
	"output",
	"cacheRead",
	"cacheWrite",
	"cost",
] as const satisfies (keyof Amounts)[];

export function noAmounts(): Amounts {
	return { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
}

/** A span of time of an account, and how long the account is kept. */
export interface Period {
	name: string;
	keptSeconds: number;
}

/** The ledger cannot be reached now, and has done nothing of what it was asked for. */
export class LedgerAway extends Error {}

export interface Ledger extends AsyncDisposable {
	put(row: KeyRow): Promise<void>;
	row(id: string): Promise<KeyRow | undefined>;
	rows(): Promise<KeyRow[]>;
	/** Adds to each of the periods, at once for all nodes; what they have then, in their order. */
	add(id: string, periods: readonly Period[], amounts: Partial<Amounts>): Promise<Amounts[]>;
	/** In the order of the periods. */
	read(id: string, periods: readonly Period[]): Promise<Amounts[]>;
	/** A credential of a provider rests on all nodes. */
	rest(fingerprint: string, ms: number): Promise<void>;
	/** How long it still rests; 0 if it does not. */
	restsFor(fingerprint: string): Promise<number>;
}
