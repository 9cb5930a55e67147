/** A custom login is stored, renewed once among all processes that share the file, and notified of what is stored. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CredentialStore, type LoginInteraction, type OwnLogin } from "./index.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-own-login-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(): Promise<CredentialStore> {
	return CredentialStore.open({ path: join(home, "agent.db"), env: {}, onNotice: () => {} });
}

const nobody: LoginInteraction = { show: () => {}, notice: () => {} };
const never = new AbortController().signal;

/** Its first token is about to expire, the renewed one is not. */
function corp(more: Partial<OwnLogin> = {}): OwnLogin & { renewals: string[] } {
	const renewals: string[] = [];
	return {
		provider: "corp",
		label: "Corp",
		renewals,
		login: async () => ({ kind: "oauth", access: "access-1", refresh: "refresh-1", expiresAt: Date.now() }),
		renew: async ({ refresh = "" }) => {
			renewals.push(refresh);
			return { kind: "oauth", access: "access-2", refresh: "refresh-2", expiresAt: Date.now() + 3_600_000 };
		},
		...more,
	};
}

test("is listed until it is disposed, in place of a built-in one", async () => {
	using store = await open();
	const labels = async () => (await store.logins()).map(({ label }) => label);
	const offered = store.offer({ ...corp(), provider: "anthropic", label: "Another way" });
	expect(await labels()).toContain("Another way");
	expect((await store.logins()).filter(({ provider }) => provider === "anthropic")).toHaveLength(1);
	offered[Symbol.dispose]();
	expect(await labels()).not.toContain("Another way");
	expect(await labels()).toContain("Anthropic (Claude Pro/Max)");
});

test("is renewed once for any number of concurrent requests from any process", async () => {
	using one = await open();
	const login = corp();
	one.offer(login);
	await one.login("corp", nobody, never);
	using two = await open();
	two.offer(login);
	const keys = await Promise.all([one, two, one, two].map((store) => store.getApiKey("corp")));
	expect(new Set(keys)).toEqual(new Set(["access-2"]));
	expect(login.renewals).toEqual(["refresh-1"]);
});

test("is notified of the stored login, at once and after each change", async () => {
	const refreshTokens: (string | undefined)[] = [];
	const onStored = (refresh: string | undefined): void => void refreshTokens.push(refresh);
	using store = await open();
	store.offer(corp({ onStored }));
	await store.login("corp", nobody, never);
	await store.getApiKey("corp");
	store.remove("corp");
	expect(refreshTokens).toEqual(["refresh-1", "refresh-2", undefined]);
	await store.login("corp", nobody, never);
	using later = await open();
	const first: (string | undefined)[] = [];
	later.offer(corp({ onStored: (refresh) => void first.push(refresh) }));
	expect(first).toEqual(["refresh-1"]);
});

describe("what goes wrong", () => {
	test("during a renewal is reported, and the stored login stays", async () => {
		using store = await open();
		const failing = store.offer(corp({ renew: () => Promise.reject(new Error("the server is down")) }));
		await store.login("corp", nobody, never);
		await expect(store.getApiKey("corp")).rejects.toThrow("the server is down");
		failing[Symbol.dispose]();
		store.offer(corp());
		expect(await store.getApiKey("corp")).toBe("access-2");
	});

	test("with a login that ignores its signal: it can be stopped all the same", async () => {
		using store = await open();
		const stop = new AbortController();
		const forever = (): Promise<never> => Promise.withResolvers<never>().promise;
		store.offer(
			corp({
				login: () => {
					stop.abort();
					return forever();
				},
			}),
		);
		expect(await store.login("corp", nobody, stop.signal)).toEqual({
			ok: false,
			stopped: true,
			message: "Login cancelled.",
		});
		expect(store.list()).toEqual([]);
	});
});
