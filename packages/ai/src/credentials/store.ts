/** The credentials of this user: which one a request gets, and what becomes of it afterwards. */
import { existsSync } from "node:fs";

import { onDispose, registerSecret, type Env } from "@tau/utils";

import { joinKey } from "../auth/code-assist/key.ts";
import { providerOf } from "../providers/table.ts";
import { choose } from "./choose.ts";
import { judge } from "./judge.ts";
import type { OAuthFlow } from "./oauth/flow.ts";
import type { LoginInteraction } from "./oauth/interaction.ts";
import { loginOwn, type OwnLogin } from "./own-login.ts";
import type { Renewals } from "./renewal.ts";
import type { Trades } from "./trade.ts";
import {
	CredentialError,
	type CredentialSummary,
	type NewCredential,
	type Outcome,
	type ResolvedCredential,
	type ResolveOptions,
	type StoredCredential,
} from "./types.ts";
import type { Vault } from "./vault.ts";

export interface CredentialStoreOptions {
	/** Opened when it exists or something is to be kept in it; until then it costs nothing. */
	path: string;
	env: Env;
	/** Told what a person has to know: a file that was damaged or cannot be used. */
	onNotice(message: string): void;
	flows?: readonly OAuthFlow[];
	now?(): number;
}

type SentKey = Pick<ResolvedCredential, "apiKey" | "baseUrl">;

/** `stopped`: by the signal, not by anything that went wrong. */
export type LoginOutcome =
	{ ok: true; credential: CredentialSummary } | { ok: false; stopped: boolean; message: string };

export class CredentialStore implements Disposable {
	readonly #options: CredentialStoreOptions;
	#parts: { vault: Vault; renewals: Renewals } | undefined;
	#trades: Trades | undefined;
	/** Providers that have a credential which is not refused. */
	#known: ReadonlySet<string> = new Set();
	/** Those that were refused when somebody looked last. */
	#refused: ReadonlySet<string> | undefined;
	readonly #refusals = new Set<(credential: CredentialSummary) => void>();
	/** Logins that somebody else brings, by provider, with the revision of what they were told of. */
	readonly #own = new Map<string, { login: OwnLogin; told?: string }>();

	private constructor(options: CredentialStoreOptions) {
		this.#options = options;
	}

	/** Never throws: a file that cannot be used is a notice, and holds nothing. */
	static async open(options: CredentialStoreOptions): Promise<CredentialStore> {
		const store = new CredentialStore(options);
		if (!existsSync(options.path)) return store;
		try {
			await store.#load();
			store.#look();
		} catch (error) {
			store[Symbol.dispose]();
			options.onNotice(`Stored credentials are not used: ${messageOf(error)}`);
		}
		return store;
	}

	/** Where they are kept. */
	get path(): string {
		return this.#options.path;
	}

	/** Whether a request to this provider would get a credential from here, as far as can be told without asking. */
	has(provider: string): boolean {
		return this.#known.has(provider);
	}

	/** The key or token to send; undefined when none is stored. Throws a `CredentialError` when none can be had. */
	async getApiKey(provider: string, options: ResolveOptions = {}): Promise<string | undefined> {
		return (await this.resolve(provider, options))?.apiKey;
	}

	/**
	 * Like `getApiKey`, with all that belongs to it. A login that cannot be renewed makes way for the next credential;
	 * the last reason is thrown when there is none.
	 */
	async resolve(
		provider: string,
		{ sessionId, signal }: ResolveOptions = {},
	): Promise<ResolvedCredential | undefined> {
		if (!this.#parts) return undefined;
		const { vault, renewals } = this.#parts;
		const broken = new Set<string>();
		for (;;) {
			const chosen = this.#choose(provider, sessionId, broken);
			if (!chosen) break;
			try {
				const fresh = await renewals.fresh(chosen.credential, signal);
				const { id, kind } = fresh;
				return { credentialId: id, kind, ...(await this.#keyOf(fresh, signal)), resting: chosen.resting };
			} catch (error) {
				if (!(error instanceof CredentialError)) throw error;
				broken.add(chosen.credential.id);
				if (error.isFinal) vault.change(chosen.credential.id, () => ({ refused: error.message }));
				if (vault.list(provider).every(({ id, refused }) => broken.has(id) || refused !== undefined))
					throw error;
			} finally {
				this.#look();
			}
		}
		return undefined;
	}

	/**
	 * What a request is sent with for a key of the environment or of a file: the key itself, or what it is a ticket for.
	 * Throws a `CredentialError` when there is nothing for it.
	 */
	async trade(provider: string, key: string, signal?: AbortSignal): Promise<SentKey> {
		if (providerOf(provider)?.ticket?.test(key) !== true) return { apiKey: key };
		registerSecret(key);
		const { env, flows } = this.#options;
		const { Trades: NewTrades } = await import("./trade.ts");
		this.#trades ??= new NewTrades(env, flows);
		const { value, baseUrl } = await this.#trades.get(provider, key, signal);
		return { apiKey: value, ...(baseUrl === undefined ? {} : { baseUrl }) };
	}

	/**
	 * What became of a request with this credential, or with a key that is not from here; other processes act on it
	 * too. Never throws.
	 */
	report(provider: string, credentialId: string | undefined, outcome: Outcome): void {
		const retraded = outcome.kind === "auth" && this.#trades?.forget(provider) === true;
		if (!this.#parts || credentialId === undefined) return;
		const { vault } = this.#parts;
		try {
			const now = this.#now();
			const credential = vault.list(provider).find(({ id }) => id === credentialId);
			if (retraded && credential?.strikes === 0) {
				// The token may have been ended early: the key is blamed when a new one is refused too.
				vault.change(credentialId, () => ({ strikes: 1 }));
				return;
			}
			const change = credential && judge(credential, outcome, now);
			if (!change) return;
			vault.change(credentialId, (current) => judge(current, outcome, now) ?? {});
			this.#look();
		} catch (error) {
			this.#options.onNotice(messageOf(error));
		}
	}

	/** All that is stored, without the secrets. */
	list(): CredentialSummary[] {
		return (this.#parts?.vault.list() ?? []).map(summaryOf);
	}

	/** Keeps a credential; `only`: in the place of all others of its kind. Throws a `CredentialError` when it cannot. */
	async add(
		provider: string,
		credential: NewCredential,
		{ only = false }: { only?: boolean } = {},
	): Promise<CredentialSummary> {
		registerSecret(credential.access);
		if (credential.refresh !== undefined) registerSecret(credential.refresh);
		const { vault } = this.#parts ?? (await this.#load());
		const { id } = vault.add(provider, credential, this.#now(), only);
		this.#look();
		const stored = this.list().find((each) => each.id === id);
		if (!stored) throw new CredentialError(`${this.#options.path} did not store the credential`);
		return stored;
	}

	/** The providers that have a login, with what to call it. */
	async logins(): Promise<{ provider: string; label: string }[]> {
		const { oauthFlows } = await import("./oauth/index.ts");
		const own = [...this.#own.values()].map(({ login }) => login);
		const flows = (this.#options.flows ?? oauthFlows).filter(({ provider }) => !this.#own.has(provider));
		return [...own, ...flows].map(({ provider, label }) => ({ provider, label }));
	}

	/** Adds a login of somebody else's until it is disposed of; it stands above the flow of the same provider. */
	offer(login: OwnLogin): Disposable {
		const { provider } = login;
		const offered = { login };
		this.#own.set(provider, offered);
		this.#tellOwn();
		return onDispose(() => {
			if (this.#own.get(provider) === offered) this.#own.delete(provider);
		});
	}

	/** Told of each credential that is refused from now on, here or in another process. */
	onRefused(listener: (credential: CredentialSummary) => void): Disposable {
		this.#refusals.add(listener);
		return onDispose(() => this.#refusals.delete(listener));
	}

	/** Runs the login of a provider and keeps what it gives. Throws a `CredentialError` when that cannot be written. */
	async login(provider: string, interaction: LoginInteraction, signal: AbortSignal): Promise<LoginOutcome> {
		const own = this.#own.get(provider)?.login;
		if (own) return this.#loginOwn(own, interaction, signal);
		const { findFlow, login } = await import("./oauth/index.ts");
		const flow = findFlow(provider, this.#options.env, this.#options.flows);
		if (!flow) return { ok: false, stopped: false, message: `There is no login for ${provider}.` };
		// Before anybody goes to a browser for something that cannot be kept.
		(this.#parts ?? (await this.#load())).vault.list(provider);
		const result = await login(flow, interaction, signal);
		if (result.ok) return { ok: true, credential: await this.add(provider, result.credential) };
		return { ok: false, stopped: result.problem === "aborted", message: result.message };
	}

	/** Forgets all credentials of a provider; how many there were. */
	remove(provider: string): number {
		const count = this.#parts?.vault.remove(provider) ?? 0;
		this.#look();
		return count;
	}

	[Symbol.dispose](): void {
		this.#parts?.vault[Symbol.dispose]();
		this.#parts = undefined;
		this.#known = new Set();
	}

	async #loginOwn(own: OwnLogin, interaction: LoginInteraction, signal: AbortSignal): Promise<LoginOutcome> {
		(this.#parts ?? (await this.#load())).vault.list(own.provider);
		const result = await loginOwn(own, interaction, signal);
		if (!result.ok) return result;
		// It does not say whose it is: who logs in again means this one.
		const only = result.credential.account === undefined;
		return { ok: true, credential: await this.add(own.provider, result.credential, { only }) };
	}

	async #keyOf(credential: StoredCredential, signal?: AbortSignal): Promise<SentKey> {
		const { provider, kind, access, baseUrl, project } = credential;
		if (kind === "api_key") return this.trade(provider, access, signal);
		const apiKey = project === undefined ? access : joinKey(access, project);
		return { apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) };
	}

	#choose(
		provider: string,
		session: string | undefined,
		broken: ReadonlySet<string>,
	): ReturnType<typeof choose> {
		const vault = this.#parts?.vault;
		if (!vault) return undefined;
		const now = this.#now();
		const pick = (all: readonly StoredCredential[], bound: string | undefined): ReturnType<typeof choose> =>
			choose(
				all.filter(({ id }) => !broken.has(id)),
				bound,
				now,
			);
		const bound = session === undefined ? undefined : vault.bound(session, provider);
		const all = vault.list(provider);
		const chosen = pick(all, bound);
		// Most requests come from a session that stays where it is, or there is no choice: nothing is to be written.
		if (!chosen || chosen.resting || chosen.credential.id === bound || all.length === 1) return chosen;
		const taken = vault.take(provider, session, now, (rows) => pick(rows, bound)?.credential);
		return taken && { credential: taken, resting: false };
	}

	/** SQLite and the logins are loaded by those who have credentials. */
	async #load(): Promise<{ vault: Vault; renewals: Renewals }> {
		const { path, env, flows, onNotice } = this.#options;
		const [{ Vault: OpenVault }, { Renewals: OpenRenewals }] = await Promise.all([
			import("./vault.ts"),
			import("./renewal.ts"),
		]);
		const vault = new OpenVault(path, onNotice);
		const own = (provider: string): OwnLogin | undefined => this.#own.get(provider)?.login;
		const renewals = new OpenRenewals({
			vault,
			env,
			now: () => this.#now(),
			own,
			...(flows ? { flows } : {}),
		});
		this.#parts = { vault, renewals };
		return this.#parts;
	}

	#look(): void {
		const rows = this.#parts?.vault.list() ?? [];
		this.#known = new Set(
			rows.filter(({ refused }) => refused === undefined).map(({ provider }) => provider),
		);
		this.#tellOwn(rows);
		this.#tellRefused(rows);
	}

	#tellRefused(rows: readonly StoredCredential[]): void {
		const before = this.#refused;
		const refused = rows.filter((row) => row.refused !== undefined);
		this.#refused = new Set(refused.map(({ id }) => id));
		// What was refused before anybody listened is no news.
		for (const row of refused)
			if (before && !before.has(row.id)) for (const listener of this.#refusals) listener(summaryOf(row));
	}

	/** Who brings a login may show other models with it than without. */
	#tellOwn(rows: readonly StoredCredential[] = this.#parts?.vault.list() ?? []): void {
		for (const [provider, own] of this.#own) {
			const usable = rows.find(
				(row) => row.provider === provider && row.kind === "oauth" && row.refused === undefined,
			);
			const told = usable && `${usable.id} ${usable.revision}`;
			if (told === own.told) continue;
			if (told === undefined) delete own.told;
			else own.told = told;
			own.login.onStored?.(usable?.refresh);
		}
	}

	#now(): number {
		return this.#options.now?.() ?? Date.now();
	}
}

function summaryOf({
	access: _,
	refresh,
	revision: __,
	strikes: ___,
	...rest
}: StoredCredential): CredentialSummary {
	return { ...rest, renewable: refresh !== undefined };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
