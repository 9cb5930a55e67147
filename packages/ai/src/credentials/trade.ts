/** Exchanges a key, such as GitHub's tokens for Copilot, for the short-lived token that requests need. */
import type { Env } from "@tau/utils";

import { TokenCache, type Token } from "../auth/token-cache.ts";
import { exchange, findFlow, OAuthError, type OAuthFlow } from "./oauth/index.ts";
import { CredentialError } from "./types.ts";

export interface Traded extends Token {
	/** The address of requests with it, if the account determines that. */
	baseUrl?: string;
	/** Sent with each request. */
	headers?: Record<string, string>;
}

export class Trades {
	readonly #env: Env;
	readonly #flows: readonly OAuthFlow[] | undefined;
	/** By provider and key: keys that are not stored are cached only here. */
	readonly #tokens = new Map<string, TokenCache<Traded>>();

	constructor(env: Env, flows?: readonly OAuthFlow[]) {
		this.#env = env;
		this.#flows = flows;
	}

	/**
	 * Concurrent requests share one exchange. The signal ends the wait, and the exchange when no request waits any
	 * more. Throws a `CredentialError` when there is no token for the key.
	 */
	async get(provider: string, ticket: string, signal?: AbortSignal): Promise<Traded> {
		const tokens = this.#tokens.get(provider) ?? new TokenCache<Traded>();
		this.#tokens.set(provider, tokens);
		try {
			return await tokens.get(ticket, signal, (stop) => this.#trade(provider, ticket, stop));
		} catch (error) {
			if (!(error instanceof OAuthError)) throw error;
			const isFinal = error.problem === "revoked" || error.problem === "denied";
			throw new CredentialError(`The ${provider} key yields no token: ${error.message}`, isFinal);
		}
	}

	/** The provider refused its token: the next request gets a new one. Returns whether there was one. */
	forget(provider: string): boolean {
		return this.#tokens.delete(provider);
	}

	async #trade(provider: string, ticket: string, signal: AbortSignal): Promise<Traded> {
		const flow = findFlow(provider, this.#env, this.#flows);
		if (!flow) throw new OAuthError("refused", `there is no login for ${provider}`);
		const { access, expiresAt = 0, baseUrl, headers } = await exchange(flow, ticket, signal);
		return {
			value: access,
			expiresAt,
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(headers === undefined ? {} : { headers }),
		};
	}
}
