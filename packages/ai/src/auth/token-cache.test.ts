/** One exchange serves all callers that wait for it, and ends with the last of them. */
import { expect, test } from "bun:test";

import { TokenCache, type Token } from "./token-cache.ts";

const token = (value: string): Token => ({ value, expiresAt: Date.now() + 3_600_000 });

/** Exchanges that are answered by the test, in the order in which they began. */
function exchanges() {
	const begun: { signal: AbortSignal; answer: PromiseWithResolvers<Token> }[] = [];
	const fetchToken = (signal: AbortSignal): Promise<Token> => {
		const answer = Promise.withResolvers<Token>();
		begun.push({ signal, answer });
		return answer.promise;
	};
	return { begun, fetchToken };
}

test("the caller that began the exchange leaves, and the others get its token", async () => {
	const cache = new TokenCache<Token>();
	const { begun, fetchToken } = exchanges();
	const leaver = new AbortController();
	const left = cache.get("a", leaver.signal, fetchToken);
	const others = [1, 2].map(() => cache.get("a", undefined, fetchToken));
	leaver.abort(new Error("the user left"));
	await expect(left).rejects.toThrow("the user left");
	expect(begun.map(({ signal }) => signal.aborted)).toEqual([false]);
	begun[0]?.answer.resolve(token("shared"));
	expect((await Promise.all(others)).map(({ value }) => value)).toEqual(["shared", "shared"]);
});

test("an exchange that nobody waits for any more is aborted, and the next caller begins another", async () => {
	const cache = new TokenCache<Token>();
	const { begun, fetchToken } = exchanges();
	const leaver = new AbortController();
	const left = cache.get("a", leaver.signal, fetchToken);
	leaver.abort(new Error("the user left"));
	await expect(left).rejects.toThrow("the user left");
	const next = cache.get("a", undefined, fetchToken);
	expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, false]);
	begun[1]?.answer.resolve(token("second"));
	expect((await next).value).toBe("second");
});

test("accounts do not share an exchange", async () => {
	const cache = new TokenCache<Token>();
	const { begun, fetchToken } = exchanges();
	const both = ["a", "b"].map((identity) => cache.get(identity, undefined, fetchToken));
	for (const [at, { answer }] of begun.entries()) answer.resolve(token(`token-${at}`));
	expect((await Promise.all(both)).map(({ value }) => value)).toEqual(["token-0", "token-1"]);
});
