/** Credentials rotate, sessions keep theirs, and all processes share what one of them learns. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { maskSecrets } from "@tau/utils";

import { CredentialStore } from "./index.ts";
import { limits } from "./limits.ts";

let home = "";
let time = 1_000_000;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-store-"));
	time = 1_000_000;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(): Promise<CredentialStore> {
	return CredentialStore.open({ path: join(home, "agent.db"), env: {}, now: () => time, onNotice: () => {} });
}

/** Three keys of one provider, in order. */
async function withKeys(count = 3): Promise<CredentialStore> {
	const store = await open();
	for (let each = 1; each <= count; each++) {
		await store.add("p", { kind: "api_key", access: `key-number-${each}` });
		time++;
	}
	return store;
}

test("listeners receive each rejection once, also of another process, and none from before", async () => {
	using store = await withKeys(2);
	const [first, second] = store.list();
	store.report("p", first?.id, { kind: "auth", status: 401, reason: "revoked" });
	store.report("p", first?.id, { kind: "auth", status: 401, reason: "revoked" });
	const refusals: unknown[] = [];
	const listening = store.onRefused((credential) => refusals.push(credential));
	{
		using other = await open();
		for (const _ of [1, 2]) other.report("p", second?.id, { kind: "auth", status: 401, reason: "gone" });
	}
	// Any access to the file notices the change.
	store.remove("nobody");
	store.remove("nobody");
	expect(refusals).toEqual([
		expect.objectContaining({ id: second?.id, refused: expect.stringContaining("gone") }),
	]);
	expect(JSON.stringify(refusals)).not.toContain("key-number");
	listening[Symbol.dispose]();
});

function short(key: string | undefined): string {
	return key?.replace("key-number-", "") ?? "none";
}

async function ask(store: CredentialStore, times: number, sessionId?: string): Promise<string> {
	let seen = "";
	for (let turn = 0; turn < times; turn++) {
		seen += short(await store.getApiKey("p", sessionId === undefined ? {} : { sessionId }));
	}
	return seen;
}

describe("several keys", () => {
	test("rotate", async () => {
		using store = await withKeys();
		expect(await ask(store, 7)).toBe("1231231");
	});

	test("rotate among processes", async () => {
		using one = await withKeys();
		using two = await open();
		expect((await ask(one, 1)) + (await ask(two, 1)) + (await ask(one, 1)) + (await ask(two, 1))).toBe(
			"1231",
		);
	});

	test("stay with their session, also in another process", async () => {
		using one = await withKeys();
		expect(await ask(one, 3, "s1")).toBe("111");
		expect(await ask(one, 2, "s2")).toBe("22");
		using two = await open();
		expect(await ask(two, 2, "s1")).toBe("11");
		expect(await ask(two, 2, "s2")).toBe("22");
	});

	test("cause no writes while a session keeps its own", async () => {
		using store = await withKeys();
		await ask(store, 1, "s");
		const before = store.list();
		time += 60_000;
		await ask(store, 3, "s");
		expect(store.list()).toEqual(before);
	});

	test("are replaced by the next during a cooldown, and the session keeps that one", async () => {
		using store = await withKeys();
		const { credentialId = "" } = (await store.resolve("p", { sessionId: "s" })) ?? {};
		store.report("p", credentialId, { kind: "rate_limit", retryAfterMs: 5000 });
		using other = await open();
		expect(await ask(other, 4)).toBe("2323");
		expect(await ask(store, 2, "s")).toBe("22");
		time += 5001;
		expect(await ask(store, 1, "s")).toBe("2");
		expect(await ask(other, 3)).toContain("1");
	});

	test("that all rest give the one that is free first, marked as resting", async () => {
		using store = await withKeys(2);
		for (const retryAfterMs of [9000, 4000]) {
			const { credentialId = "" } = (await store.resolve("p")) ?? {};
			store.report("p", credentialId, { kind: "rate_limit", retryAfterMs });
		}
		expect(await store.resolve("p")).toMatchObject({ apiKey: "key-number-2", resting: true });
		expect(store.has("p")).toBe(true);
	});

	test("that are rejected are not used again, until the same key is added again", async () => {
		using store = await withKeys(2);
		for (let turn = 0; turn < 2; turn++) {
			const { credentialId = "" } = (await store.resolve("p")) ?? {};
			store.report("p", credentialId, { kind: "auth", status: 401, reason: "unknown key" });
		}
		expect(await store.resolve("p")).toBeUndefined();
		expect(store.has("p")).toBe(false);
		await store.add("p", { kind: "api_key", access: "key-number-1" });
		expect(await ask(store, 2)).toBe("11");
	});

	test("work again after a success", async () => {
		using store = await withKeys(1);
		const { credentialId = "" } = (await store.resolve("p")) ?? {};
		store.report("p", credentialId, { kind: "rate_limit" });
		expect(store.list()).toMatchObject([{ restsUntil: time + limits.restMs }]);
		store.report("p", credentialId, { kind: "ok" });
		expect(store.list()).toMatchObject([{ restsUntil: 0 }]);
	});
});

test("a stored key comes before a stored login, and the login is used when the key is rejected", async () => {
	using store = await open();
	await store.add("p", { kind: "oauth", access: "login-token-1", account: "ada" });
	await store.add("p", { kind: "api_key", access: "key-number-1" });
	expect(await store.resolve("p")).toMatchObject({ kind: "api_key", apiKey: "key-number-1" });
	const { credentialId = "" } = (await store.resolve("p")) ?? {};
	store.report("p", credentialId, { kind: "auth", status: 401 });
	expect(await store.resolve("p")).toMatchObject({ kind: "oauth", apiKey: "login-token-1" });
});

test("an account that logs in again has one login, the newer", async () => {
	using store = await open();
	await store.add("p", { kind: "oauth", access: "login-token-1", refresh: "refresh-1", account: "ada" });
	await store.add("p", { kind: "oauth", access: "login-token-2", refresh: "refresh-2", account: "bob" });
	await store.add("p", { kind: "oauth", access: "login-token-3", refresh: "refresh-3", account: "ada" });
	expect(store.list().map(({ account }) => account)).toEqual(["ada", "bob"]);
	expect(new Set([await store.getApiKey("p"), await store.getApiKey("p")])).toEqual(
		new Set(["login-token-2", "login-token-3"]),
	);
});

test("a login without a name replaces one that was refused", async () => {
	using store = await open();
	const { id } = await store.add("p", { kind: "oauth", access: "login-token-1" });
	await store.add("p", { kind: "oauth", access: "login-token-2" });
	store.report("p", id, { kind: "auth", status: 401 });
	await store.add("p", { kind: "oauth", access: "login-token-3" });
	expect(store.list().map(({ refused }) => refused)).toEqual([undefined, undefined]);
	expect(store.list().map((each) => each.id)).not.toContain(id);
});

test("removing deletes the credentials of one provider only", async () => {
	using store = await withKeys();
	await store.add("q", { kind: "api_key", access: "key-of-q" });
	await store.getApiKey("p", { sessionId: "s" });
	expect(store.remove("p")).toBe(3);
	expect([store.has("p"), store.has("q")]).toEqual([false, true]);
	using other = await open();
	expect(other.list().map(({ provider }) => provider)).toEqual(["q"]);
});

test("the list contains no secret, and every secret is masked from then on", async () => {
	using store = await open();
	await store.add("p", {
		kind: "oauth",
		access: "tok_listed_access",
		refresh: "tok_listed_refresh",
		account: "ada",
	});
	const listed = JSON.stringify(store.list());
	expect(listed).toContain("ada");
	expect(listed).not.toContain("tok_listed");
	expect(maskSecrets("a tok_listed_access b tok_listed_refresh")).not.toContain("tok_listed");
});
