/** The vocabulary of credentials: what is stored, what a request gets, what is told of it afterwards. */

export type CredentialKind = "api_key" | "oauth";

/** What a login gives, before it is stored. */
export interface NewCredential {
	kind: CredentialKind;
	/** The key, or the token that requests are sent with. */
	access: string;
	refresh?: string;
	/** Milliseconds; absent for what does not expire. */
	expiresAt?: number;
	/** Whose it is: an address or a name, where the server says. */
	account?: string;
	/** Where requests with it go, where the account decides that. */
	baseUrl?: string;
	/** The project that requests with it are counted for, where they have to name one. */
	project?: string;
}

export interface StoredCredential extends NewCredential {
	id: string;
	provider: string;
	createdAt: number;
	lastUsedAt: number;
	/** Not to be used before this time, unless there is no other. */
	restsUntil: number;
	/** Why it is not used any more, until a login or a renewal. */
	refused?: string;
	/** Refusals since it last worked. */
	strikes: number;
	/** Counts the changes of its tokens. */
	revision: number;
}

/** A stored credential as a person may see it. */
export type CredentialSummary = Omit<StoredCredential, "access" | "refresh" | "revision" | "strikes"> & {
	renewable: boolean;
};

/** What a request is sent with. */
export interface ResolvedCredential {
	credentialId: string;
	kind: CredentialKind;
	apiKey: string;
	baseUrl?: string;
	/** It should rest; it is only given because there is no other. */
	resting: boolean;
}

/** How a request with a credential ended. */
export type Outcome =
	| { kind: "ok" }
	| { kind: "rate_limit"; retryAfterMs?: number }
	| { kind: "auth"; status?: number; reason?: string };

export interface ResolveOptions {
	/** A session keeps its credential while it works, because the provider's caches belong to it. */
	sessionId?: string;
	signal?: AbortSignal;
}

/** A credential cannot be had, and why: one line for a person, without a secret. */
export class CredentialError extends Error {
	override name = "CredentialError";
	/** No later try will help: only another key or login does. */
	readonly isFinal: boolean;

	constructor(message: string, isFinal = false) {
		super(message);
		this.isFinal = isFinal;
	}
}
