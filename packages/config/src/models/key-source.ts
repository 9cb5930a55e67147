/** Gives every request its credential: `--api-key`, else a stored one, else the environment or `models.yml`. */
import { providerOf, type CredentialStore, type Model, type Outcome } from "@tau/ai";

import type { ModelRegistry, RequestCredentials } from "./model-registry.ts";

export interface KeySourceParts {
	store: CredentialStore;
	registry: Pick<ModelRegistry, "apiKey" | "credentials" | "config" | "row">;
	sessionId: string;
	/** The provider that `--api-key` is for. */
	overridden?: string;
	/** Called when a stored credential is skipped. */
	onNotice(message: string): void;
}

/** A key, with the address and the headers that go with it. */
type Sent = Awaited<ReturnType<CredentialStore["trade"]>>;

export class KeySource {
	readonly #parts: KeySourceParts;
	/** The stored credential of the latest request to a provider. */
	readonly #used = new Map<string, { id: string; isLogin: boolean }>();
	readonly #noticed = new Set<string>();

	constructor(parts: KeySourceParts) {
		this.#parts = parts;
	}

	/**
	 * Throws a `CredentialError` if a login cannot be renewed or a key cannot be exchanged: another credential might
	 * cost money that the user has not agreed to.
	 */
	async for(model: Model): Promise<RequestCredentials & { baseUrl?: string }> {
		const { store, registry, sessionId, overridden } = this.#parts;
		const { provider } = model;
		this.#used.delete(provider);
		const keyless = registry.config(provider)?.auth === "none";
		const isForeign = providerOf(provider) !== undefined && registry.row(provider) === undefined;
		const stored =
			keyless || provider === overridden
				? undefined
				: await store.resolve(provider, { sessionId, isForeign });
		if (stored) {
			this.#used.set(provider, { id: stored.credentialId, isLogin: stored.kind === "oauth" });
			return this.#access(model, stored);
		}
		if (!keyless && provider !== overridden) this.#noticePassed(provider);
		const key = registry.apiKey(provider);
		const sent = key === undefined || isForeign ? undefined : await store.trade(provider, key);
		// The header of a key may depend on the variable that it comes from.
		return sent && sent.apiKey !== key ? this.#access(model, sent) : registry.credentials(model);
	}

	report(provider: string, outcome: Outcome): void {
		this.#parts.store.report(provider, this.#used.get(provider)?.id, outcome);
	}

	/** Whether a login of the user paid for the latest request, and not a key: what it cost is an estimate. */
	isSubscription(provider: string): boolean {
		return this.#used.get(provider)?.isLogin === true;
	}

	#access(model: Model, sent: Sent): RequestCredentials & { baseUrl?: string } {
		const known = this.#parts.registry.credentials(model, sent.apiKey);
		const access = { ...known, headers: { ...sent.headers, ...known.headers } };
		// An address that the user chose overrides the account's.
		const moved = model.baseUrl !== this.#parts.registry.row(model.provider)?.baseUrl;
		return sent.baseUrl === undefined || moved ? access : { ...access, baseUrl: sent.baseUrl };
	}

	/** Notifies the user once that a login has ended and the key of the environment pays from now on. */
	#noticePassed(provider: string): void {
		const { store, onNotice } = this.#parts;
		const refused = store.list().find((each) => each.provider === provider && each.refused !== undefined);
		if (!refused || this.#noticed.has(provider)) return;
		this.#noticed.add(provider);
		const what = refused.kind === "oauth" ? "login" : "key";
		onNotice(
			`The stored ${what} for ${provider} was rejected (${refused.refused}). Run tau login ${provider}`,
		);
	}
}
