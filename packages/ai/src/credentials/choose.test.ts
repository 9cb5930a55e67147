/** Which credential a request gets: a free one, in rotation, and always the same for a session. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { choose, judge } from "./judge.ts";
import { limits } from "./limits.ts";
import type { Outcome, StoredCredential } from "./types.ts";

const now = 1_000_000;

function credential(facts: Partial<StoredCredential> = {}): StoredCredential {
	return {
		id: "a",
		provider: "p",
		kind: "api_key",
		access: "secret-value",
		createdAt: 0,
		lastUsedAt: 0,
		restsUntil: 0,
		strikes: 0,
		revision: 1,
		...facts,
	};
}

const credentials = fc.uniqueArray(
	fc.record({
		id: fc.string({ minLength: 1, maxLength: 3 }),
		kind: fc.constantFrom("api_key" as const, "oauth" as const),
		lastUsedAt: fc.nat(50),
		restsUntil: fc.constantFrom(0, now - 1, now, now + 1, now + 500),
		refused: fc.constantFrom(undefined, "no"),
	}),
	{ selector: ({ id }) => id, maxLength: 8 },
);

function rows(drawn: { refused: string | undefined }[]): StoredCredential[] {
	return drawn.map(({ refused, ...facts }) =>
		credential({ ...facts, ...(refused === undefined ? {} : { refused }) }),
	);
}

describe("selection", () => {
	test("never returns a rejected one, and returns none only when all are rejected", () => {
		fc.assert(
			fc.property(credentials, fc.string({ maxLength: 3 }), (drawn, bound) => {
				const all = rows(drawn);
				const chosen = choose(all, bound, now);
				expect(chosen === undefined).toBe(all.every(({ refused }) => refused !== undefined));
				expect(chosen?.credential.refused).toBeUndefined();
			}),
		);
	});

	test("returns one in cooldown only when none is free, and then the one that is free first", () => {
		fc.assert(
			fc.property(credentials, (drawn) => {
				const all = rows(drawn);
				const chosen = choose(all, undefined, now);
				if (!chosen) return;
				const usable = all.filter(({ refused }) => refused === undefined);
				expect(chosen.resting).toBe(usable.every(({ restsUntil }) => restsUntil > now));
				if (chosen.resting) {
					expect(chosen.credential.restsUntil).toBe(Math.min(...usable.map(({ restsUntil }) => restsUntil)));
				}
			}),
		);
	});

	test("prefers a key to a login, as long as a key is free", () => {
		fc.assert(
			fc.property(credentials, fc.string({ maxLength: 3 }), (drawn, bound) => {
				const all = rows(drawn);
				const chosen = choose(all, bound, now);
				const free = all.some(
					({ kind, refused, restsUntil }) => kind === "api_key" && refused === undefined && restsUntil <= now,
				);
				if (free) expect(chosen?.credential.kind).toBe("api_key");
			}),
		);
	});

	test("all free ones are used before one is used again", () => {
		fc.assert(
			fc.property(credentials, (drawn) => {
				let all = rows(drawn.map((each) => ({ ...each, kind: "oauth" as const })));
				const free = all.filter(({ refused, restsUntil }) => refused === undefined && restsUntil <= now);
				const turns = free.map((_, turn) => {
					const id = choose(all, undefined, now)?.credential.id;
					all = all.map((each) => (each.id === id ? { ...each, lastUsedAt: 100 + turn } : each));
					return id;
				});
				expect(new Set(turns)).toEqual(new Set(free.map(({ id }) => id)));
			}),
		);
	});

	test("a session keeps its own while it is free", () => {
		const all = [credential({ id: "a" }), credential({ id: "b", lastUsedAt: 5 }), credential({ id: "c" })];
		expect(choose(all, "b", now)?.credential.id).toBe("b");
		const resting = all.map((each) => (each.id === "b" ? { ...each, restsUntil: now + 1 } : each));
		expect(choose(resting, "b", now)?.credential.id).toBe("a");
	});
});

describe("outcomes", () => {
	const cases: [string, Partial<StoredCredential>, Outcome, Partial<StoredCredential> | undefined][] = [
		["success changes nothing for a valid one", {}, { kind: "ok" }, undefined],
		[
			"success ends rest and strikes",
			{ strikes: 2, restsUntil: now + 9 },
			{ kind: "ok" },
			{ strikes: 0, restsUntil: 0 },
		],
		[
			"a rate limit causes a cooldown for as long as the server says",
			{},
			{ kind: "rate_limit", retryAfterMs: 7000 },
			{ strikes: 1, restsUntil: now + 7000 },
		],
		[
			"a wait beyond reason is cut",
			{},
			{ kind: "rate_limit", retryAfterMs: 1e12 },
			{ strikes: 1, restsUntil: now + limits.retryAfterMs },
		],
		[
			"a negative wait is ignored",
			{},
			{ kind: "rate_limit", retryAfterMs: -5 },
			{ strikes: 1, restsUntil: now },
		],
		[
			"without a given time the cooldown is short",
			{},
			{ kind: "rate_limit" },
			{ strikes: 1, restsUntil: now + limits.restMs },
		],
		[
			"and longer each time",
			{ strikes: 2 },
			{ kind: "rate_limit" },
			{ strikes: 3, restsUntil: now + limits.restMs * 4 },
		],
		[
			"but limited",
			{ strikes: 99 },
			{ kind: "rate_limit" },
			{ strikes: limits.strikes, restsUntil: now + limits.restMaxMs },
		],
		[
			"a longer rest is not shortened",
			{ restsUntil: now + 99_000 },
			{ kind: "rate_limit", retryAfterMs: 1 },
			{ strikes: 1, restsUntil: now + 99_000 },
		],
		[
			"an unknown key is set aside",
			{},
			{ kind: "auth", status: 401, reason: "bad key" },
			{ strikes: 1, refused: "bad key" },
		],
		[
			"so is one that Google rejects with 400",
			{},
			{ kind: "auth", status: 400 },
			{ strikes: 1, refused: "the provider rejected it" },
		],
		[
			"an account without credit rests",
			{},
			{ kind: "auth", status: 402 },
			{ strikes: 1, restsUntil: now + limits.restMs },
		],
		[
			"a model that is out of reach costs a rest only",
			{},
			{ kind: "auth", status: 403 },
			{ strikes: 1, restsUntil: now + limits.restMs },
		],
		[
			"a token is renewed before it is set aside",
			{ kind: "oauth", refresh: "r" },
			{ kind: "auth", status: 401 },
			{ strikes: 1, expiresAt: now },
		],
		[
			"and set aside when that did not help",
			{ kind: "oauth", refresh: "r", strikes: 1 },
			{ kind: "auth", status: 401 },
			{ strikes: 2, refused: "the provider rejected it" },
		],
		[
			"a token that cannot be renewed is set aside",
			{ kind: "oauth" },
			{ kind: "auth", status: 401 },
			{ strikes: 1, refused: "the provider rejected it" },
		],
	];
	test.each(cases)("%s", (_, facts, outcome, change) => {
		expect(judge(credential(facts), outcome, now)).toEqual(change);
	});
});
