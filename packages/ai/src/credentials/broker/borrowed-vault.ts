/** Credentials that a broker lends: a snapshot in memory, checked with the broker while requests are made. */
import { homedir, hostname } from "node:os";

import { abortable, isTimeout, log, withTimeout } from "@tau/utils";

import { list as items, object, type Json } from "../../json.ts";
import type { Quota } from "../quota.ts";
import { isDue } from "../renewal.ts";
import {
	CredentialError,
	type CredentialVault,
	type NewCredential,
	type Spent,
	type StoredCredential,
	type TokenKeeper,
} from "../types.ts";
import type { BrokerAccess } from "./access.ts";
import { readCache, writeCache } from "./cache.ts";
import { BrokerError, type BrokerClient } from "./client.ts";
import { brokerLimits } from "./limits.ts";
import { fingerprint, readDisabled, readEntry, readReports, readSnapshot, type Lent } from "./wire.ts";

export interface BorrowedParts {
	access: BrokerAccess;
	client: BrokerClient;
	/** The file of this machine: only for what belongs to this machine, such as the logins of its MCP servers. */
	local: { vault: CredentialVault; keeper: TokenKeeper; exists(): boolean };
	now(): number;
	/** Called when the rows have changed by themselves. */
	onChange(): void;
	/** Receives messages for the user. */
	onNotice(message: string): void;
}

/** The answers that the rows come from. */
interface Answers {
	snapshot: Json;
	disabled: Json;
	skewMs: number;
}

/** Logins and secrets of MCP servers: they belong to the configuration of one machine. */
export function staysLocal(provider: string): boolean {
	return /^mcp(?:-input)?:/.test(provider);
}

export class BorrowedVault implements CredentialVault, TokenKeeper {
	readonly #parts: BorrowedParts;
	readonly #stop = new AbortController();
	/** By id. */
	#rows = new Map<string, StoredCredential>();
	#answers: Answers | undefined;
	#lent: Lent | undefined;
	#checkedAt = 0;
	#checking: Promise<void> | undefined;
	/** Counts renewals: a snapshot that was requested before one is older than its token. */
	#renewals = 0;
	readonly #renewing = new Map<string, Promise<StoredCredential>>();
	/** The broker's no: it holds until it says yes. */
	#denied: BrokerError | undefined;
	/** By session and provider. */
	readonly #bindings = new Map<string, string>();
	#saving: Promise<void> = Promise.resolve();
	/** Names this machine and user to the broker. */
	#installId: string | undefined;
	#usage: { at: number; quotas: Promise<Map<string, Quota>> } | undefined;

	private constructor(parts: BorrowedParts) {
		this.#parts = parts;
	}

	/** Throws a `BrokerError` if there is nothing to start with, or the broker does not accept the token. */
	static async open(parts: BorrowedParts): Promise<BorrowedVault> {
		const vault = new BorrowedVault(parts);
		try {
			await vault.#start();
			return vault;
		} catch (error) {
			vault[Symbol.dispose]();
			throw error;
		}
	}

	async #start(): Promise<void> {
		const { access, now } = this.#parts;
		const cached = access.ttlMs > 0 ? await readCache(access) : undefined;
		if (cached) this.#take(cached);
		if (this.#isStale(now())) {
			await this.#check();
			return this.#saving;
		}
		using deadline = withTimeout(undefined, brokerLimits.revalidateMs, "the auth broker is slow");
		await abortable(this.#checkQuietly(), deadline.signal).catch((error: unknown) => {
			if (!isTimeout(error)) throw error;
		});
		if (this.#denied) throw this.#denied;
	}

	list(provider?: string): StoredCredential[] {
		const { vault, exists } = this.#parts.local;
		const rows = [...this.#rows.values()].filter(
			(row) => provider === undefined || row.provider === provider,
		);
		if ((provider !== undefined && !staysLocal(provider)) || !exists()) return rows;
		return [...rows, ...vault.list(provider).filter((row) => staysLocal(row.provider))];
	}

	checkWritable(provider: string): void {
		if (!staysLocal(provider)) throw this.#readOnly("login", provider);
		this.#parts.local.vault.checkWritable(provider);
	}

	add(provider: string, credential: NewCredential, now: number, only?: boolean): StoredCredential {
		this.checkWritable(provider);
		return this.#parts.local.vault.add(provider, credential, now, only);
	}

	remove(provider: string, access?: string | null): number {
		if (!staysLocal(provider)) throw this.#readOnly("logout", provider);
		return this.#parts.local.vault.remove(provider, access);
	}

	bound(session: string, provider: string): string | undefined {
		return this.#bindings.get(`${session} ${provider}`);
	}

	take(
		provider: string,
		session: string | undefined,
		now: number,
		pick: (all: StoredCredential[]) => StoredCredential | undefined,
	): StoredCredential | undefined {
		if (staysLocal(provider)) return this.#parts.local.vault.take(provider, session, now, pick);
		const all = this.list(provider);
		const chosen = pick(all);
		if (!chosen) return undefined;
		chosen.lastUsedAt = Math.max(now, ...all.map(({ lastUsedAt }) => lastUsedAt + 1));
		if (session === undefined) return chosen;
		const key = `${session} ${provider}`;
		this.#bindings.delete(key);
		this.#bindings.set(key, chosen.id);
		const [oldest] = this.#bindings.keys();
		if (this.#bindings.size > brokerLimits.bindings && oldest !== undefined) this.#bindings.delete(oldest);
		return chosen;
	}

	/** Tells the broker what other clients should know: that a credential rests, is free again, or is refused. */
	change(id: string, next: (current: StoredCredential) => Partial<StoredCredential>): void {
		const row = this.#rows.get(id);
		if (!row) return this.#parts.local.vault.change(id, next);
		const changed = { ...row, ...next(row) };
		this.#rows.set(id, changed);
		const skewMs = this.#answers?.skewMs ?? 0;
		if (changed.refused !== undefined && changed.refused !== row.refused)
			this.#report(`/v1/credential/${id}/disable`, "POST", { cause: changed.refused });
		else if (changed.restsUntil > row.restsUntil)
			this.#report(`/v1/credential/${id}/block`, "POST", {
				providerKey: `${row.provider}:${row.kind}`,
				blockScope: "",
				blockedUntilMs: changed.restsUntil + skewMs,
			});
		else if (changed.restsUntil === 0 && row.restsUntil > 0)
			this.#report(`/v1/credential/${id}/blocks`, "DELETE");
	}

	async ready(provider: string, signal?: AbortSignal): Promise<void> {
		if (staysLocal(provider)) return;
		const { now } = this.#parts;
		const isOld = this.#isStale(now());
		if (this.#denied || isOld) await abortable(this.#check(), signal);
		else if (now() - this.#checkedAt > brokerLimits.recheckMs || now() < this.#checkedAt) {
			const checking = this.#checkQuietly();
			// It may have been added just now.
			if (this.list(provider).every(({ refused }) => refused !== undefined))
				await abortable(checking, signal);
		}
		if (this.#denied) throw this.#denied;
	}

	async fresh(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential> {
		if (staysLocal(credential.provider)) return this.#parts.local.keeper.fresh(credential, signal);
		if (!isDue(credential, this.#parts.now())) return credential;
		return abortable(this.#renew(credential, false), signal);
	}

	async renewed(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential> {
		if (staysLocal(credential.provider)) return this.#parts.local.keeper.renewed(credential, signal);
		return abortable(this.#renew(credential, true), signal);
	}

	/** What is left of the subscriptions, as the broker knows it; one request for all that ask at the same time. */
	async quota(provider: string, signal?: AbortSignal): Promise<Quota | undefined> {
		const now = this.#parts.now();
		if (!this.#usage || now - this.#usage.at > brokerLimits.usageMs || now < this.#usage.at) {
			const quotas = this.#parts.client
				.ask("/v1/usage", { timeoutMs: brokerLimits.refreshMs, signal: this.#stop.signal })
				.then((answer) => readReports(answer ?? {}));
			const asked = { at: now, quotas };
			this.#usage = asked;
			quotas.catch(() => {
				if (this.#usage === asked) this.#usage = undefined;
			});
		}
		return (await abortable(this.#usage.quotas, signal)).get(provider);
	}

	/** Tells the broker what a request with one of its credentials has used. */
	observe(id: string, { model, usage }: Spent): void {
		const row = this.#rows.get(id);
		if (!row) return;
		const { now } = this.#parts;
		this.#report("/v1/usage/observed", "POST", {
			installId: (this.#installId ??= fingerprint(`${hostname()} ${homedir()}`).slice(0, 32)),
			hostname: hostname(),
			app: "tau",
			entries: [
				{
					at: now() + (this.#answers?.skewMs ?? 0),
					provider: row.provider,
					model,
					requests: 1,
					inputTokens: usage.input,
					outputTokens: usage.output,
					cacheReadTokens: usage.cacheRead,
					cacheWriteTokens: usage.cacheWrite,
					costUsd: usage.cost.total,
				},
			],
		});
	}

	[Symbol.dispose](): void {
		this.#stop.abort();
		this.#parts.local.vault[Symbol.dispose]();
	}

	/** One renewal at a time; the broker sees to it that all of its clients cause one. */
	#renew(credential: StoredCredential, isRejected: boolean): Promise<StoredCredential> {
		const { id } = credential;
		const running = this.#renewing.get(id);
		if (running) return running;
		const renewing = this.#askForRenewal(credential, isRejected).finally(() => this.#renewing.delete(id));
		this.#renewing.set(id, renewing);
		return renewing;
	}

	async #askForRenewal(credential: StoredCredential, isRejected: boolean): Promise<StoredCredential> {
		const { id, access, strikes } = credential;
		// A strike without a rest: the provider has refused the token before its time.
		const body = { seen: fingerprint(access), rejected: isRejected || strikes > 0 };
		try {
			const answer = await this.#parts.client.ask(`/v1/credential/${id}/refresh`, {
				method: "POST",
				body,
				timeoutMs: brokerLimits.refreshMs,
				signal: this.#stop.signal,
			});
			const row = readEntry(answer?.entry);
			if (row?.id !== id) throw new BrokerError("invalid", "The auth broker sent another credential.");
			this.#renewals++;
			this.#replaceEntry(object(answer?.entry));
			return this.#rows.get(id) ?? row;
		} catch (error) {
			if (error instanceof BrokerError) {
				if (error.problem === "denied") this.#deny(error);
				// The broker may be back before the token ends.
				else if (error.problem === "unreachable" && !body.rejected && isValid(credential, this.#parts.now()))
					return credential;
			}
			throw error;
		}
	}

	/** The new token is also in the file: the next start need not ask for it again. */
	#replaceEntry(entry: Json): void {
		const answers = this.#answers;
		if (!answers) return;
		const credentials = items(answers.snapshot.credentials).map((each) =>
			object(each).id === entry.id ? { ...object(each), ...entry } : each,
		);
		this.#take({ ...answers, snapshot: { ...answers.snapshot, credentials } });
		this.#save();
	}

	/** Throws a `BrokerError`. */
	#check(): Promise<void> {
		this.#checking ??= this.#askForSnapshot().finally(() => (this.#checking = undefined));
		return this.#checking;
	}

	/** Like `#check`, when there is a snapshot to go on with: only a no of the broker counts. */
	async #checkQuietly(): Promise<void> {
		try {
			await this.#check();
		} catch (error) {
			if (!(error instanceof BrokerError)) {
				if (!this.#stop.signal.aborted) throw error;
			} else if (error.problem !== "denied")
				log.warn("the auth broker was not asked", { problem: error.problem });
		}
	}

	async #askForSnapshot(): Promise<void> {
		const { client, now } = this.#parts;
		const before = this.#renewals;
		const request = { timeoutMs: brokerLimits.fetchMs, signal: this.#stop.signal };
		try {
			const known = this.#denied ? undefined : this.#lent?.generation;
			const [snapshot, disabled] = await Promise.all([
				client.ask("/v1/snapshot", { ...request, known }),
				client.ask("/v1/credentials/disabled", request),
			]);
			this.#denied = undefined;
			if (before !== this.#renewals) return;
			this.#receive(snapshot ?? this.#answers?.snapshot, disabled ?? {}, snapshot !== undefined);
			this.#checkedAt = now();
		} catch (error) {
			// Without an answer the next request asks again, but not each one.
			this.#checkedAt = now();
			if (error instanceof BrokerError && error.problem === "denied") this.#deny(error);
			throw error;
		}
	}

	#receive(snapshot: Json | undefined, disabled: Json, isNew: boolean): void {
		const { now } = this.#parts;
		if (!snapshot) throw new BrokerError("invalid", "The auth broker sent no snapshot.");
		const serverNow = snapshot.serverNowMs;
		const skewMs = isNew && typeof serverNow === "number" ? serverNow - now() : (this.#answers?.skewMs ?? 0);
		// Unchanged is as good as new: it may be used for as long again.
		const current = isNew ? snapshot : { ...snapshot, generatedAt: now() + skewMs };
		if (!this.#take({ snapshot: current, disabled, skewMs }))
			throw new BrokerError("invalid", `What answers at ${this.#parts.access.url} is not an auth broker.`);
		this.#save();
		this.#parts.onChange();
	}

	/** The broker's no is not masked by what is cached: nothing of it is used any more. */
	#deny(error: BrokerError): void {
		this.#denied = error;
		this.#rows.clear();
		this.#parts.onNotice(error.message);
		this.#parts.onChange();
	}

	/** Returns whether the answers contain a snapshot. What this process knows of a token that is the same stays. */
	#take(answers: Answers): boolean {
		const lent = readSnapshot(answers.snapshot);
		if (!lent) return false;
		const { skewMs } = answers;
		const rows = new Map<string, StoredCredential>();
		for (const row of [...readDisabled(answers.disabled), ...lent.rows]) {
			const before = this.#rows.get(row.id);
			const local = inLocalTime(row, skewMs);
			const isSame = before?.access === row.access;
			rows.set(row.id, {
				...local,
				lastUsedAt: before?.lastUsedAt ?? 0,
				strikes: before?.strikes ?? 0,
				revision: (before?.revision ?? 0) + (isSame ? 0 : 1),
				...(isSame && before ? sameToken(before, local) : {}),
			});
		}
		this.#rows = rows;
		this.#answers = answers;
		this.#lent = lent;
		return true;
	}

	/** A clock that was set back must not make a snapshot last longer. */
	#isStale(now: number): boolean {
		if (!this.#lent || !this.#answers) return true;
		const age = Math.abs(now + this.#answers.skewMs - this.#lent.generatedAt);
		return age > (this.#parts.access.ttlMs || brokerLimits.snapshotTtlMs);
	}

	/** One after the other, so that the last one stays. */
	#save(): void {
		const { access } = this.#parts;
		const answers = this.#answers;
		if (access.ttlMs > 0 && answers) this.#saving = this.#saving.then(() => writeCache(access, answers));
	}

	/** Sent also when this process is about to end; the time limit ends it. */
	#report(path: string, method: "POST" | "DELETE", body?: unknown): void {
		this.#parts.client
			.ask(path, { method, body, timeoutMs: brokerLimits.reportMs })
			.catch((error: unknown) => {
				log.warn("the auth broker was not told the outcome of a request", { reason: String(error) });
			});
	}

	#readOnly(command: "login" | "logout", provider: string): CredentialError {
		const { url } = this.#parts.access;
		return new CredentialError(
			`Credentials are kept by the auth broker ${url}. Run tau auth-broker ${command} ${provider} on its host.`,
		);
	}
}

/** Outcomes of requests that the broker may not know yet. */
function sameToken(before: StoredCredential, now: StoredCredential): Partial<StoredCredential> {
	const refused = now.refused ?? before.refused;
	const expiresAt = Math.min(before.expiresAt ?? Infinity, now.expiresAt ?? Infinity);
	return {
		restsUntil: Math.max(before.restsUntil, now.restsUntil),
		...(expiresAt === Infinity ? {} : { expiresAt }),
		...(refused === undefined ? {} : { refused }),
	};
}

function isValid({ expiresAt = Infinity }: StoredCredential, now: number): boolean {
	return expiresAt > now;
}

function inLocalTime(row: StoredCredential, skewMs: number): StoredCredential {
	const { expiresAt, restsUntil } = row;
	return {
		...row,
		...(expiresAt === undefined ? {} : { expiresAt: expiresAt - skewMs }),
		restsUntil: restsUntil === 0 ? 0 : restsUntil - skewMs,
	};
}
