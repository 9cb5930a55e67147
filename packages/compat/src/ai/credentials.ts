/** The small parts of pi's newer credentials: a store in memory, and keys that come from variables. */
import { defaultProviderAuthContext, type AuthContext } from "@tau/extensions/providers";

interface Credential {
	type: "api_key" | "oauth";
	[key: string]: unknown;
}

export class ModelsError extends Error {
	readonly code: string;

	constructor(code: string, message: string, options?: { cause?: unknown }) {
		super(message, options);
		this.name = "ModelsError";
		this.code = code;
	}
}

/** Writes of one provider wait for each other. */
export class InMemoryCredentialStore {
	readonly #kept = new Map<string, Credential>();
	readonly #turns = new Map<string, Promise<unknown>>();

	async read(provider: string): Promise<Credential | undefined> {
		return this.#kept.get(provider);
	}

	async list(): Promise<{ providerId: string; type: Credential["type"] }[]> {
		return [...this.#kept].map(([providerId, { type }]) => ({ providerId, type }));
	}

	modify(
		provider: string,
		change: (current: Credential | undefined) => Promise<Credential | undefined>,
	): Promise<Credential | undefined> {
		return this.#inTurn(provider, async () => {
			const next = await change(this.#kept.get(provider));
			if (next) this.#kept.set(provider, next);
			return this.#kept.get(provider);
		});
	}

	async delete(provider: string): Promise<void> {
		await this.#inTurn(provider, async () => void this.#kept.delete(provider));
	}

	#inTurn<T>(provider: string, work: () => Promise<T>): Promise<T> {
		const turn = (this.#turns.get(provider) ?? Promise.resolve()).then(work, work);
		this.#turns.set(
			provider,
			turn.catch(() => {}),
		);
		return turn;
	}
}

class InMemoryModelsStore {
	readonly #entries = new Map<string, unknown>();

	async read(provider: string): Promise<unknown> {
		return this.#entries.get(provider);
	}

	async write(provider: string, entry: unknown): Promise<void> {
		this.#entries.set(provider, entry);
	}

	async delete(provider: string): Promise<void> {
		this.#entries.delete(provider);
	}
}

/** A stored key, else the first of the variables that is set. */
export function envApiKeyAuth(name: string, variables: readonly string[]) {
	return {
		name,
		async login({ prompt }: { prompt(about: { type: string; message: string }): Promise<string> }) {
			return { type: "api_key" as const, key: await prompt({ type: "secret", message: name }) };
		},
		async resolve({ ctx, credential }: { ctx: AuthContext; credential?: { key?: string } }) {
			if (credential?.key) return { auth: { apiKey: credential.key }, source: "stored" };
			for (const variable of variables) {
				const apiKey = await ctx.env(variable);
				if (apiKey) return { auth: { apiKey }, source: variable };
			}
			return undefined;
		},
	};
}

interface OAuthAuth {
	login(...args: unknown[]): Promise<unknown>;
	refresh(...args: unknown[]): Promise<unknown>;
	toAuth(...args: unknown[]): Promise<unknown>;
}

/** Loads the login when it is first used. */
function lazyOAuth({ load, ...facts }: { name: string; load(): Promise<OAuthAuth> }) {
	return {
		...facts,
		login: async (...args: unknown[]) => (await load()).login(...args),
		refresh: async (...args: unknown[]) => (await load()).refresh(...args),
		toAuth: async (...args: unknown[]) => (await load()).toAuth(...args),
	};
}

/** What extensions get of it. */
export const credentialExports = {
	ModelsError,
	InMemoryCredentialStore,
	InMemoryModelsStore,
	defaultProviderAuthContext,
	envApiKeyAuth,
	lazyOAuth,
};
