/** The types of credentials: what is stored, what a request gets, and how its outcome is reported. */
import type { Usage } from "../types.ts";

export type CredentialKind = "api_key" | "oauth";

/** The result of a login, before it is stored. */
export interface NewCredential {
	kind: CredentialKind;
	/** The key, or the token that requests are sent with. */
	access: string;
	refresh?: string;
	/** Milliseconds; absent if it does not expire. */
	expiresAt?: number;
	/** The owner: an address or a name, if the server provides it. */
	account?: string;
	/** The address of requests with it, if the account determines that. */
	baseUrl?: string;
	/** The project that requests with it are billed to, if they have to name one. */
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
	/** Refusals since the last success. */
	strikes: number;
	/** Counts the changes of its tokens. */
	revision: number;
}

/** A stored credential without secrets, for display. */
export type CredentialSummary = Omit<StoredCredential, "access" | "refresh" | "revision" | "strikes"> & {
	renewable: boolean;
};

/** What a request is sent with. */
export interface ResolvedCredential {
	credentialId: string;
	kind: CredentialKind;
	apiKey: string;
	baseUrl?: string;
	/** Sent with each request. */
	headers?: Record<string, string>;
	/** True if it should rest, and is only used because there is no other. */
	resting: boolean;
}

/** What a request has used. */
export interface Spent {
	model: string;
	usage: Usage;
}

/** How a request with a credential ended. */
export type Outcome =
	| { kind: "ok"; spent?: Spent }
	| { kind: "rate_limit"; retryAfterMs?: number }
	| { kind: "auth"; status?: number; reason?: string };

export interface ResolveOptions {
	/** A session keeps its credential while it works, because the provider's caches depend on it. */
	sessionId?: string;
	signal?: AbortSignal;
	/** An extension has taken the provider's name over: keys are sent as they are, and logins of the catalogue do not apply. */
	isForeign?: boolean;
}

/** Where credentials are: in a file of this machine, or at a broker. */
export interface CredentialVault extends Disposable {
	list(provider?: string): StoredCredential[];
	/** Throws a `CredentialError` if credentials of this provider cannot be stored here. */
	checkWritable(provider: string): void;
	/**
	 * Replaces an older one of the same account or with the same key; otherwise it is added, unless it is to be the
	 * `only` one of its kind.
	 */
	add(provider: string, credential: NewCredential, now: number, only?: boolean): StoredCredential;
	remove(provider: string, access?: string | null): number;
	/** The credential that a session has been using. */
	bound(session: string, provider: string): string | undefined;
	/** Records the use of a credential, and its session. `pick` decides on the current rows. */
	take(
		provider: string,
		session: string | undefined,
		now: number,
		pick: (all: StoredCredential[]) => StoredCredential | undefined,
	): StoredCredential | undefined;
	/** Updates a credential; no effect when it is gone. */
	change(id: string, next: (current: StoredCredential) => Partial<StoredCredential>): void;
}

/** Keeps tokens fresh. */
export interface TokenKeeper {
	/** Waits until the rows of a provider may be used. Throws a `CredentialError` if they may not. */
	ready?(provider: string, signal?: AbortSignal): Promise<void>;
	/**
	 * The credential with a token that will last for a request. Throws a `CredentialError` when there is none. The
	 * signal ends the wait, never the renewal: the server has consumed the old refresh token by then, and the new one
	 * must be stored.
	 */
	fresh(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential>;
	/** The same for a token that was refused before its time. */
	renewed(credential: StoredCredential, signal?: AbortSignal): Promise<StoredCredential>;
}

/** No credential is available: the message is one line for the user, without a secret. */
export class CredentialError extends Error {
	override name = "CredentialError";
	/** True if no later attempt will help: only another key or login does. */
	readonly isFinal: boolean;

	constructor(message: string, isFinal = false) {
		super(message);
		this.isFinal = isFinal;
	}
}
