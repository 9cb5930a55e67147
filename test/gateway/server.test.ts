/** Who may use the gateway and how much, what it tells about itself, and what it does when clients leave. */
import { playModel, type Scenario } from "@tau/ai/testing";
import { Keys, readRights, SqliteLedger, type RightsText } from "@tau/gateway";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { providers, serveGateway, servedModel, type ServedGateway } from "./gateway.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-gateway-"));
const database = join(directory, "keys.db");
const answers: Scenario = {
	steps: [],
	fallback: { answer: { blocks: [{ text: "ok" }], usage: { input: 1_000_000, output: 0 } } },
};
let served: ServedGateway;
let keys: Keys;
beforeAll(async () => {
	const ledger = new SqliteLedger(database);
	keys = new Keys(ledger);
	served = await serveGateway(answers, { ledger, origins: ["https://page.example"] });
});
afterAll(async () => {
	await served[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true });
});

const body = { model: "played-messages", max_tokens: 9, messages: [{ role: "user", content: "hi" }] };

function ask(
	token: string,
	path = "/v1/messages",
	init: RequestInit = {},
	json: object = body,
): Promise<Response> {
	const { headers, ...more } = init;
	return fetch(`${served.url}${path}`, {
		method: "POST",
		body: JSON.stringify(json),
		...more,
		headers: { authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
	});
}

function look(path: string, token = "token"): Promise<Response> {
	return fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

async function keyWith(rights: RightsText): Promise<string> {
	return (await keys.create(readRights(rights))).key;
}

describe("a request", () => {
	test.each(["", "wrong", "sk-tau-abc-" + "x".repeat(43)])(
		"with the token %p is refused, and nothing is asked",
		async (token) => {
			const before = served.played.requests.length;
			const response = await ask(token);
			expect(response.status).toBe(401);
			expect(served.played.requests).toHaveLength(before);
		},
	);

	test("without a token learns only that the gateway runs", async () => {
		expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
		for (const path of ["/v1/models", "/v1/usage", "/metrics", "/v1/credentials/check"])
			expect((await fetch(served.url + path)).status).toBe(401);
	});

	test("under another name is refused", async () => {
		expect((await ask("token", "/v1/messages", { headers: { host: "evil.example" } })).status).toBe(403);
	});

	test("of a page is refused, unless its origin is listed", async () => {
		const foreign = await ask("token", "/v1/messages", { headers: { origin: "https://evil.example" } });
		expect(foreign.status).toBe(403);
		expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
		const listed = await ask("token", "/v1/messages", { headers: { origin: "https://page.example" } });
		expect(listed.headers.get("access-control-allow-origin")).toBe("https://page.example");
	});

	test.each([
		["not JSON", "{", 400],
		["a list", "[]", 400],
		["NUL bytes", '{"model":"\\u0000"}', 404],
		["an unknown model", '{"model":"nobody/none"}', 404],
	])("that is %s is refused", async (_what, text, status) => {
		const response = await ask("token", "/v1/messages", { body: text });
		expect(response.status).toBe(status);
		expect(await response.json()).toMatchObject({ type: "error" });
	});

	test("reaches the provider with the provider's key, byte for byte", async () => {
		const text = `{ "max_tokens": 9, "messages": [{"role":"user","content":"hi"}],\n "model": "played-messages", "unknown_field": [1] }`;
		await (await ask("token", "/v1/messages", { body: text })).text();
		const request = served.played.requests.at(-1);
		expect(request?.rawBody).toBe(text);
		expect(request?.headers).toMatchObject({ "x-api-key": "secret" });
		// Numbers that JavaScript has no exact value for, too.
		const named = `{"model" : "messages/played-messages","seed":12345678901234567890,"max_tokens":9.0,"messages":[]}`;
		await (await ask("token", "/v1/messages", { body: named })).text();
		const expected = named.replace(/"model" : "[^"]*"/, '"model":"played-messages"');
		expect(served.played.requests.at(-1)?.rawBody).toBe(expected);
	});

	test("says what a provider cannot take", async () => {
		const wanted = {
			...body,
			model: "played-responses",
			top_k: 5,
			stop_sequences: ["x"],
			mcp_servers: [{}],
			temperature: 0.5,
		};
		const response = await ask("token", "/v1/messages", {}, wanted);
		expect(response.headers.get("x-tau-dropped")?.split(", ").toSorted()).toEqual([
			"mcp_servers",
			"stop",
			"temperature",
			"top_k",
		]);
	});
});

describe("an image or a document by its address that the provider cannot fetch", () => {
	const address = "https://internal.example/secret";
	const upload = "https://generativelanguage.googleapis.com/v1beta/files/secret";
	const part = (blocks: object[]): object => ({ ...body, messages: [{ role: "user", content: blocks }] });
	const text = { type: "text", text: "hi" };
	const image = { type: "image", source: { type: "url", url: address } };
	const document = { type: "document", source: { type: "url", url: address } };
	const file = (fileData: object): object => ({
		contents: [{ role: "user", parts: [{ text: "hi" }, { fileData }] }],
	});
	test.each([
		// Google has to be told what it will find.
		["/v1/messages", "played-google", part([text, image]), "image.url"],
		["/v1/messages", "played-completions", part([text, document]), "document.url"],
		[
			"/v1/messages",
			"played-google",
			part([text, { type: "image", source: { type: "file", file_id: "secret" } }]),
			"messages.image.file",
		],
		[
			"/v1/responses",
			"played-messages",
			{
				input: [
					{
						role: "user",
						content: [
							{ type: "input_text", text: "hi" },
							{ type: "input_file", file_id: "secret" },
						],
					},
				],
			},
			"input.input_file",
		],
		// What was uploaded to one vendor, and a video.
		[
			"/v1beta/models/MODEL:generateContent",
			"played-messages",
			file({ fileUri: upload, mimeType: "image/png" }),
			"contents.fileData",
		],
		[
			"/v1beta/models/MODEL:generateContent",
			"played-messages",
			file({ fileUri: address, mimeType: "video/mp4" }),
			"contents.fileData",
		],
	])(
		"of %s for %s is named as dropped, and never fetched by the gateway",
		async (path, model, json, name) => {
			const response = await ask("token", path.replace("MODEL", model), {}, { ...json, model });
			expect([response.status, response.headers.get("x-tau-dropped")]).toEqual([
				200,
				expect.stringContaining(name),
			]);
			expect(served.played.requests.at(-1)?.rawBody).not.toContain("secret");
			expect(served.played.requests.at(-1)?.rawBody).toContain("hi");
		},
	);

	test("is named by a protocol that has bytes alone", async () => {
		await using played = await playModel(answers);
		const model = servedModel(played, "completions", { api: "ollama-chat", baseUrl: played.url });
		await using other = await serveGateway(answers, { played, models: [model] });
		const response = await fetch(`${other.url}/v1/messages`, {
			method: "POST",
			headers: { authorization: "Bearer token" },
			body: JSON.stringify({ ...part([text, image]), model: model.id }),
		});
		expect([response.status, response.headers.get("x-tau-dropped")]).toEqual([200, "image.url"]);
		expect(played.requests[0]?.rawBody).not.toContain("secret");
	});
});

describe("a key", () => {
	test("is stored hashed, in a file of its owner", async () => {
		const key = await keyWith({ name: "ci" });
		expect(statSync(database).mode & 0o777).toBe(0o600);
		const files = [database, `${database}-wal`].map((path) => Bun.file(path).text());
		expect((await Promise.all(files)).join()).not.toContain(key.slice(-43));
		expect((await ask(key)).status).toBe(200);
	});

	test("may use the models of its patterns only", async () => {
		const key = await keyWith({ models: "completions/*,played-mess*" });
		expect((await ask(key)).status).toBe(200);
		expect((await ask(key, "/v1/messages", {}, { ...body, model: "google/played-google" })).status).toBe(403);
		expect(await (await look("/v1/models", key)).json()).toMatchObject({
			data: [{ id: "messages/played-messages" }, { id: "completions/played-completions" }],
		});
	});

	test.each([
		`{"model":"dear","MODEL":"dear","model":"played-messages","max_tokens":9,"messages":[]}`,
		String.raw`{"mod\u0065l":"dear","model":"played-messages","max_tokens":9,"messages":[]}`,
		`{"model":"played-messages","Model":"dear","max_tokens":9,"messages":[]}`,
	])("cannot name a second model for the provider: %s", async (text) => {
		const key = await keyWith({ models: "played-messages" });
		await (await ask(key, "/v1/messages", { body: text })).text();
		const { rawBody = "" } = served.played.requests.at(-1) ?? {};
		expect(JSON.parse(rawBody)).toMatchObject({ model: "played-messages" });
		expect(rawBody).not.toContain("dear");
	});

	test("has a budget, and learns when it may ask again", async () => {
		const key = await keyWith({ budget: "2/day" });
		await (await ask(key)).text();
		const response = await ask(key);
		expect(response.status).toBe(429);
		expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
		expect(response.headers.get("x-tau-failure")).toBe("rate_limit");
	});

	test("ends when it is revoked, and when its time is over", async () => {
		const { key, row } = await keys.create(readRights({}));
		expect(await keys.revoke(row.id)).toBe(true);
		expect((await ask(key)).status).toBe(401);
		for (const path of ["/v1/models", "/v1/usage"]) expect((await look(path, key)).status).toBe(401);
		const late = await keys.create(readRights({ expires: "1m" }, Date.now() - 3_600_000));
		expect((await ask(late.key)).status).toBe(401);
		expect((await look("/v1/usage", late.key)).status).toBe(401);
		expect(await keys.revoke("nobody")).toBe(false);
	});

	test("sees its own account only", async () => {
		const key = await keyWith({});
		await (await ask(key)).text();
		const own = await (await look("/v1/usage", key)).json();
		expect(own).toMatchObject({ today: { requests: 1, input: 1_000_000, cost: 3 } });
		expect(own).not.toHaveProperty("keys");
		expect((await look("/metrics", key)).status).toBe(404);
		expect(await (await look("/v1/usage")).json()).toHaveProperty("keys");
	});

	test.each([
		{ budget: "5" },
		{ budget: "x/day" },
		{ budget: "0/day" },
		{ budget: "5/day,6/day" },
		{ rpm: "0" },
		{ tpm: "-1" },
		{ expires: "soon" },
	])("cannot have %p", (rights) => {
		expect(() => readRights(rights)).toThrow("--");
	});
});

describe("the holder of the token makes a key", () => {
	const make = (json: object) => ask("token", "/v1/keys", {}, json);

	test("with limits as texts, numbers and lists", async () => {
		const made = await make({ name: "ci", models: ["played-messages", "x/*"], rpm: 60, budget: "5/day" });
		const { id } = (await made.json()) as { id: string };
		const row = (await keys.list()).find((each) => each.id === id);
		expect(row).toMatchObject({
			models: ["played-messages", "x/*"],
			requestsPerMinute: 60,
			budgetPerDay: 5,
		});
	});

	test.each([{ model: "x" }, { models: [1] }, { models: {} }, { rpm: true }, { budget: null }])(
		"but not with %j, which would be a key without that limit",
		async (json) => {
			const count = (await keys.list()).length;
			expect((await make(json)).status).toBe(400);
			expect(await keys.list()).toHaveLength(count);
		},
	);
});

test("a second gateway at the same address says so, and leaves the first alone", async () => {
	const { bind } = served.gateway;
	const reason = /^Cannot listen on 127\.0\.0\.1:\d+: .*Use --bind for another address\.$/;
	await expect(serveGateway(answers, { bind })).rejects.toThrow(reason);
	expect((await look("/v1/models")).status).toBe(200);
});

test("a token whose file is gone opens for nobody, not even without one", async () => {
	await using other = await serveGateway(answers, { token: () => "" });
	for (const headers of [{}, { "x-api-key": "" }, { authorization: "Bearer " }])
		expect((await fetch(`${other.url}/v1/models`, { headers })).status).toBe(401);
});

test("models are listed in the form of each vendor", async () => {
	const anthropic = await fetch(`${served.url}/v1/models`, {
		headers: { "x-api-key": "token", "anthropic-version": "2023-06-01" },
	});
	const others = Array.from({ length: providers.length - 1 }, () => ({}));
	expect(await anthropic.json()).toMatchObject({
		data: [{ type: "model", id: "messages/played-messages" }, ...others],
	});
	expect(await (await look("/v1/models")).json()).toMatchObject({
		object: "list",
		data: [{ object: "model" }, ...others],
	});
	expect(await (await look("/v1beta/models")).json()).toMatchObject({
		models: [{ name: "models/messages/played-messages" }, ...others],
	});
});

test("metrics count requests and tokens, and no content", async () => {
	await (await ask("token", "/v1/chat/completions", {}, { ...body, model: "played-messages" })).text();
	const text = await (await look("/metrics")).text();
	expect(text).toMatch(/tau_gateway_requests_total\{model="messages\/played-messages",outcome="ok"\} \d+/);
	expect(text).toMatch(/tau_gateway_active 0/);
});

// The played server of Anthropic's protocol has no such address, as many others.
test.each(["played-google", "played-messages"])(
	"tokens of a request to %s, which cannot count them, are estimated",
	async (model) => {
		const response = await ask("token", "/v1/messages/count_tokens", {}, { ...body, model });
		expect([response.status, response.headers.get("x-tau-estimated")]).toEqual([200, "true"]);
		expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
	},
);

test("a client that leaves ends the request to the provider", async () => {
	served.played.setScenario({
		steps: [],
		fallback: { answer: { blocks: [{ text: "long ".repeat(400), chunks: 400 }], delayMs: 20 } },
	});
	for (const model of ["played-messages", "played-completions"]) {
		const leaving = new AbortController();
		const number = served.played.requests.length + 1;
		const response = await ask(
			"token",
			"/v1/messages",
			{ signal: leaving.signal },
			{ ...body, model, stream: true },
		);
		await response.body?.getReader().read();
		leaving.abort();
		expect(await served.played.waitForEnd(number)).toMatchObject({ aborted: true });
	}
	served.played.setScenario(answers);
});

test("a refused credential makes way for the next, before the answer begins", async () => {
	await using other = await serveGateway(
		{ steps: [{ fault: { http: 429, retryAfter: 60 } }, { fault: { http: 401 } }], fallback: "ok" },
		{ keys: ["first", "second", "third"] },
	);
	const response = await fetch(`${other.url}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: "Bearer token" },
		body: JSON.stringify(body),
	});
	expect(response.status).toBe(200);
	expect(other.outcomes.map(({ key, outcome }) => `${key} ${outcome.kind}`)).toEqual([
		"first rate_limit",
		"second auth",
		"third ok",
	]);
});

test("200 streams at once are all answered", async () => {
	served.played.setScenario({
		steps: [],
		fallback: { answer: { blocks: [{ text: "word ".repeat(50), chunks: 20 }] } },
	});
	const texts = await Promise.all(
		Array.from({ length: 200 }, async (_, at) => {
			const model = at % 2 === 0 ? "played-messages" : "played-google";
			return await (await ask("token", "/v1/messages", {}, { ...body, model, stream: true })).text();
		}),
	);
	expect(texts.every((text) => text.includes("message_stop"))).toBe(true);
	served.played.setScenario(answers);
});

test("Tau and omp ask in their own words", async () => {
	const context = { systemPrompt: "Be brief.", messages: [{ role: "user", content: "hi", timestamp: 0 }] };
	const tau = await ask(
		"token",
		"/v1/stream",
		{},
		{ model: { provider: "google", id: "played-google" }, context },
	);
	expect(await tau.text()).toMatch(/"type":"text_delta".*"delta":"ok"[^]*"type":"done"/);
	const omp = await ask("token", "/v1/pi/stream", {}, { modelId: "played-google", context });
	expect(await omp.text()).toMatch(/"type":"done"[^]*data: \[DONE\]\n\n$/);
	const whole = await ask("token", "/v1/pi/stream", {}, { modelId: "played-google", context, stream: false });
	expect(await whole.json()).toMatchObject({ message: { role: "assistant", content: [{ text: "ok" }] } });
});

test("Responses are also answered over a websocket, and continue one another", async () => {
	const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/responses`, {
		headers: { authorization: "Bearer token" },
	} as never);
	const events: { type: string; response?: { id: string } }[] = [];
	const next = async (input: string, previous?: string): Promise<string> => {
		const done = Promise.withResolvers<string>();
		const stop = new AbortController();
		const onEvent = ({ data }: MessageEvent): void => {
			const event = JSON.parse(String(data)) as (typeof events)[number];
			events.push(event);
			if (event.type === "response.completed") done.resolve(event.response?.id ?? "");
			if (event.type === "error") done.reject(new Error(String(data)));
		};
		socket.addEventListener("message", onEvent, { signal: stop.signal });
		socket.send(
			JSON.stringify({
				type: "response.create",
				model: "played-messages",
				input: [{ role: "user", content: input }],
				...(previous ? { previous_response_id: previous } : {}),
			}),
		);
		return await done.promise.finally(() => stop.abort());
	};
	await new Promise((resolve, reject) => {
		socket.addEventListener("open", resolve);
		socket.addEventListener("error", reject);
	});
	const first = await next("one");
	await next("two", first);
	expect(JSON.stringify(served.played.requests.at(-1)?.body)).toMatch(/one.*ok.*two/);
	await expect(next("three", "resp_unknown")).rejects.toThrow("previous_response_not_found");
	socket.close();
});

test("embeddings are passed on to a provider of that protocol", async () => {
	await using provider = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: async (request) =>
			Response.json({
				path: new URL(request.url).pathname,
				key: request.headers.get("authorization"),
				body: await request.json(),
			}),
	});
	await using played = await playModel({ steps: [] });
	const model = servedModel(played, "completions", { baseUrl: `${provider.url.origin}/v1` });
	await using other = await serveGateway({ steps: [] }, { models: [model] });
	const response = await fetch(`${other.url}/v1/embeddings`, {
		method: "POST",
		headers: { authorization: "Bearer token" },
		body: JSON.stringify({ model: "completions/embed-1", input: "x" }),
	});
	expect(await response.json()).toEqual({
		path: "/v1/embeddings",
		key: "Bearer secret",
		body: { model: "embed-1", input: "x" },
	});
});
