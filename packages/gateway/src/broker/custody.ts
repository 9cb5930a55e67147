/** The credentials that a broker keeps: what it lends, who changes them, and who hears of changes. */
import {
	fingerprint,
	Renewals,
	staysLocal,
	toEntry,
	Vault,
	wireId,
	type DisabledEntry,
	type OAuthFlow,
	type Snapshot,
	type SnapshotEntry,
	type StoredCredential,
	type WireEntry,
} from "@tau/ai/broker";
import type { NewCredential } from "@tau/ai";
import { onDispose, type Env } from "@tau/utils";

import { limits } from "./limits.ts";

export interface CustodyParts {
	/** The database of credentials. */
	path: string;
	env: Env;
	now(): number;
	onNotice(message: string): void;
	flows?: readonly OAuthFlow[];
}

export type Change = { kind: "entry"; entry: SnapshotEntry } | { kind: "removed"; id: number };

type Listener = (changes: readonly Change[], generation: number) => void;

export class Custody implements Disposable {
	readonly #parts: CustodyParts;
	readonly #vault: Vault;
	readonly #renewals: Renewals;
	readonly #listeners = new Set<Listener>();
	/** Renewals that run. */
	readonly #running = new Set<Promise<unknown>>();
	/** When tokens were renewed, by credential. */
	readonly #renewedAt = new Map<string, number>();
	/** What was last lent: the text of each entry without the times that pass by themselves. */
	#lent = new Map<number, string>();
	/** Greater than any of an earlier process, so that no client takes another content for known. */
	#generation: number;
	#poll: NodeJS.Timeout | undefined;

	constructor(parts: CustodyParts) {
		this.#parts = parts;
		this.#vault = new Vault(parts.path, parts.onNotice);
		const { env, now, flows } = parts;
		this.#renewals = new Renewals({ vault: this.#vault, env, now, ...(flows ? { flows } : {}) });
		this.#generation = now() * 1000 + Math.floor(Math.random() * 1000);
		this.#lent = new Map(this.#entries().map((entry) => [entry.id, contentOf(entry)]));
	}

	get generation(): number {
		this.look();
		return this.#generation;
	}

	/** `nextSweepInMs`: until tokens are renewed again. */
	snapshot(nextSweepInMs: number): Snapshot {
		this.look();
		const now = this.#parts.now();
		return {
			generation: this.#generation,
			generatedAt: now,
			serverNowMs: now,
			refresher: schedule(nextSweepInMs),
			credentials: this.#entries(),
		};
	}

	disabled(provider?: string): DisabledEntry[] {
		return this.#rows()
			.filter((row) => row.refused !== undefined && (provider === undefined || row.provider === provider))
			.map(({ id, provider: of, kind, account, refused = "" }) => ({
				id: wireId(id),
				provider: of,
				type: kind,
				...(account === undefined ? {} : { email: account }),
				cause: refused,
			}));
	}

	/** The logins whose tokens can be renewed. */
	logins(): StoredCredential[] {
		return this.#usable().filter(({ kind }) => kind === "oauth");
	}

	/** Returns the entries of the provider afterwards. */
	add(provider: string, credential: NewCredential): WireEntry[] {
		this.#vault.add(provider, credential, this.#parts.now());
		this.look();
		return this.#usable()
			.filter((row) => row.provider === provider)
			.map(toEntry);
	}

	/** False if there is no such credential. */
	change(wire: number, next: (current: StoredCredential) => Partial<StoredCredential>): boolean {
		const row = this.#find(wire);
		if (!row) return false;
		this.#vault.change(row.id, next);
		this.look();
		return true;
	}

	/**
	 * The entry with a token that lasts. It is renewed if it is due or was rejected, unless the client has an older one
	 * than the broker. Undefined if there is no such credential; throws a `CredentialError` if it cannot be renewed.
	 */
	async refresh(
		wire: number,
		{ seen, rejected }: { seen: string | undefined; rejected: boolean },
	): Promise<WireEntry | undefined> {
		const row = this.#find(wire);
		if (row?.refused !== undefined || !row) return undefined;
		const isKnown = seen === undefined ? !this.#isSettled(row) : seen === fingerprint(row.access);
		if (row.kind === "api_key" || !isKnown || !(rejected || this.isDue(row))) return toEntry(row);
		return toEntry(await this.renew(row));
	}

	/** Throws a `CredentialError`; a login that has ended is disabled by then. */
	async renew(row: StoredCredential): Promise<StoredCredential> {
		const renewal = this.#renewals.renewed(row);
		this.#running.add(renewal);
		try {
			const fresh = await renewal;
			this.#renewedAt.set(row.id, this.#parts.now());
			return fresh;
		} finally {
			this.#running.delete(renewal);
			this.look();
		}
	}

	isDue({ expiresAt, refresh }: StoredCredential): boolean {
		return (
			refresh !== undefined && expiresAt !== undefined && expiresAt - this.#parts.now() < limits.renewEarlyMs
		);
	}

	get isFull(): boolean {
		return this.#listeners.size >= limits.listeners;
	}

	/** To be asked for before: whether it is full. */
	listen(listener: Listener): Disposable {
		this.#listeners.add(listener);
		this.#poll ??= setInterval(() => this.look(), limits.pollMs);
		return onDispose(() => {
			this.#listeners.delete(listener);
			if (this.#listeners.size > 0) return;
			clearInterval(this.#poll);
			this.#poll = undefined;
		});
	}

	/** Finds what this process or another has changed, and reports it to all that listen. */
	look(): void {
		const entries = this.#entries();
		const next = new Map(entries.map((entry) => [entry.id, contentOf(entry)]));
		const changes: Change[] = [
			...entries.flatMap((entry) =>
				this.#lent.get(entry.id) === next.get(entry.id) ? [] : [{ kind: "entry" as const, entry }],
			),
			...[...this.#lent.keys()].flatMap((id) => (next.has(id) ? [] : [{ kind: "removed" as const, id }])),
		];
		if (changes.length === 0) return;
		this.#lent = next;
		this.#generation++;
		for (const listener of this.#listeners) listener(changes, this.#generation);
	}

	/** Waits for the renewals that run: a refresh token that was used has to be replaced. */
	async settle(): Promise<void> {
		await Promise.allSettled(this.#running);
	}

	[Symbol.dispose](): void {
		clearInterval(this.#poll);
		this.#vault[Symbol.dispose]();
	}

	#rows(): StoredCredential[] {
		return this.#vault.list().filter(({ provider }) => !staysLocal(provider));
	}

	#usable(): StoredCredential[] {
		return this.#rows().filter(({ refused }) => refused === undefined);
	}

	#find(wire: number): StoredCredential | undefined {
		return this.#rows().find(({ id }) => wireId(id) === wire);
	}

	#entries(): SnapshotEntry[] {
		const now = this.#parts.now();
		return this.#usable().map((row) => {
			const { provider, kind, refresh, expiresAt, restsUntil } = row;
			const renews = kind === "oauth" && refresh !== undefined && expiresAt !== undefined;
			const block = { providerKey: `${provider}:${kind}`, blockScope: "", blockedUntilMs: restsUntil };
			return {
				...toEntry(row),
				rotatesInMs: renews ? Math.max(0, expiresAt - now - limits.renewEarlyMs) : null,
				...(restsUntil > now ? { blocks: [block] } : {}),
			};
		});
	}

	#isSettled({ id }: StoredCredential): boolean {
		const at = this.#renewedAt.get(id);
		return at !== undefined && Math.abs(this.#parts.now() - at) < limits.settledMs;
	}
}

export function schedule(nextSweepInMs: number): Snapshot["refresher"] {
	return { enabled: true, intervalMs: limits.sweepMs, skewMs: limits.renewEarlyMs, nextSweepInMs };
}

function contentOf({ rotatesInMs: _, ...entry }: SnapshotEntry): string {
	return JSON.stringify(entry);
}
