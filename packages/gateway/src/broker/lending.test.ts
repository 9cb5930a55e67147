/** A client works with what the broker lends: while it is there, slow, away, restarted, and never against its word. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browse, playOAuth, type PlayedOAuth } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";

import { lending, loginFor, type Lending } from "./testing/lending.ts";

const minute = 60_000;
const hour = 60 * minute;

const key = { kind: "api_key", access: "sk-lent-key" } as const;

/** Logs in on the broker's machine; returns the token. */
async function logIn(lent: Lending, vendor: PlayedOAuth): Promise<string> {
	const open = (step: { url: string }): void => void browse(step.url);
	const interaction = { show: open, notice: () => {}, paste: () => new Promise<undefined>(() => {}) };
	const result = await lent.own.login(vendor.flow.provider, interaction, new AbortController().signal);
	expect(result.ok).toBe(true);
	return (await lent.own.getApiKey(vendor.flow.provider)) ?? "";
}

function cacheOf({ directory }: Lending, name: string): string {
	return join(directory, name, ".tau/cache/auth-broker-snapshot.enc");
}

describe("what is lent", () => {
	test("is what the broker's machine has, and nothing of the client's own file", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const client = await lent.client("laptop");
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
		expect(client.has("openai")).toBe(true);
		expect(readdirSync(join(lent.directory, "laptop"))).toEqual([".tau"]);
	});

	test("has no refresh tokens, in the answer or in the client's files", async () => {
		await using lent = await lending();
		await lent.own.add("anthropic", loginFor(lent.clock, hour, { account: "ada@example.com" }));
		const text = await (await lent.ask("/v1/snapshot")).text();
		expect(text).toContain("access-lent");
		expect(text).not.toContain("refresh-kept");
		const client = await lent.client("laptop");
		expect(client.list()).toMatchObject([
			{ provider: "anthropic", account: "ada@example.com", renewable: true },
		]);
		expect(await client.storedLogin("anthropic")).toMatchObject({ refresh: "__remote__" });
	});

	test("does not include the logins of the broker's MCP servers; the client's own stay with the client", async () => {
		await using lent = await lending();
		await lent.own.add("mcp:https://x.example", loginFor(lent.clock, hour));
		expect(await (await lent.ask("/v1/snapshot")).json()).toMatchObject({ credentials: [] });
		const client = await lent.client("laptop");
		await client.add("mcp:https://y.example", loginFor(lent.clock, hour, { access: "own-mcp" }));
		expect(await client.storedToken("mcp:https://y.example")).toBe("own-mcp");
		expect(client.list().map(({ provider }) => provider)).toEqual(["mcp:https://y.example"]);
		expect(client.remove("mcp:https://y.example")).toBe(1);
	});

	test("cannot be changed by a client, and the error names the command", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const client = await lent.client("laptop");
		const words = `Credentials are kept by the auth broker ${lent.url}. Run tau auth-broker`;
		await expect(client.add("openai", key)).rejects.toThrow(`${words} login openai on its host.`);
		expect(() => client.remove("openai")).toThrow(`${words} logout openai on its host.`);
		const shown: unknown[] = [];
		const user = {
			show: (step: unknown) => void shown.push(step),
			notice: () => {},
			paste: async () => undefined,
		};
		await expect(client.login("anthropic", user, new AbortController().signal)).rejects.toThrow(
			`${words} login`,
		);
		expect(shown).toEqual([]);
	});

	test("is known to clients that are running: new logins, logouts, and what was disabled and why", async () => {
		await using lent = await lending();
		const client = await lent.client("laptop");
		expect(client.has("openai")).toBe(false);
		await lent.own.add("openai", key);
		lent.clock.now += 20_000;
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
		const [id] = lent.own.list().map((row) => row.id);
		lent.own.report("openai", id, { kind: "auth", status: 401, reason: "the key was deleted" });
		lent.clock.now += 20_000;
		await client.getApiKey("openai");
		await until(() => !client.has("openai"));
		expect(await client.getApiKey("openai")).toBeUndefined();
		expect(client.list()).toMatchObject([{ provider: "openai", refused: "the key was deleted" }]);
	});
});

describe("a renewal", () => {
	test("happens at the broker, before the token ends, and reaches clients that hold the old one", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		const first = await logIn(lent, vendor);
		const client = await lent.client("laptop");
		expect(await client.getApiKey("anthropic")).toBe(first);
		lent.clock.now += 54 * minute;
		await lent.server.sweep();
		expect(vendor.renewals).toBe(0);
		lent.clock.now += 2 * minute;
		await Promise.all([lent.server.sweep(), lent.server.sweep()]);
		expect(vendor.renewals).toBe(1);
		lent.clock.now += 4 * minute;
		const second = await client.getApiKey("anthropic");
		expect(second).toStartWith("access-");
		expect(second).not.toBe(first);
		expect({ renewals: vendor.renewals, reused: vendor.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test("uses a refresh token once for eight clients that ask at the same time, and for one that asks later", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		await logIn(lent, vendor);
		const clients = await Promise.all(Array.from({ length: 9 }, (_, index) => lent.client(`c${index}`)));
		lent.clock.now += hour;
		const [late, ...early] = clients;
		const { arrived, release } = vendor.hold();
		const pending = early.map((client) => client.getApiKey("anthropic"));
		await arrived;
		release();
		const tokens = new Set(await Promise.all(pending));
		tokens.add(await late?.getApiKey("anthropic"));
		expect(tokens.size).toBe(1);
		expect({ renewals: vendor.renewals, reused: vendor.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test("of a token that the provider refuses early is asked for once, whoever has seen the refusal", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		const first = await logIn(lent, vendor);
		const clients = await Promise.all(["a", "b"].map((name) => lent.client(name)));
		for (const client of clients) {
			const used = await client.resolve("anthropic");
			client.report("anthropic", used?.credentialId, { kind: "auth", status: 401 });
		}
		const tokens = await Promise.all(clients.map((client) => client.getApiKey("anthropic")));
		expect(new Set(tokens).size).toBe(1);
		expect(tokens[0]).not.toBe(first);
		expect({ renewals: vendor.renewals, reused: vendor.reused }).toEqual({ renewals: 1, reused: 0 });
	});

	test.each([
		["invalid_grant", 400],
		["invalid_token", 400],
		["unauthorized", 401],
		["forbidden", 403],
	])("that the vendor refuses with %s (%d) disables the login with the cause", async (error, status) => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		await logIn(lent, vendor);
		vendor.stumble(vendor.flow.tokenUrl, () => Response.json({ error }, { status }));
		lent.clock.now += 56 * minute;
		await lent.server.sweep();
		expect(await (await lent.ask("/v1/credentials/disabled")).json()).toMatchObject({
			disabled: [{ provider: "anthropic", type: "oauth", cause: expect.stringContaining(error) }],
		});
		const client = await lent.client("laptop");
		expect(await client.getApiKey("anthropic")).toBeUndefined();
		expect(client.list()).toMatchObject([{ refused: expect.stringContaining(error) }]);
	});

	test.each([
		["is not there", () => new Response("down", { status: 503 })],
		["is behind a page of a proxy", () => new Response("<html>", { status: 403 })],
	])("while the vendor %s changes nothing, and the next sweep succeeds", async (_, fault) => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		await logIn(lent, vendor);
		vendor.stumble(vendor.flow.tokenUrl, fault);
		lent.clock.now += 56 * minute;
		await lent.server.sweep();
		expect(await (await lent.ask("/v1/credentials/disabled")).json()).toMatchObject({ disabled: [] });
		await lent.server.sweep();
		expect(vendor.renewals).toBe(1);
	});

	test("is not caused by a client whose clock is wrong", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		const first = await logIn(lent, vendor);
		for (const offset of [5 * hour, -5 * hour]) {
			const client = await lent.client(`off${offset}`, { now: () => lent.clock.now + offset });
			expect(await client.getApiKey("anthropic")).toBe(first);
		}
		expect(vendor.renewals).toBe(0);
	});

	test("follows a broker's clock that jumps: a day of sleep, and back", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		const first = await logIn(lent, vendor);
		const client = await lent.client("laptop");
		lent.clock.now += 24 * hour;
		await lent.server.sweep();
		const second = await client.getApiKey("anthropic");
		lent.clock.now -= 24 * hour;
		await lent.server.sweep();
		expect([second === first, await client.getApiKey("anthropic")]).toEqual([false, second ?? ""]);
		expect({ renewals: vendor.renewals, reused: vendor.reused }).toEqual({ renewals: 1, reused: 0 });
	});
});

describe("a broker that is away", () => {
	test("is not needed within the time of the cache, and is after it", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await lent.client("laptop");
		await lent.stop();
		lent.clock.now += 59 * minute;
		const client = await lent.client("laptop");
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
		lent.clock.now += 2 * minute;
		await expect(client.getApiKey("openai")).rejects.toThrow(`Cannot reach the auth broker ${lent.url}`);
		await expect(lent.client("laptop")).rejects.toThrow("Check that tau auth-broker serve runs there.");
	});

	test("is missed at once without a cache", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const env = { TAU_AUTH_BROKER_SNAPSHOT_TTL_MS: "0" };
		await lent.client("laptop", { env });
		expect(() => statSync(cacheOf(lent, "laptop"))).toThrow();
		await lent.stop();
		const inWords =
			/^Cannot reach the auth broker [^?]+[^.?]\. Check that tau auth-broker serve runs there\.$/;
		await expect(lent.client("laptop", { env })).rejects.toThrow(inWords);
	});

	test("is not missed by a running client when it restarts", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const client = await lent.client("laptop");
		await lent.restart();
		await lent.own.add("groq", { ...key, access: "gsk-lent-key" });
		lent.clock.now += 20_000;
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
		expect(await client.getApiKey("groq")).toBe("gsk-lent-key");
	});

	test("leaves a token that still lasts in use, and says why one that has ended is not", async () => {
		await using vendor = playOAuth("anthropic");
		await using lent = await lending(vendor);
		const first = await logIn(lent, vendor);
		const env = { TAU_AUTH_BROKER_SNAPSHOT_TTL_MS: String(24 * hour) };
		const client = await lent.client("laptop", { env });
		await lent.stop();
		lent.clock.now += hour - 30_000;
		expect(await client.getApiKey("anthropic")).toBe(first);
		lent.clock.now += minute;
		await expect(client.getApiKey("anthropic")).rejects.toThrow(`Cannot reach the auth broker ${lent.url}`);
	});

	test("does not hold up a start that has a cache, and its late answer counts from then on", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await using front = gated(lent);
		await lent.client("laptop", { url: front.url });
		await lent.own.add("groq", { ...key, access: "gsk-lent-key" });
		const gate = Promise.withResolvers<void>();
		front.gate = gate.promise;
		const client = await lent.client("laptop", { url: front.url });
		expect({ waiting: front.waiting, openai: client.has("openai"), groq: client.has("groq") }).toEqual({
			waiting: 2,
			openai: true,
			groq: false,
		});
		gate.resolve();
		await until(() => client.has("groq"));
	});
});

describe("a no of the broker", () => {
	test("is not masked by a cache", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await using front = switched(lent);
		await lent.client("laptop", { url: front.url });
		front.isOpen = false;
		await expect(lent.client("laptop", { url: front.url })).rejects.toThrow(
			"does not accept the token (HTTP 403)",
		);
		const words = "does not accept the token (HTTP 401). Run tau auth-broker token on its host";
		await expect(lent.client("laptop", { token: "wrong" })).rejects.toThrow(words);
	});

	test("reaches a running client with its next request, and is taken back", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await using front = switched(lent);
		const notices: string[] = [];
		const client = await lent.client("laptop", { url: front.url, notices });
		front.isOpen = false;
		lent.clock.now += 20_000;
		await client.getApiKey("openai");
		await until(() => !client.has("openai"));
		await expect(client.getApiKey("openai")).rejects.toThrow("does not accept the token (HTTP 403)");
		expect(notices[0]).toContain("does not accept the token");
		front.isOpen = true;
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
	});
});

describe("the cache", () => {
	test("is encrypted, private and of one broker and token", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await lent.client("laptop");
		const file = cacheOf(lent, "laptop");
		const bytes = readFileSync(file);
		expect(bytes.includes("sk-lent-key")).toBe(false);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		await lent.stop();
		for (const other of [{ token: "another" }, { url: "http://127.0.0.1:9" }])
			await expect(lent.client("laptop", other)).rejects.toThrow("Cannot reach the auth broker");
		expect(await (await lent.client("laptop")).getApiKey("openai")).toBe("sk-lent-key");
	});

	test.each([
		["empty", Buffer.alloc(0)],
		["of another program", Buffer.from("SQLite format 3\0")],
		["cut off", undefined],
		["flipped in one bit", undefined],
	])("that is %s is replaced by what the broker says", async (how, content) => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await lent.client("laptop");
		const file = cacheOf(lent, "laptop");
		const whole = readFileSync(file);
		const flipped = Buffer.from(whole);
		flipped[flipped.length - 20] = (flipped.at(-20) ?? 0) ^ 1;
		writeFileSync(file, content ?? (how === "cut off" ? whole.subarray(0, whole.length / 2) : flipped));
		const client = await lent.client("laptop");
		expect(await client.getApiKey("openai")).toBe("sk-lent-key");
		await lent.stop();
		expect(await (await lent.client("laptop")).getApiKey("openai")).toBe("sk-lent-key");
	});

	test("does not last longer when the client's clock is set back", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		await lent.client("laptop");
		await lent.stop();
		lent.clock.now -= 2 * hour;
		await expect(lent.client("laptop")).rejects.toThrow("Cannot reach the auth broker");
	});
});

test("what one client learns of a credential, others know: a rest, its end, a refusal", async () => {
	await using lent = await lending();
	await lent.own.add("openai", key);
	const one = await lent.client("one");
	const used = (await one.resolve("openai"))?.credentialId;
	one.report("openai", used, { kind: "rate_limit", retryAfterMs: 90_000 });
	await untilOwn(lent, ({ restsUntil }) => restsUntil === lent.clock.now + 90_000);
	const two = await lent.client("two");
	expect(await two.resolve("openai")).toMatchObject({ resting: true });
	one.report("openai", used, { kind: "ok" });
	await untilOwn(lent, ({ restsUntil }) => restsUntil === 0);
	one.report("openai", used, { kind: "auth", status: 401, reason: "unknown key" });
	await untilOwn(lent, ({ refused }) => refused === "unknown key");
});

function untilOwn(
	{ own }: Lending,
	holds: (row: ReturnType<Lending["own"]["list"]>[number]) => boolean,
): Promise<void> {
	return until(() => own.list().some(holds));
}

async function until(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!holds()) {
		if (Date.now() > deadline) throw new Error("It has not happened.");
		await Bun.sleep(5);
	}
}

interface Front extends AsyncDisposable {
	readonly url: string;
}

function frontOf(answer: (request: Request) => Response | Promise<Response>): Front {
	const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
	return {
		url: `http://127.0.0.1:${server.port}`,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

function passOn({ url }: Lending, request: Request): Promise<Response> {
	const { pathname, search } = new URL(request.url);
	const headers = new Headers(request.headers);
	headers.delete("host");
	return fetch(url + pathname + search, { method: request.method, headers });
}

function switched(lent: Lending): Front & { isOpen: boolean } {
	const state = { isOpen: true };
	const server = frontOf((request) =>
		state.isOpen ? passOn(lent, request) : new Response("no", { status: 403 }),
	);
	return Object.assign(state, server);
}

function gated(lent: Lending): Front & { gate: Promise<void>; waiting: number } {
	const state = { gate: Promise.resolve(), waiting: 0 };
	const server = frontOf(async (request) => {
		state.waiting++;
		await state.gate;
		state.waiting--;
		return passOn(lent, request);
	});
	return Object.assign(state, server);
}
