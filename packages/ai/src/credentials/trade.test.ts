/**
 * GitHub's token is exchanged for Copilot's: once for concurrent requests, until a minute before its end, and never
 * logged.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { maskSecrets } from "@tau/utils";

import { CredentialStore } from "./index.ts";
import { playOAuth, type PlayedOAuth } from "./testing/oauth-server.ts";
import { testUser } from "./testing/test-user.ts";

const provider = "github-copilot";
const ticket = "gho_ticket-of-the-test";
const address = "https://api.business.githubcopilot.com";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-trade-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open({ env }: Pick<PlayedOAuth, "env">): Promise<CredentialStore> {
	return CredentialStore.open({ path: join(home, "agent.db"), env, onNotice: () => {} });
}

function play(lifetime = 1500): PlayedOAuth {
	return playOAuth(provider, { tickets: [ticket], lifetime });
}

describe("a key of the environment", () => {
	test("is exchanged, and provides the address of the account", async () => {
		await using server = play();
		using store = await open(server);
		const { apiKey, baseUrl } = await store.trade(provider, ticket);
		expect({ apiKey, baseUrl }).toEqual({ apiKey: expect.stringMatching(/^short-/), baseUrl: address });
		expect(server.requests).toMatchObject([
			{ method: "GET", headers: { authorization: `Bearer ${ticket}`, "editor-version": expect.any(String) } },
		]);
		for (const secret of [ticket, apiKey]) expect(maskSecrets(`say ${secret}!`)).not.toContain(secret);
	});

	test.each([
		["that is a short-lived token already", provider, "tid=1;exp=2;sku=free"],
		["of another provider", "groq", ticket],
		["of an unknown provider", "mine", ticket],
	])("%s is sent unchanged", async (_, of, key) => {
		await using server = play();
		using store = await open(server);
		expect(await store.trade(of, key)).toEqual({ apiKey: key });
		expect(server.requests).toEqual([]);
	});

	test.each(["ghp_classic", "ghu_of-an-app", "github_pat_fine"])("like %s is exchanged too", async (key) => {
		await using server = playOAuth(provider, { tickets: [key] });
		using store = await open(server);
		expect((await store.trade(provider, key)).apiKey).toStartWith("short-");
	});

	test("is exchanged once for concurrent requests, and cached while it lasts", async () => {
		await using server = play();
		using store = await open(server);
		const keys = await Promise.all(Array.from({ length: 9 }, () => store.trade(provider, ticket)));
		keys.push(await store.trade(provider, ticket));
		expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(1);
		expect(server.renewals).toBe(1);
	});

	test("is exchanged again a minute before its token expires", async () => {
		await using server = play(59);
		using store = await open(server);
		const first = await store.trade(provider, ticket);
		expect(await store.trade(provider, ticket)).not.toEqual(first);
		expect(server.renewals).toBe(2);
	});

	test("is exchanged again when the provider rejects its token", async () => {
		await using server = play();
		using store = await open(server);
		await store.trade(provider, ticket);
		store.report(provider, undefined, { kind: "rate_limit" });
		await store.trade(provider, ticket);
		expect(server.renewals).toBe(1);
		store.report(provider, undefined, { kind: "auth", status: 401 });
		await store.trade(provider, ticket);
		expect(server.renewals).toBe(2);
	});

	test("is not waited for after an abort, and the other callers get it", async () => {
		await using server = play();
		using store = await open(server);
		const { arrived, release } = server.hold();
		const stop = new AbortController();
		const stopped = store.trade(provider, ticket, stop.signal).catch(() => "stopped");
		const patient = store.trade(provider, ticket);
		await arrived;
		stop.abort();
		expect(await stopped).toBe("stopped");
		release();
		expect((await patient).apiKey).toStartWith("short-");
		expect(server.renewals).toBe(1);
	});

	test.each<[string, (() => Response) | undefined, string]>([
		["GitHub does not know it", undefined, "Bad credentials"],
		[
			"the account has no Copilot",
			() => Response.json({ error_details: { message: "No access to Copilot found." } }, { status: 403 }),
			"No access to Copilot found.",
		],
		["GitHub is out of order", () => new Response("", { status: 502 }), "is not available"],
		["the answer makes no sense", () => Response.json({ token: "" }), "contains no token"],
	])("reports one clear line if %s, and is retried", async (_, fault, text) => {
		await using server = fault ? play() : playOAuth(provider);
		using store = await open(server);
		if (fault) server.stumble(server.flow.exchange?.url ?? "", fault);
		const failed = await store.trade(provider, ticket).catch((error: unknown) => error);
		expect(failed).toMatchObject({ name: "CredentialError", message: expect.stringContaining(text) });
		expect(String(failed)).not.toContain(ticket);
		if (fault) expect((await store.trade(provider, ticket)).apiKey).toStartWith("short-");
	});
});

describe("a stored key", () => {
	test("is exchanged as well", async () => {
		await using server = play();
		using store = await open(server);
		await store.add(provider, { kind: "api_key", access: ticket });
		expect(await store.resolve(provider)).toMatchObject({
			kind: "api_key",
			apiKey: expect.stringMatching(/^short-/),
			baseUrl: address,
		});
	});

	test("that GitHub no longer accepts is set aside", async () => {
		await using server = playOAuth(provider);
		using store = await open(server);
		await store.add(provider, { kind: "api_key", access: ticket });
		await expect(store.resolve(provider)).rejects.toThrow("Bad credentials");
		expect(store.has(provider)).toBe(false);
		expect(await store.resolve(provider)).toBeUndefined();
	});

	test("is kept when GitHub is out of order", async () => {
		await using server = play();
		using store = await open(server);
		await store.add(provider, { kind: "api_key", access: ticket });
		server.stumble(server.flow.exchange?.url ?? "", () => new Response("", { status: 502 }));
		await expect(store.resolve(provider)).rejects.toThrow("is not available");
		expect(await store.resolve(provider)).toBeDefined();
	});

	test("is set aside only when a second token is rejected too", async () => {
		await using server = play();
		using store = await open(server);
		await store.add(provider, { kind: "api_key", access: ticket });
		for (const isThere of [true, false]) {
			const { credentialId } = (await store.resolve(provider)) ?? {};
			store.report(provider, credentialId, { kind: "auth", status: 401, reason: "no" });
			expect(store.has(provider)).toBe(isThere);
		}
		expect(server.renewals).toBe(2);
	});
});

describe("a token of GitLab", () => {
	const duo = "gitlab-duo";

	test("is exchanged for one of its gateway, with the headers that go with it", async () => {
		await using server = playOAuth(duo, { tickets: ["glpat-of-the-test"] });
		using store = await open(server);
		const sent = await store.trade(duo, "glpat-of-the-test");
		expect(sent).toEqual({
			apiKey: expect.stringMatching(/^short-/),
			// The key is sent in its own way.
			headers: { "x-gitlab-realm": "saas", "x-gitlab-instance-id": "instance-1" },
		});
		expect(server.requests).toMatchObject([
			{
				method: "POST",
				path: "/api/v4/ai/third_party_agents/direct_access",
				headers: { authorization: "Bearer glpat-of-the-test" },
				parameters: { feature_flags: { DuoAgentPlatformNext: true } },
			},
		]);
		expect(await store.trade(duo, "glpat-of-the-test")).toEqual(sent);
		expect(server.requests).toHaveLength(1);
	});

	test("that the gateway issued is sent as it is", async () => {
		await using server = playOAuth(duo);
		using store = await open(server);
		expect(await store.trade(duo, "eyJhbGciOi.payload.signature")).toEqual({
			apiKey: "eyJhbGciOi.payload.signature",
		});
		expect(server.requests).toEqual([]);
	});

	test("of a login is renewed with its refresh token, and exchanged for each of its successors", async () => {
		// Shorter than the minute before its end in which a token is renewed.
		await using server = playOAuth(duo, { lifetime: 30, account: "ada", interval: 0.02 });
		using store = await open(server);
		const login = await store.login(duo, testUser(), AbortSignal.timeout(60_000));
		expect(login).toMatchObject({ ok: true, credential: { account: "ada", renewable: true } });
		const keys = [await store.resolve(duo), await store.resolve(duo)];
		expect(keys[0]).toMatchObject({ apiKey: expect.stringMatching(/^short-/), headers: expect.any(Object) });
		expect(keys[1]?.apiKey).not.toBe(keys[0]?.apiKey);
		expect(server.renewals).toBe(2);
	});

	test("that may not use GitLab Duo is refused with what to check", async () => {
		await using server = playOAuth(duo, { tickets: ["glpat-of-the-test"] });
		server.stumble(server.flow.exchange?.url ?? "", () =>
			Response.json({ message: "403 Forbidden" }, { status: 403 }),
		);
		using store = await open(server);
		await expect(store.trade(duo, "glpat-of-the-test")).rejects.toThrow(
			/403 Forbidden.*\. The token needs the scope api, and the account GitLab Duo$/,
		);
	});
});
