/** pi's AuthStorage: keys and logins by provider, over Tau's store of credentials or over a file of an extension. */
import { basename, dirname, join } from "node:path";

import { CredentialStore, keyFrom, providerOf, type LoginInteraction } from "@tau/ai";
import { dirs, registerSecret, isRecord } from "@tau/utils";
import { noKey } from "@tau/extensions/providers";

import {
	FileAuthStorageBackend,
	InMemoryAuthStorageBackend,
	type AuthStorageBackend,
} from "./auth-backend.ts";
import { ownAgentDir } from "../support/directories.ts";

/** Of Tau's store only the kind is exposed: `getApiKey` returns the key. */
export type AuthCredential =
	| { type: "api_key"; key?: string }
	| { type: "oauth"; access?: string; refresh?: string; expires?: number; [more: string]: unknown };

export type AuthStorageData = Record<string, AuthCredential>;

interface AuthStatus {
	configured: boolean;
	source?: "stored" | "runtime" | "environment" | "fallback";
	label?: string;
}

interface LoginCallbacks {
	onAuth?(info: { url: string; instructions?: string }): void;
	onDeviceCode?(info: { userCode: string; verificationUri: string }): void;
	onProgress?(message: string): void;
	onPrompt?(prompt: { message: string; allowEmpty?: boolean }): Promise<string>;
	onManualCodeInput?(): Promise<string>;
	signal?: AbortSignal;
}

export class AuthStorage implements Disposable {
	readonly #backend: AuthStorageBackend | undefined;
	readonly #opening: Promise<CredentialStore> | undefined;
	readonly #runtime = new Map<string, string>();
	readonly #errors: Error[] = [];
	#store: CredentialStore | undefined;
	#data: AuthStorageData = {};
	#logins: { id: string; name: string }[] = [];
	#fallback: ((provider: string) => string | undefined) | undefined;

	private constructor(backend: AuthStorageBackend | undefined, storePath: string) {
		this.#backend = backend;
		if (!backend) this.#opening = this.#open(storePath);
		this.reload();
	}

	/**
	 * Without a path, and where pi would keep it (`auth.json` in the agent directory): what `tau login` has stored. It is
	 * opened beside; every method that returns a promise waits for it.
	 */
	static create(authPath?: string): AuthStorage {
		const { agent } = dirs();
		const isOwn =
			authPath === undefined ||
			(basename(authPath) === "auth.json" && ownAgentDir(dirname(authPath)) === agent);
		return isOwn ? AuthStorage.in(agent) : AuthStorage.fromStorage(new FileAuthStorageBackend(authPath));
	}

	/** What Tau has stored there. */
	static in(agentDir: string): AuthStorage {
		return new AuthStorage(undefined, join(agentDir, "agent.db"));
	}

	static fromStorage(storage: AuthStorageBackend): AuthStorage {
		return new AuthStorage(storage, "");
	}

	static inMemory(data: AuthStorageData = {}): AuthStorage {
		const backend = new InMemoryAuthStorageBackend();
		backend.withLock(() => ({ result: undefined, next: JSON.stringify(data) }));
		return AuthStorage.fromStorage(backend);
	}

	/** Whether the keys are those that the rest of Tau has too. */
	get isShared(): boolean {
		return this.#backend === undefined;
	}

	/** Resolves when what is stored can be seen. */
	async ready(): Promise<void> {
		await this.#opening;
	}

	/** For this program only. */
	setRuntimeApiKey(provider: string, apiKey: string): void {
		if (apiKey === noKey) return;
		registerSecret(apiKey);
		this.#runtime.set(provider, apiKey);
	}

	removeRuntimeApiKey(provider: string): void {
		this.#runtime.delete(provider);
	}

	/** Asked last. */
	setFallbackResolver(resolver: (provider: string) => string | undefined): void {
		this.#fallback = resolver;
	}

	reload(): void {
		try {
			if (this.#backend) this.#data = this.#backend.withLock((text) => ({ result: read(text) }));
			else this.#look();
		} catch (error) {
			this.#note(error);
		}
	}

	get(provider: string): AuthCredential | undefined {
		return this.#data[provider];
	}

	getAll(): AuthStorageData {
		return { ...this.#data };
	}

	list(): string[] {
		return Object.keys(this.#data);
	}

	has(provider: string): boolean {
		return Object.hasOwn(this.#data, provider);
	}

	set(provider: string, credential: AuthCredential): void {
		this.#data = { ...this.#data, [provider]: credential };
		if (this.#backend) this.#write();
		else void this.#keep(provider, credential);
	}

	remove(provider: string): void {
		const { [provider]: _, ...rest } = this.#data;
		this.#data = rest;
		if (this.#backend) this.#write();
		else void this.#opening?.then((store) => store.remove(provider)).catch((error) => this.#note(error));
	}

	/** What newer programs call instead of `get`, `set` and `remove`. */
	async read(provider: string): Promise<AuthCredential | undefined> {
		await this.ready();
		return this.get(provider);
	}

	/** Returning nothing from `change` leaves it unchanged. */
	async modify(
		provider: string,
		change: (current: AuthCredential | undefined) => Promise<AuthCredential | undefined>,
	): Promise<AuthCredential | undefined> {
		const next = await change(await this.read(provider));
		if (next) this.set(provider, next);
		return next ?? this.get(provider);
	}

	async delete(provider: string): Promise<void> {
		await this.ready();
		this.remove(provider);
	}

	logout(provider: string): void {
		this.remove(provider);
	}

	hasAuth(provider: string): boolean {
		return this.getAuthStatus(provider).configured;
	}

	getAuthStatus(provider: string): AuthStatus {
		if (this.#runtime.has(provider)) return { configured: true, source: "runtime" };
		if (this.has(provider)) return { configured: true, source: "stored" };
		if (environmentKey(provider) !== undefined) return { configured: true, source: "environment" };
		if (this.#fallback?.(provider) !== undefined) return { configured: true, source: "fallback" };
		return { configured: false };
	}

	/** A key that Tau would not find by itself: one of this program, or of a storage that is not Tau's. */
	async ownKey(provider: string): Promise<string | undefined> {
		const own = this.#runtime.get(provider) ?? this.#fallback?.(provider);
		return this.isShared ? own : this.getApiKey(provider);
	}

	/** The runtime key, then the stored one, then the environment, then the fallback resolver. */
	async getApiKey(
		provider: string,
		{ includeFallback = true }: { includeFallback?: boolean } = {},
	): Promise<string | undefined> {
		const runtime = this.#runtime.get(provider);
		if (runtime !== undefined) return runtime;
		const stored = await this.#storedKey(provider);
		return stored ?? environmentKey(provider) ?? (includeFallback ? this.#fallback?.(provider) : undefined);
	}

	async login(provider: string, callbacks: LoginCallbacks): Promise<void> {
		const store = await (this.#opening ?? this.#open(join(dirs().agent, "agent.db")));
		const signal = callbacks.signal ?? new AbortController().signal;
		const outcome = await store.login(provider, interactionOf(callbacks), signal);
		if (!outcome.ok) throw new Error(outcome.message);
		this.#look();
	}

	/** The providers that have a login, once `ready` has resolved. */
	getOAuthProviders(): { id: string; name: string }[] {
		return [...this.#logins];
	}

	drainErrors(): Error[] {
		return this.#errors.splice(0);
	}

	/** Closes Tau's store; what was read of it stays. */
	[Symbol.dispose](): void {
		this.#store?.[Symbol.dispose]();
	}

	async #storedKey(provider: string): Promise<string | undefined> {
		if (this.#opening) return (await this.#opening).getApiKey(provider);
		const credential = this.#data[provider];
		const key = credential?.type === "oauth" ? credential.access : credential?.key;
		if (key !== undefined) registerSecret(key);
		return key;
	}

	async #open(path: string): Promise<CredentialStore> {
		const store = await CredentialStore.open({
			path,
			env: process.env,
			onNotice: (message) => this.#note(new Error(message)),
		});
		this.#store = store;
		this.#look();
		this.#logins = (await store.logins()).map(({ provider, label }) => ({ id: provider, name: label }));
		return store;
	}

	#look(): void {
		if (!this.#store) return;
		this.#data = Object.fromEntries(
			this.#store.list().map(({ provider, kind }) => [provider, { type: kind }]),
		);
	}

	async #keep(provider: string, credential: AuthCredential): Promise<void> {
		try {
			const store = await this.#opening;
			const { type } = credential;
			const access = type === "oauth" ? credential.access : credential.key;
			if (access === undefined) throw new Error(`The credential for ${provider} has no key.`);
			const { refresh, expires } = type === "oauth" ? credential : {};
			store?.remove(provider);
			await store?.add(provider, {
				kind: type,
				access,
				...(refresh === undefined ? {} : { refresh }),
				...(expires === undefined ? {} : { expiresAt: expires }),
			});
		} catch (error) {
			this.#note(error);
		}
	}

	#write(): void {
		try {
			this.#backend?.withLock(() => ({ result: undefined, next: JSON.stringify(this.#data, undefined, 2) }));
		} catch (error) {
			this.#note(error);
		}
	}

	#note(error: unknown): void {
		this.#errors.push(error instanceof Error ? error : new Error(String(error)));
	}
}

function read(text: string | undefined): AuthStorageData {
	const value: unknown = text === undefined || text.trim() === "" ? {} : JSON.parse(text);
	return isRecord(value) ? (value as AuthStorageData) : {};
}

function environmentKey(provider: string): string | undefined {
	const row = providerOf(provider);
	return row && keyFrom(row, process.env)?.value;
}

/** The events of our logins, under pi's names. */
function interactionOf(callbacks: LoginCallbacks): LoginInteraction {
	const { onPrompt, onManualCodeInput } = callbacks;
	const ask = onManualCodeInput ?? (onPrompt && (() => onPrompt({ message: "Code" })));
	return {
		show(step) {
			if (step.kind === "browser") callbacks.onAuth?.({ url: step.url });
			else if (callbacks.onDeviceCode)
				callbacks.onDeviceCode({ userCode: step.code, verificationUri: step.url });
			else callbacks.onAuth?.({ url: step.url, instructions: step.code });
		},
		notice: (message) => callbacks.onProgress?.(message),
		...(ask ? { paste: () => ask.call(callbacks) } : {}),
	};
}
