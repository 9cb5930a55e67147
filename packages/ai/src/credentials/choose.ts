/** Decides which of several credentials a request is sent with: pure, from the rows alone. */
import type { StoredCredential } from "./types.ts";

export interface Chosen {
	credential: StoredCredential;
	/** True if none is free; this is the one that will be free first. */
	resting: boolean;
}

/** Keys come before logins; within each kind a session keeps its own, and otherwise the longest idle one is used. */
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
