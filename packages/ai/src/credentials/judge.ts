/** Decides which credential a request is sent with, and what the outcome of the request changes. */
import { limits } from "./limits.ts";
import type { Outcome, StoredCredential } from "./types.ts";

/** The change to make; undefined when the outcome changes nothing. */
export function judge(
	credential: StoredCredential,
	outcome: Outcome,
	now: number,
): Partial<StoredCredential> | undefined {
	switch (outcome.kind) {
		case "ok":
			if (credential.strikes === 0 && credential.restsUntil <= now) return undefined;
			return { strikes: 0, restsUntil: 0 };
		case "rate_limit":
			return rest(credential, now, outcome.retryAfterMs);
		case "auth":
			return refuse(credential, outcome, now);
	}
}

function rest(
	credential: StoredCredential,
	now: number,
	requestedMs: number | undefined,
): Partial<StoredCredential> {
	const strikes = Math.min(credential.strikes + 1, limits.strikes);
	const own = Math.min(limits.restMs * 2 ** (strikes - 1), limits.restMaxMs);
	const wait = requestedMs === undefined ? own : Math.min(Math.max(requestedMs, 0), limits.retryAfterMs);
	return { strikes, restsUntil: Math.max(credential.restsUntil, now + wait) };
}

/**
 * 402 and 403 may be about one model, a region or an empty account: the credential rests. Every other refusal means
 * that the server does not accept it. A token may have been revoked early, so it is renewed once before it is given
 * up.
 */
function refuse(
	credential: StoredCredential,
	{ status, reason }: Extract<Outcome, { kind: "auth" }>,
	now: number,
): Partial<StoredCredential> {
	if (status === 402 || status === 403) return rest(credential, now, undefined);
	if (credential.refresh !== undefined && credential.strikes === 0) return { strikes: 1, expiresAt: now };
	return { refused: reason ?? "the provider rejected it", strikes: credential.strikes + 1 };
}

interface Chosen {
	credential: StoredCredential;
	/** True if none is free; this is the one that will be free first. */
	resting: boolean;
}

/**
 * Decides which credential a request is sent with. Keys come before logins; within each kind a session keeps its own, and otherwise the longest idle one is used.
 */
export function choose(
	all: readonly StoredCredential[],
	bound: string | undefined,
	now: number,
): Chosen | undefined {
	const usable = all.filter(({ refused }) => refused === undefined);
	const free = usable.filter(({ restsUntil }) => restsUntil <= now);
	const keys = free.filter(({ kind }) => kind === "api_key");
	const candidates = keys.length > 0 ? keys : free;
	const credential =
		candidates.find(({ id }) => id === bound) ?? first(candidates, ({ lastUsedAt }) => lastUsedAt);
	if (credential) return { credential, resting: false };
	const soonest = first(usable, ({ restsUntil }) => restsUntil);
	return soonest && { credential: soonest, resting: true };
}

function first(
	credentials: readonly StoredCredential[],
	measure: (credential: StoredCredential) => number,
): StoredCredential | undefined {
	return credentials.toSorted((a, b) => measure(a) - measure(b))[0];
}
