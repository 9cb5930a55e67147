/** Tokens are renewed in time, one renewal at a time, and an ended login is reported. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CredentialStore } from "./index.ts";
import { limits } from "./limits.ts";
import { login } from "./oauth/index.ts";
import { browse, playOAuth, type PlayedOAuth } from "./testing/oauth-server.ts";
import { testUser } from "./testing/test-user.ts";

let home = "";
let path = "";
let time = 0;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-renewal-"));
	path = join(home, "agent.db");
	time = Date.now();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open({ env }: PlayedOAuth): Promise<CredentialStore> {
	return CredentialStore.open({ path, env, now: () => time, onNotice: () => {} });
}

/** Logs in and stores the credential; returns its first token. */
async function logIn(store: CredentialStore, server: PlayedOAuth): Promise<string> {
	const clock = { now: () => time, wait: () => Promise.resolve() };
	const result = await login(server.flow, testUser(browse), new AbortController().signal, clock);
	if (!result.ok) throw new Error(result.message);
	await store.add(server.flow.provider, result.credential);
	return result.credential.access;
}

const hour = 3_600_000;

describe("a token", () => {
	test("is used unchanged while it lasts", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		const token = await logIn(store, server);
		time += hour - limits.renewEarlyMs - 1000;
		expect(await store.getApiKey("anthropic")).toBe(token);
		expect(server.renewals).toBe(0);
	});

	test("is renewed a minute before it expires, and the refresh token with it", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		const token = await logIn(store, server);
		for (let turn = 1; turn <= 3; turn++) {
			time += hour - limits.renewEarlyMs + 1000;
			expect(await store.getApiKey("anthropic")).not.toBe(token);
			expect({ renewals: server.renewals, reused: server.reused }).toEqual({ renewals: turn, reused: 0 });
		}
	});

	test("that was refused before its time is renewed once, whoever asks; one that nobody here can renew stays", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		using other = await open(server);
		const token = await logIn(store, server);
		const both = await Promise.all([
			store.renewedLogin("anthropic", token),
			other.renewedLogin("anthropic", token),
		]);
		expect(new Set(both.map((renewed) => renewed?.access)).size).toBe(1);
		expect(both[0]?.access).not.toBe(token);
		expect(server.renewals).toBe(1);
		await store.add("mcp:https://x.test", { kind: "oauth", access: "theirs", refresh: "r", expiresAt: 1 });
		expect(store.tokenOf("mcp:https://x.test")).rejects.toThrow("nothing here can renew logins");
		expect(await store.storedToken("mcp:https://x.test")).toBe("theirs");
		expect(store.list().every(({ refused }) => refused === undefined)).toBe(true);
	});

	test("keeps its refresh token if the server sends no new one", async () => {
		await using server = playOAuth("xai-oauth", { rotates: false });
		using store = await open(server);
		await logIn(store, server);
		for (let turn = 1; turn <= 2; turn++) {
			time += hour;
			expect(await store.getApiKey("xai-oauth")).toBeDefined();
			expect(server.renewals).toBe(turn);
		}
	});

	test("of a second step is fetched again with the first, and keeps its base URL and owner", async () => {
		await using server = playOAuth("github-copilot", { account: "ada" });
		using store = await open(server);
		const token = await logIn(store, server);
		time += hour;
		const got = await store.resolve("github-copilot");
		expect(got).toMatchObject({ baseUrl: "https://api.business.githubcopilot.com", kind: "oauth" });
		expect(got?.apiKey).not.toBe(token);
		expect(store.list()).toMatchObject([{ account: "ada", renewable: true }]);
	});

	test("that was revoked early is renewed when the provider refuses it", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		const token = await logIn(store, server);
		const { credentialId = "" } = (await store.resolve("anthropic")) ?? {};
		store.report("anthropic", credentialId, { kind: "auth", status: 401 });
		expect(await store.getApiKey("anthropic")).not.toBe(token);
		store.report("anthropic", credentialId, { kind: "auth", status: 401, reason: "still no" });
		expect(await store.getApiKey("anthropic")).toBeUndefined();
		expect(store.list()).toMatchObject([{ refused: "still no" }]);
	});
});

describe("a renewal", () => {
	test("is shared by concurrent requests", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		time += hour;
		const tokens = await Promise.all(Array.from({ length: 20 }, () => store.getApiKey("anthropic")));
		expect(new Set(tokens).size).toBe(1);
		expect({ renewals: server.renewals, reused: server.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test("continues when its request is aborted: the new token is stored", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		time += hour;
		const { arrived, release } = server.hold();
		const stop = new AbortController();
		const pending = store.getApiKey("anthropic", { signal: stop.signal });
		await arrived;
		stop.abort();
		await expect(pending).rejects.toThrow();
		const later = store.getApiKey("anthropic");
		release();
		expect(await later).toBeDefined();
		expect({ renewals: server.renewals, reused: server.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test("that the server refuses permanently ends the login, with advice", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		server.revoke();
		time += hour;
		await expect(store.getApiKey("anthropic")).rejects.toThrow(
			"The login of anthropic (ada@example.com) is no longer valid. Run tau login anthropic",
		);
		expect(await store.getApiKey("anthropic").catch(() => "thrown")).toBeUndefined();
		expect({ has: store.has("anthropic"), reused: server.reused }).toEqual({ has: false, reused: 1 });
		const token = await logIn(store, server);
		expect(await store.getApiKey("anthropic")).toBe(token);
		expect(store.list()).toHaveLength(1);
	});

	test("that fails temporarily leaves the login, and the token while it lasts", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		const token = await logIn(store, server);
		time += hour - limits.renewEarlyMs + 1000;
		server.stumble(server.flow.tokenUrl, () => new Response("busy", { status: 503 }));
		expect(await store.getApiKey("anthropic")).toBe(token);
		time += limits.renewEarlyMs;
		server.stumble(server.flow.tokenUrl, () => new Response("busy", { status: 503 }));
		await expect(store.getApiKey("anthropic")).rejects.toThrow(
			/Cannot renew .* is not available \(HTTP 503\)/,
		);
		expect(await store.getApiKey("anthropic")).not.toBe(token);
	});

	test("with an invalid answer is reported, and the next one may succeed", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		time += hour;
		server.stumble(server.flow.tokenUrl, () => Response.json({ hello: "world" }));
		await expect(store.getApiKey("anthropic")).rejects.toThrow("contains no token");
		expect(await store.getApiKey("anthropic")).toBeDefined();
	});

	test("that fails is replaced by another credential", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		await store.add("anthropic", { kind: "oauth", access: "the-other-token", account: "bob" });
		server.revoke();
		time += hour;
		for (let turn = 0; turn < 3; turn++) expect(await store.getApiKey("anthropic")).toBe("the-other-token");
		expect(store.list().map(({ account, refused }) => [account, refused !== undefined])).toEqual([
			["ada@example.com", true],
			["bob", false],
		]);
	});

	test("yields to a login that the user made meanwhile", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		time += hour;
		const { arrived, release } = server.hold();
		const pending = store.getApiKey("anthropic");
		await arrived;
		const newer = await logIn(store, server);
		release();
		expect([await pending, await store.getApiKey("anthropic")]).toEqual([newer, newer]);
		expect(store.list()).toHaveLength(1);
	});

	test("is dropped when the user logs out meanwhile", async () => {
		await using server = playOAuth("anthropic");
		using store = await open(server);
		await logIn(store, server);
		time += hour;
		const { arrived, release } = server.hold();
		const pending = store.getApiKey("anthropic");
		await arrived;
		expect(store.remove("anthropic")).toBe(1);
		release();
		await expect(pending).rejects.toThrow("Run tau login anthropic");
		await pending.catch(() => undefined);
		expect(store.list()).toEqual([]);
	});
});

describe("two processes", () => {
	const script = `
		import { CredentialStore } from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
		using store = await CredentialStore.open({ path: process.env.VAULT, env: process.env, onNotice() {} });
		process.stdout.write("ready\\n");
		for await (const _ of Bun.stdin.stream()) break;
		process.stdout.write((await store.getApiKey("anthropic").catch(String)) + "\\n");
	`;

	/** A started process that waits for a line; `go` lets it request a token. */
	async function start(server: PlayedOAuth): Promise<{ go(): Promise<string>; kill(): Promise<void> }> {
		const child = Bun.spawn([process.execPath, "-e", script], {
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
			env: { ...process.env, ...server.env, VAULT: path },
		});
		const reader = child.stdout.getReader();
		const line = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value).trim();
		expect(await line()).toBe("ready");
		return {
			async go() {
				await child.stdin.write("go\n");
				await child.stdin.end();
				return line();
			},
			async kill() {
				child.kill("SIGKILL");
				await child.exited;
			},
		};
	}

	async function expired(server: PlayedOAuth): Promise<void> {
		time = Date.now() - hour;
		using store = await open(server);
		await logIn(store, server);
	}

	test("do not use one refresh token twice", async () => {
		await using server = playOAuth("anthropic");
		await expired(server);
		const children = await Promise.all([start(server), start(server), start(server)]);
		const { arrived, release } = server.hold();
		const pending = children.map((child) => child.go());
		await arrived;
		release();
		const tokens = await Promise.all(pending);
		expect(new Set(tokens).size).toBe(1);
		expect(tokens[0]).toStartWith("access-");
		expect({ renewals: server.renewals, reused: server.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test("take over from one that died, once its lease is over", async () => {
		await using server = playOAuth("anthropic");
		await expired(server);
		const first = await start(server);
		const { arrived, release } = server.hold();
		void first.go();
		await arrived;
		await first.kill();
		server.stumble(server.flow.tokenUrl, () =>
			Response.json({ access_token: "taken-over-token", expires_in: 3600 }),
		);
		time = Date.now() + limits.leaseMs + 1000;
		using store = await open(server);
		expect(await store.getApiKey("anthropic")).toBe("taken-over-token");
		release();
	});
});
