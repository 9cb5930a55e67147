/** The credentials of this user: which one a request gets, and how its outcome changes it. */
import { existsSync } from "node:fs";

import { onDispose, registerSecret, type Env } from "@tau/utils";

import { joinKey } from "../auth/code-assist/key.ts";
import { providerOf } from "../providers/table.ts";
import type { BorrowedVault } from "./broker/borrowed-vault.ts";
import type { BrokerAccess } from "./broker/access.ts";
import { choose, judge } from "./judge.ts";
import type { OAuthFlow } from "./oauth/flow.ts";
import type { LoginInteraction } from "./oauth/interaction.ts";
import { loginOwn, type LoginRenewal, type OwnLogin } from "./own-login.ts";
import type { Quota } from "./quota.ts";
import type { Trades } from "./trade.ts";
import {
	CredentialError,
	type CredentialSummary,
	type CredentialVault,
	type NewCredential,
	type Outcome,
	type ResolvedCredential,
	type ResolveOptions,
	type StoredCredential,
	type TokenKeeper,
} from "./types.ts";

interface Parts {
	vault: CredentialVault;
	renewals: TokenKeeper;
}

export interface CredentialStoreOptions {
	/** Opened when it exists or something is to be stored; until then it costs nothing. */
	path: string;
	env: Env;
	/** Receives messages for the user: the file was damaged or cannot be used. */
	onNotice(message: string): void;
	/** Credentials are borrowed from there; the file has only what belongs to this machine. */
	broker?: BrokerAccess | undefined;
	flows?: readonly OAuthFlow[];
	now?(): number;
}

type SentKey = Pick<ResolvedCredential, "apiKey" | "baseUrl" | "headers">;

/** `stopped`: by the signal, not by an error. */
export type LoginOutcome =
	{ ok: true; credential: CredentialSummary } | { ok: false; stopped: boolean; message: string };

export class CredentialStore implements Disposable {
	readonly #options: CredentialStoreOptions;
	#parts: Parts | undefined;
	#borrowed: BorrowedVault | undefined;
	#trades: Trades | undefined;
	/** Providers that have a credential which is not refused. */
	#known: ReadonlySet<string> = new Set();
	/** The refused ones at the last check. */
	#refused: ReadonlySet<string> | undefined;
	readonly #refusals = new Set<(credential: CredentialSummary) => void>();
	/** Custom logins by provider, with the revision that they were last notified of. */
	readonly #own = new Map<string, { login: OwnLogin; reported?: string }>();

	readonly #renewals = new Map<string, LoginRenewal>();

	private constructor(options: CredentialStoreOptions) {
		this.#options = options;
	}

	/**
	 * An unusable file causes a notice, and contains nothing. Throws a `CredentialError` only if there is a broker, and
	 * it does not lend: other credentials are not used instead.
	 */
	static async open(options: CredentialStoreOptions): Promise<CredentialStore> {
		const store = new CredentialStore(options);
		if (options.broker) {
			await store.#borrow(options.broker);
			return store;
		}
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

	/** The path of the database. */
	get path(): string {
		return this.#options.path;
	}

	/** The address of the broker that lends the credentials; undefined if they are those of this machine. */
	get lender(): string | undefined {
		return this.#options.broker?.url;
	}

	/** True if a request to this provider would get a credential from here, as far as is known without a request. */
	has(provider: string): boolean {
		return this.#known.has(provider);
	}

	/** Learns what other processes have stored meanwhile; a broker's changes are learned from the broker. */
	async reload(): Promise<void> {
		if (this.#options.broker) return;
		try {
			if (!this.#parts && existsSync(this.#options.path)) await this.#load();
			this.#look();
		} catch {
			// A file that cannot be read is reported by the request that needs it.
		}
	}

	/** The key or token to send; undefined when none is stored. Throws a `CredentialError` when none is available. */
	async getApiKey(provider: string, options: ResolveOptions = {}): Promise<string | undefined> {
		return (await this.resolve(provider, options))?.apiKey;
	}

	/**
	 * Like `getApiKey`, with the details of the credential. A login that cannot be renewed makes way for the next
	 * credential; the last reason is thrown when there is none.
	 */
	async resolve(
		provider: string,
		{ sessionId, signal, isForeign = false }: ResolveOptions = {},
	): Promise<ResolvedCredential | undefined> {
		if (!this.#parts) return undefined;
		const { vault, renewals } = this.#parts;
		await renewals.ready?.(provider, signal);
		const broken = new Set<string>();
		if (isForeign && !this.#own.has(provider))
			for (const { id, kind } of vault.list(provider)) if (kind === "oauth") broken.add(id);
		for (;;) {
			const chosen = this.#choose(provider, sessionId, broken);
			if (!chosen) break;
			try {
				const fresh = await renewals.fresh(chosen.credential, signal);
				const { id, kind } = fresh;
				const sent = isForeign ? { apiKey: fresh.access } : await this.#keyOf(fresh, signal);
				return { credentialId: id, kind, ...sent, resting: chosen.resting };
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
	 * What a request is sent with for a key or the token of a login: that itself, or the token that it is
	 * exchanged for. Throws a `CredentialError` when the exchange fails.
	 */
	async trade(provider: string, key: string, signal?: AbortSignal): Promise<SentKey> {
		if (providerOf(provider)?.ticket?.test(key) !== true) return { apiKey: key };
		registerSecret(key);
		const { env, flows } = this.#options;
		const { Trades: NewTrades } = await import("./trade.ts");
		this.#trades ??= new NewTrades(env, flows);
		const { value, baseUrl, headers } = await this.#trades.get(provider, key, signal);
		return {
			apiKey: value,
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(headers === undefined ? {} : { headers }),
		};
	}

	/**
	 * Reports the outcome of a request with this credential, or with a key from elsewhere; other processes use it
	 * too. Never throws.
	 */
	report(provider: string, credentialId: string | undefined, outcome: Outcome): void {
		const retraded = outcome.kind === "auth" && this.#trades?.forget(provider) === true;
		if (!this.#parts || credentialId === undefined) return;
		const { vault } = this.#parts;
		if (outcome.kind === "ok" && outcome.spent) this.#borrowed?.observe(credentialId, outcome.spent);
		try {
			const now = this.#now();
			const credential = vault.list(provider).find(({ id }) => id === credentialId);
			if (retraded && credential?.strikes === 0) {
				// The token may have been revoked early: the key is blamed only when a new one is refused too.
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

	/** All stored credentials, without the secrets. */
	list(): CredentialSummary[] {
		return (this.#parts?.vault.list() ?? []).map(summaryOf);
	}

	/** Stores a credential; `only` replaces all others of its kind. Throws a `CredentialError` when it cannot. */
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

	/** The providers that have a login, with their labels. */
	async logins(): Promise<{ provider: string; label: string }[]> {
		const { oauthFlows } = await import("./oauth/index.ts");
		const own = [...this.#own.values()].map(({ login }) => login);
		const flows = (this.#options.flows ?? oauthFlows).filter(({ provider }) => !this.#own.has(provider));
		return [...own, ...flows].map(({ provider, label }) => ({ provider, label }));
	}

	/** Adds a custom login until it is disposed; it overrides the flow of the same provider. */
	offer(login: OwnLogin): Disposable {
		const { provider } = login;
		const offered = { login };
		this.#own.set(provider, offered);
		this.#notifyOwnLogins();
		return onDispose(() => {
			if (this.#own.get(provider) === offered) this.#own.delete(provider);
		});
	}

	/** Renews the tokens of a login that is not made by this store, until it is disposed; no list offers it. */
	renewWith(renewal: LoginRenewal): Disposable {
		const { provider } = renewal;
		this.#renewals.set(provider, renewal);
		return onDispose(() => {
			if (this.#renewals.get(provider) === renewal) this.#renewals.delete(provider);
		});
	}

	/**
	 * The stored login with all of its secrets, renewed if that is due: once, by one of the processes that use it. Throws
	 * a `CredentialError` when it can no longer be renewed.
	 */
	async storedLogin(provider: string, signal?: AbortSignal): Promise<NewCredential | undefined> {
		const login = await this.#storedLogin(provider);
		return login && (await login.renewals.fresh(login.stored, signal));
	}

	/** The same after a server has refused this token: it is renewed, unless another process has done so already. */
	async renewedLogin(
		provider: string,
		refused: string,
		signal?: AbortSignal,
	): Promise<NewCredential | undefined> {
		const login = await this.#storedLogin(provider);
		if (!login) return undefined;
		const { stored, renewals } = login;
		return await (stored.access === refused
			? renewals.renewed(stored, signal)
			: renewals.fresh(stored, signal));
	}

	/** The token of the stored login as it is, even if it has expired: to detect that the login changed. */
	async storedToken(provider: string): Promise<string | undefined> {
		return (await this.#storedLogin(provider))?.stored.access;
	}

	async #storedLogin(
		provider: string,
	): Promise<{ stored: StoredCredential; renewals: TokenKeeper } | undefined> {
		// Another process may have logged in since this one was started.
		const parts = this.#parts ?? (existsSync(this.#options.path) ? await this.#load() : undefined);
		const stored = parts?.vault
			.list(provider)
			.findLast(({ kind, refused }) => kind === "oauth" && refused === undefined);
		return parts && stored && { stored, renewals: parts.renewals };
	}

	/**
	 * The token of one credential, by its id or the name of its provider, renewed if that is due; undefined when there is
	 * none. Throws a `CredentialError` when it can no longer be renewed.
	 */
	async tokenOf(reference: string, signal?: AbortSignal): Promise<string | undefined> {
		const parts = this.#parts ?? (existsSync(this.#options.path) ? await this.#load() : undefined);
		const stored = parts?.vault
			.list()
			.findLast(({ id, provider, refused }) => refused === undefined && [id, provider].includes(reference));
		return parts && stored && (await parts.renewals.fresh(stored, signal)).access;
	}

	/**
	 * What is left of a subscription, as its vendor reports it, to the broker where there is one; undefined without a
	 * login. Rejects with the reason if there is no answer.
	 */
	async quota(provider: string, signal: AbortSignal): Promise<Quota | undefined> {
		if (this.#borrowed) return this.#borrowed.quota(provider, signal);
		const token = await this.getApiKey(provider);
		if (token === undefined) return undefined;
		const { fetchQuota } = await import("./quota.ts");
		return fetchQuota(provider, token, { signal });
	}

	/** Calls the listener for each credential that is refused from now on, here or in another process. */
	onRefused(listener: (credential: CredentialSummary) => void): Disposable {
		this.#refusals.add(listener);
		return onDispose(() => this.#refusals.delete(listener));
	}

	/** Runs the login of a provider and stores its result. Throws a `CredentialError` when that cannot be written. */
	async login(provider: string, interaction: LoginInteraction, signal: AbortSignal): Promise<LoginOutcome> {
		const own = this.#own.get(provider)?.login;
		if (own) return this.#loginOwn(own, interaction, signal);
		const { findFlow, login } = await import("./oauth/index.ts");
		const flow = findFlow(provider, this.#options.env, this.#options.flows);
		if (!flow) return { ok: false, stopped: false, message: `There is no login for ${provider}.` };
		// Checked before the user goes to a browser for a login that cannot be stored.
		(this.#parts ?? (await this.#load())).vault.checkWritable(provider);
		const result = await login(flow, interaction, signal);
		if (result.ok) return { ok: true, credential: await this.add(provider, result.credential) };
		return { ok: false, stopped: result.problem === "aborted", message: result.message };
	}

	/** Deletes all credentials of a provider, or the one with this token; returns how many there were. */
	remove(provider: string, access?: string): number {
		const count = this.#parts?.vault.remove(provider, access) ?? 0;
		this.#look();
		return count;
	}

	[Symbol.dispose](): void {
		this.#parts?.vault[Symbol.dispose]();
		this.#parts = undefined;
		this.#borrowed = undefined;
		this.#known = new Set();
	}

	async #loginOwn(own: OwnLogin, interaction: LoginInteraction, signal: AbortSignal): Promise<LoginOutcome> {
		(this.#parts ?? (await this.#load())).vault.checkWritable(own.provider);
		const result = await loginOwn(own, interaction, signal);
		if (!result.ok) return result;
		// The login does not name its account: a new login replaces it.
		const only = result.credential.account === undefined;
		return { ok: true, credential: await this.add(own.provider, result.credential, { only }) };
	}

	async #keyOf(credential: StoredCredential, signal?: AbortSignal): Promise<SentKey> {
		const { provider, kind, access, baseUrl, project } = credential;
		const sent = await this.trade(provider, access, signal);
		if (kind === "api_key") return sent;
		const apiKey = project === undefined ? sent.apiKey : joinKey(sent.apiKey, project);
		return { ...(baseUrl === undefined ? {} : { baseUrl }), ...sent, apiKey };
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
		// Most requests come from a session that keeps its credential, or there is no choice: nothing has to be
		// written.
		if (!chosen || chosen.resting || chosen.credential.id === bound || all.length === 1) return chosen;
		const used = vault.take(provider, session, now, (rows) => pick(rows, bound)?.credential);
		return used && { credential: used, resting: false };
	}

	/** SQLite and the logins are loaded only for users with credentials. */
	async #load(): Promise<Parts> {
		this.#parts = await this.#local();
		return this.#parts;
	}

	async #borrow(access: BrokerAccess): Promise<void> {
		const { path, env, onNotice } = this.#options;
		const [{ BorrowedVault: Borrowed }, { BrokerClient }] = await Promise.all([
			import("./broker/borrowed-vault.ts"),
			import("./broker/client.ts"),
		]);
		const { vault, renewals: keeper } = await this.#local();
		this.#borrowed = await Borrowed.open({
			access,
			client: new BrokerClient(access, env),
			local: { vault, keeper, exists: () => existsSync(path) },
			now: () => this.#now(),
			onChange: () => this.#look(),
			onNotice,
		});
		this.#parts = { vault: this.#borrowed, renewals: this.#borrowed };
		this.#look();
	}

	async #local(): Promise<Parts> {
		const { path, env, flows, onNotice } = this.#options;
		const [{ Vault: OpenVault }, { Renewals: OpenRenewals }] = await Promise.all([
			import("./vault.ts"),
			import("./renewal.ts"),
		]);
		const vault = new OpenVault(path, onNotice);
		const own = (provider: string): LoginRenewal | undefined =>
			this.#own.get(provider)?.login ?? this.#renewals.get(provider);
		const renewals = new OpenRenewals({
			vault,
			env,
			now: () => this.#now(),
			own,
			...(flows ? { flows } : {}),
		});
		return { vault, renewals };
	}

	#look(): void {
		const rows = this.#parts?.vault.list() ?? [];
		this.#known = new Set(
			rows.filter(({ refused }) => refused === undefined).map(({ provider }) => provider),
		);
		this.#notifyOwnLogins(rows);
		this.#notifyRefused(rows);
	}

	#notifyRefused(rows: readonly StoredCredential[]): void {
		const before = this.#refused;
		const refused = rows.filter((row) => row.refused !== undefined);
		this.#refused = new Set(refused.map(({ id }) => id));
		// Refusals from before the first listener are not reported.
		for (const row of refused)
			if (before && !before.has(row.id)) for (const listener of this.#refusals) listener(summaryOf(row));
	}

	/** A custom login may offer other models with a credential than without. */
	#notifyOwnLogins(rows: readonly StoredCredential[] = this.#parts?.vault.list() ?? []): void {
		for (const [provider, own] of this.#own) {
			const usable = rows.find(
				(row) => row.provider === provider && row.kind === "oauth" && row.refused === undefined,
			);
			const revision = usable && `${usable.id} ${usable.revision}`;
			if (revision === own.reported) continue;
			if (revision === undefined) delete own.reported;
			else own.reported = revision;
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
