/** The broker's endpoints: who may ask, what is answered, and what no input can do. */
import { statSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { parseBind } from "../access/index.ts";
import { BrokerServer } from "./server.ts";
import { lending, loginFor, type Lending } from "./testing/lending.ts";

const hour = 60 * 60_000;
const key = { kind: "api_key", access: "sk-lent-key" } as const;

interface Answered {
	generation: number;
	credentials: {
		id: number;
		provider: string;
		credential: object;
		identityKey: string | null;
		rotatesInMs: number | null;
		blocks?: unknown[];
	}[];
	generatedAt: number;
	serverNowMs: number;
	refresher: object;
}

async function snapshot(lent: Lending): Promise<Answered> {
	return (await (await lent.ask("/v1/snapshot")).json()) as Answered;
}

async function idOf(lent: Lending): Promise<number> {
	return (await snapshot(lent)).credentials[0]?.id ?? 0;
}

function post(body: unknown): RequestInit {
	return { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
}

describe("who may ask", () => {
	test.each([
		["no token", {}],
		["a wrong token", { authorization: "Bearer wrong" }],
		["the beginning of the token", { authorization: `Bearer ${"t".repeat(42)}` }],
		["another scheme", { authorization: `Basic ${"t".repeat(43)}` }],
	])("nobody with %s, but for the health", async (_, headers) => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		for (const path of ["/v1/snapshot", "/v1/snapshot/stream", "/v1/usage", "/nowhere"]) {
			const answer = await fetch(lent.url + path, { headers });
			expect({ path, status: answer.status, text: await answer.text() }).toEqual({
				path,
				status: 401,
				text: '{"error":"The token is missing or wrong."}',
			});
		}
		const health = await fetch(`${lent.url}/v1/healthz`, { headers });
		expect(await health.json()).toEqual({ ok: true, version: expect.any(String) });
	});

	test("nobody under a name that is not the broker's", async () => {
		await using lent = await lending();
		for (const path of ["/v1/healthz", "/v1/snapshot"]) {
			const answer = await lent.ask(path, { headers: { host: "evil.example" } });
			expect(answer.status).toBe(421);
		}
	});

	test("no page: answers carry no permission for other origins, and are not kept", async () => {
		await using lent = await lending();
		const answer = await lent.ask("/v1/snapshot", { headers: { origin: "https://evil.example" } });
		expect(answer.headers.get("access-control-allow-origin")).toBeNull();
		expect(answer.headers.get("cache-control")).toBe("no-store");
	});
});

test("a second broker at the same address says so, and leaves the first alone", async () => {
	await using lent = await lending();
	const second = (): unknown =>
		new BrokerServer({
			bind: parseBind(new URL(lent.url).host),
			token: () => "x",
			path: join(lent.directory, "second/agent.db"),
			env: {},
			onNotice: () => {},
		});
	expect(second).toThrow(/^Cannot listen on 127\.0\.0\.1:\d+: .*Use --bind for another address\.$/);
	expect((await lent.ask("/v1/snapshot")).status).toBe(200);
});

describe("a snapshot", () => {
	test("has omp's shape", async () => {
		await using lent = await lending();
		await lent.own.add("anthropic", loginFor(lent.clock, hour, { account: "ada@example.com" }));
		await lent.own.add("openai", key);
		expect(await snapshot(lent)).toEqual({
			generation: expect.any(Number),
			generatedAt: lent.clock.now,
			serverNowMs: lent.clock.now,
			refresher: { enabled: true, intervalMs: 60_000, skewMs: 300_000, nextSweepInMs: 60_000 },
			credentials: [
				{
					id: expect.any(Number),
					provider: "anthropic",
					credential: {
						type: "oauth",
						access: "access-lent",
						refresh: "__remote__",
						expires: lent.clock.now + hour,
						email: "ada@example.com",
					},
					identityKey: "email:ada@example.com",
					rotatesInMs: hour - 300_000,
				},
				{
					id: expect.any(Number),
					provider: "openai",
					credential: { type: "api_key", key: "sk-lent-key" },
					identityKey: null,
					rotatesInMs: null,
				},
			],
		});
	});

	test("is not sent again to a client that has it, also as a weak or bare tag", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const first = await lent.ask("/v1/snapshot");
		const tag = first.headers.get("etag") ?? "";
		expect(tag).toMatch(/^"\d+"$/);
		for (const known of [tag, `W/${tag}`, tag.replaceAll('"', "")]) {
			const again = await lent.ask("/v1/snapshot", { headers: { "if-none-match": known } });
			expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, tag, ""]);
		}
		await lent.own.add("groq", { ...key, access: "gsk-lent" });
		const changed = await lent.ask("/v1/snapshot", { headers: { "if-none-match": tag } });
		expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
	});

	test("can be waited for: the change of another process ends the wait, and so does the time", async () => {
		await using lent = await lending();
		const tag = (await lent.ask("/v1/snapshot")).headers.get("etag") ?? "";
		const headers = { "if-none-match": tag };
		expect((await lent.ask("/v1/snapshot?wait=20", { headers })).status).toBe(304);
		const waiting = lent.ask("/v1/snapshot?wait=30000", { headers });
		await lent.own.add("openai", key);
		expect((await (await waiting).json()) as Answered).toMatchObject({
			credentials: [{ provider: "openai" }],
		});
	});

	test("of a restarted broker is not taken for a known one", async () => {
		await using lent = await lending();
		const before = await snapshot(lent);
		lent.clock.now += 1;
		await lent.restart();
		expect((await snapshot(lent)).generation).toBeGreaterThan(before.generation);
	});
});

test("the stream sends the snapshot, then each change, and ends with the broker", async () => {
	await using lent = await lending();
	await lent.own.add("openai", key);
	const answer = await lent.ask("/v1/snapshot/stream");
	expect(answer.headers.get("content-type")).toBe("text/event-stream");
	const events: { kind: string; generation: number }[] = [];
	const reading = (async () => {
		const decoder = new TextDecoder();
		let text = "";
		for await (const chunk of answer.body ?? []) {
			text += decoder.decode(chunk, { stream: true });
			const parts = text.split("\n\n");
			text = parts.pop() ?? "";
			for (const part of parts) {
				const [event, data] = part.split("\n");
				if (!data?.startsWith("data: ")) continue;
				const value = JSON.parse(data.slice(6)) as { kind: string; generation: number };
				expect(event).toBe(`event: ${value.kind}`);
				events.push(value);
			}
			if (events.length === 1) await lent.own.add("groq", { ...key, access: "gsk-lent" });
			if (events.length === 2) lent.own.remove("openai");
			if (events.length === 3) await lent.stop();
		}
	})();
	await reading;
	expect(events.map(({ kind }) => kind)).toEqual(["snapshot", "entry", "removed"]);
	expect(events[1]).toMatchObject({ entry: { provider: "groq", credential: { key: "gsk-lent" } } });
	expect(events[2]?.generation).toBe((events[0]?.generation ?? 0) + 2);
	await lent.restart();
});

describe("a credential", () => {
	test("can be sent, replaces the one of its account, and is answered without its refresh token", async () => {
		await using lent = await lending();
		const credential = {
			type: "oauth",
			access: "sent-access",
			refresh: "sent-refresh",
			expires: lent.clock.now + hour,
			email: "ada@example.com",
		};
		for (const access of ["sent-access", "newer-access"]) {
			const body = { provider: "anthropic", credential: { ...credential, access } };
			const text = await (await lent.ask("/v1/credential", post(body))).text();
			expect(text).toContain(access);
			expect(text).not.toContain("sent-refresh");
		}
		expect(lent.own.list()).toMatchObject([
			{ provider: "anthropic", account: "ada@example.com", renewable: true },
		]);
		expect(await lent.own.getApiKey("anthropic")).toBe("newer-access");
	});

	test.each([
		["no JSON", "{", "The body is not a JSON object."],
		["a list", [], "The body is not a JSON object."],
		["nothing", "", "Not a credential"],
		["no provider", { credential: { type: "api_key", key: "k" } }, "Not a credential"],
		[
			"a path as a provider",
			{ provider: "a b\n", credential: { type: "api_key", key: "k" } },
			"Not a credential",
		],
		["no key", { provider: "openai", credential: { type: "api_key", key: "" } }, "Not a credential"],
		[
			"a key with a line",
			{ provider: "openai", credential: { type: "api_key", key: "secret\r\nx: y" } },
			"Not a credential",
		],
		[
			"another type",
			{ provider: "openai", credential: { type: "password", key: "secret" } },
			"Not a credential",
		],
		[
			"a borrowed login",
			{
				provider: "anthropic",
				credential: { type: "oauth", access: "a", refresh: "__remote__", expires: 1 },
			},
			"its refresh token is with another broker",
		],
	])("that is %s is refused, and not quoted", async (_, body, words) => {
		await using lent = await lending();
		const answer = await lent.ask("/v1/credential", post(body));
		const text = await answer.text();
		expect([answer.status, text]).toEqual([400, expect.stringContaining(words)]);
		expect(text).not.toContain("secret");
		expect(lent.own.list()).toEqual([]);
	});

	test("of a megabyte is refused", async () => {
		await using lent = await lending();
		const body = { provider: "openai", credential: { type: "api_key", key: "k".repeat(1_000_000) } };
		expect((await lent.ask("/v1/credential", post(body))).status).toBe(413);
	});

	test("rests, is free again, and is disabled with a cause of one line", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const id = await idOf(lent);
		const until = lent.clock.now + 60_000;
		const block = { providerKey: "openai:api_key", blockScope: "", blockedUntilMs: until };
		expect(await (await lent.ask(`/v1/credential/${id}/block`, post(block))).json()).toEqual({ ok: true });
		expect((await snapshot(lent)).credentials[0]?.blocks).toEqual([block]);
		await lent.ask(`/v1/credential/${id}/blocks`, { method: "DELETE" });
		expect((await snapshot(lent)).credentials[0]?.blocks).toBeUndefined();
		await lent.ask(`/v1/credential/${id}/block`, post({ ...block, blockedUntilMs: 9e15 }));
		expect(lent.own.list()[0]?.restsUntil).toBe(lent.clock.now + 24 * hour);
		await lent.ask(`/v1/credential/${id}/disable`, post({ cause: "it\u001b[31m\nwas stolen" }));
		expect((await snapshot(lent)).credentials).toEqual([]);
		expect(await (await lent.ask("/v1/credentials/disabled?provider=openai")).json()).toMatchObject({
			disabled: [{ id, provider: "openai", type: "api_key", cause: expect.not.stringContaining("\n") }],
		});
		expect(await (await lent.ask("/v1/credentials/disabled?provider=x")).json()).toMatchObject({
			disabled: [],
		});
	});

	test("that the broker does not have is named in a 404", async () => {
		await using lent = await lending();
		for (const [path, init] of [
			["refresh", post("")],
			["disable", post({ cause: "x" })],
			["block", post({ blockedUntilMs: 1 })],
			["blocks", { method: "DELETE" }],
		] as const) {
			const answer = await lent.ask(`/v1/credential/42/${path}`, init);
			expect([answer.status, await answer.text()]).toEqual([
				404,
				'{"error":"The auth broker has no usable credential 42. Run tau auth-broker list on its host."}',
			]);
		}
		expect((await lent.ask("/v1/credential/../../etc/passwd/refresh", post(""))).status).toBe(404);
		expect((await lent.ask("/v1/snapshot", post(""))).status).toBe(405);
	});
});

describe("usage", () => {
	const figures = { usage: { limit: "100", used: "25", resetTime: "2027-01-01T00:00:00Z" }, limits: [] };

	/** The vendor's address for the limits of Kimi's subscription. */
	function vendor(): { url: string; state: { status: number; requests: number } } & AsyncDisposable {
		const state = { status: 200, requests: 0 };
		const server = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			fetch: () => {
				state.requests++;
				return Response.json(figures, { status: state.status });
			},
		});
		return {
			url: `http://127.0.0.1:${server.port}/coding/v1`,
			state,
			[Symbol.asyncDispose]: () => server.stop(true),
		};
	}

	test("is asked of the vendor once for all clients, kept for minutes, and a day when the vendor is away", async () => {
		await using kimi = vendor();
		await using lent = await lending(undefined, { KIMI_CODE_BASE_URL: kimi.url });
		await lent.own.add("kimi-code", loginFor(lent.clock, 100 * hour, { account: "ada" }));
		const clients = await Promise.all(["a", "b"].map((name) => lent.client(name)));
		const { signal } = new AbortController();
		const quotas = await Promise.all(
			clients.flatMap((client) => [client.quota("kimi-code", signal), client.quota("kimi-code", signal)]),
		);
		for (const quota of quotas)
			expect(quota).toEqual({
				windows: [{ name: "7 days", usedPercent: 25, resetsAt: Date.parse("2027-01-01") }],
			});
		expect(kimi.state.requests).toBe(1);
		kimi.state.status = 503;
		lent.clock.now += hour;
		expect(await clients[0]?.quota("kimi-code", signal)).toMatchObject({ windows: [{ usedPercent: 25 }] });
		expect(kimi.state.requests).toBe(2);
		lent.clock.now += 25 * hour;
		expect(await clients[0]?.quota("kimi-code", signal)).toBeUndefined();
		kimi.state.status = 200;
		await lent.ask("/v1/usage/stale", post(""));
		expect(await (await lent.ask("/v1/usage")).json()).toMatchObject({
			reports: [
				{
					provider: "kimi-code",
					limits: [{ label: "7 days", amount: { usedFraction: 0.25, unit: "percent" }, status: "ok" }],
				},
			],
		});
		const history = await (await lent.ask("/v1/usage/history?provider=kimi-code")).json();
		expect(history).toMatchObject({
			entries: [{ accountKey: "ada", usedFraction: 0.25 }, { label: "7 days" }],
		});
		expect(await (await lent.ask(`/v1/usage/history?sinceMs=${lent.clock.now + 1}`)).json()).toMatchObject({
			entries: [],
		});
	});

	test("of clients is summed, whatever they send", async () => {
		await using lent = await lending();
		await lent.own.add("openai", key);
		const client = await lent.client("laptop");
		const used = (await client.resolve("openai"))?.credentialId;
		const usage = {
			input: 10,
			output: 5,
			cacheRead: 2,
			cacheWrite: 1,
			totalTokens: 18,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
		};
		client.report("openai", used, { kind: "ok", spent: { model: "m", usage } });
		client.report("openai", used, { kind: "ok", spent: { model: "m", usage } });
		const strange = {
			installId: "x",
			entries: [{ provider: "p", requests: -1, inputTokens: 1e300, at: "no" }, 7, {}],
		};
		expect((await lent.ask("/v1/usage/observed", post(strange))).status).toBe(200);
		expect((await lent.ask("/v1/usage/observed", post({ installId: "x", entries: 1 }))).status).toBe(400);
		const deadline = Date.now() + 60_000;
		let clients: unknown[] = [];
		do {
			const answer = (await (await lent.ask("/v1/usage/clients")).json()) as { clients: unknown[] };
			clients = answer.clients;
		} while (!JSON.stringify(clients).includes('"requests":2') && Date.now() < deadline);
		expect(clients).toContainEqual({
			installId: expect.stringMatching(/^[0-9a-f]{32}$/),
			hostname: expect.any(String),
			firstSeen: lent.clock.now,
			lastSeen: lent.clock.now,
			providers: [
				{
					app: "tau",
					provider: "openai",
					requests: 2,
					inputTokens: 20,
					outputTokens: 10,
					cacheReadTokens: 4,
					cacheWriteTokens: 2,
					costUsd: 1,
				},
			],
		});
		expect(statSync(join(lent.directory, "broker/broker.db")).mode & 0o777).toBe(0o600);
	});
});
