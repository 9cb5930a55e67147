/** A stranger who attacks the gateway over real sockets: requests that are none, names, races, and clients that do not read. */
import type { Scenario } from "@tau/ai/testing";
import { Keys, readRights, SqliteLedger, type RightsText } from "@tau/gateway";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { serveGateway, servedModel, type ServedGateway } from "./gateway.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-gateway-attacks-"));
const answers: Scenario = {
	steps: [],
	fallback: { answer: { blocks: [{ text: "ok" }], usage: { input: 100_000, output: 0 } } },
};
let served: ServedGateway;
let keys: Keys;
let ledger: SqliteLedger;
beforeAll(async () => {
	ledger = new SqliteLedger(join(directory, "keys.db"));
	keys = new Keys(ledger);
	served = await serveGateway(answers, { ledger });
});
afterAll(async () => {
	await served[Symbol.asyncDispose]();
	await ledger[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true });
});

const body = { model: "played-messages", max_tokens: 9, messages: [{ role: "user", content: "hi" }] };

function ask(path: string, json: object | string = body, key = "token"): Promise<Response> {
	return fetch(served.url + path, {
		method: "POST",
		headers: { authorization: `Bearer ${key}` },
		body: typeof json === "string" ? json : JSON.stringify(json),
	});
}

async function keyWith(rights: RightsText): Promise<{ key: string; id: string }> {
	const { key, row } = await keys.create(readRights(rights));
	return { key, id: row.id };
}

/** Sends bytes and gives back all that comes until the server closes, `enough` has come, or the time is over. */
async function raw(text: string, enough?: RegExp, mostMs?: number): Promise<string> {
	const { hostname, port } = new URL(served.url);
	const socket = connect(Number(port), hostname);
	const ended = Promise.withResolvers<void>();
	let received = "";
	socket.on("data", (data) => {
		received += data.toString();
		if (enough?.test(received)) ended.resolve();
	});
	socket.on("close", () => ended.resolve());
	// A connection that is reset has told all it will.
	socket.on("error", () => ended.resolve());
	socket.write(text);
	const timer = mostMs === undefined ? undefined : setTimeout(ended.resolve, mostMs);
	await ended.promise;
	clearTimeout(timer);
	socket.destroy();
	return received;
}

function head(line: string, headers: readonly string[] = [], host = new URL(served.url).host): string {
	return [line, `Host: ${host}`, "Authorization: Bearer token", ...headers, "", ""].join("\r\n");
}

function statusesIn(text: string): string[] {
	return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] ?? "");
}

describe("a request that could be read in two ways", () => {
	const inner = "GET /v1/usage HTTP/1.1\r\nHost: x\r\n\r\n";
	test.each([
		["two lengths", ["Content-Length: 2", `Content-Length: ${inner.length}`], inner],
		["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${inner}`],
		["an unknown encoding", ["Transfer-Encoding: xchunked"], inner],
		["a length that is no number", ["Content-Length: 0x10"], inner],
		["a chunk that is no number", ["Transfer-Encoding: chunked"], `zz\r\n${inner}`],
	])("by %s is refused, and what is inside is not answered", async (_what, headers, rest) => {
		const before = served.played.requests.length;
		const received = await raw(head("POST /v1/messages HTTP/1.1", headers) + rest);
		expect(statusesIn(received).filter((status) => status.startsWith("2"))).toEqual([]);
		expect(received).not.toContain("thisMonth");
		expect(served.played.requests).toHaveLength(before);
	});
});

describe("a name that is not the gateway's", () => {
	test.each(["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "127.0.0.1@evil", "[::1"])(
		"as %p is refused",
		async (host) => {
			const text = head("GET /v1/models HTTP/1.1", ["Connection: close"], host);
			expect(statusesIn(await raw(text, /\r\n\r\n/))).toEqual([expect.stringMatching(/^4/)]);
		},
	);

	test("in the address of the request does not count", async () => {
		const text = head("GET http://evil.example/v1/models HTTP/1.1", ["Connection: close"], "evil.example");
		expect(statusesIn(await raw(text, /\r\n\r\n/))).toEqual([expect.stringMatching(/^4/)]);
	});
});

test("headers without an end are refused, and others are served meanwhile", async () => {
	const endless = raw(head("GET /v1/models HTTP/1.1", [`X-Long: ${"x".repeat(200_000)}`]));
	expect((await ask("/v1/messages")).status).toBe(200);
	expect(statusesIn(await endless).filter((status) => status.startsWith("2"))).toEqual([]);
});

test("a body without a token is not waited for, and one beyond the limit is refused", async () => {
	const { host } = new URL(served.url);
	const strange = `POST /v1/messages HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000\r\n\r\n`;
	expect(statusesIn(await raw(strange, /\r\n\r\n/))).toEqual(["401"]);
	const large = head("POST /v1/messages HTTP/1.1", [`Content-Length: ${65 * 1024 * 1024}`]);
	expect(statusesIn(await raw(large, /\r\n\r\n/))).toEqual(["413"]);
});

describe("large bodies that come together", () => {
	const announced = (key: string): string =>
		head("POST /v1/messages HTTP/1.1", [`Content-Length: ${60 * 2 ** 20}`]).replace("token", key) + "{";
	const isFull = (answer: string): boolean => answer.includes("HTTP/1.1 503");

	/** They begin, and nothing follows. */
	async function fill(key: string, count: number): Promise<Disposable> {
		const { hostname, port } = new URL(served.url);
		const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
		for (const socket of sockets) socket.write(announced(key));
		// Until all of them wait for their bodies.
		for (let answer = ""; !isFull(answer);) answer = await raw(announced(key), /\r\n\r\n/, 50);
		return { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
	}

	test("do not fill the memory, leave room for small ones, and end with their connections", async () => {
		const { key } = await keyWith({});
		const [first, second] = [await fill("token", 4), await fill(key, 4)];
		const other = await keyWith({});
		const refused = await raw(announced(other.key), /\r\n\r\n/);
		expect(refused.toLowerCase()).toContain("retry-after: 1");
		for (const each of ["token", key, other.key])
			expect((await ask("/v1/messages", body, each)).status).toBe(200);
		first[Symbol.dispose]();
		second[Symbol.dispose]();
		for (let answer = "HTTP/1.1 503"; isFull(answer);) answer = await raw(announced("token"), /\r\n\r\n/, 50);
	});

	test("of one key leave room for those of others", async () => {
		const { key } = await keyWith({});
		using _ = await fill(key, 4);
		expect(await raw(announced("token"), /\r\n\r\n/, 200)).toBe("");
		expect(isFull(await raw(announced(key), /\r\n\r\n/))).toBe(true);
	});
});

describe("an address", () => {
	test.each([
		"/v1/models/%zz",
		"/v1beta/models/%ff:generateContent",
		"/v1/__proto__",
		"/constructor",
		"/v1/messages/../../etc/passwd",
		"/v1%2fmessages",
	])("%s is nothing", async (path) => {
		const text = head(`POST ${path} HTTP/1.1`, ["Connection: close", "Content-Length: 2"]);
		expect(statusesIn(await raw(`${text}{}`, /\r\n\r\n/))).toEqual(["404"]);
	});

	test("gives nothing of its query to the provider but the form of the answer", async () => {
		await (
			await ask("/v1beta/models/played-google:streamGenerateContent?key=token&alt=sse&x=1", {
				contents: [{ role: "user", parts: [{ text: "hi" }] }],
			})
		).text();
		expect(served.played.requests.at(-1)?.path).toMatch(/:streamGenerateContent(\?alt=sse)?$/);
		expect(JSON.stringify(served.played.requests.at(-1)?.headers)).not.toContain("token");
	});
});

test("names of models and fields write no header and no line of the counters", async () => {
	const name = 'x\r\nset-cookie: a=b\r\n"} 1\n';
	const unknown = await ask("/v1/messages", { ...body, model: name });
	expect([unknown.status, unknown.headers.get("set-cookie")]).toEqual([404, null]);
	const dropped = await ask("/v1/messages", { ...body, model: "played-google", [name]: 1 });
	expect(dropped.headers.get("set-cookie")).toBeNull();
	expect(dropped.headers.get("x-tau-dropped")).toMatch(/^[\w.:, -]+$/);
	for (const model of [name, ...Array.from({ length: 20 }, (_, at) => `embed-${at}`)])
		await (await ask("/v1/embeddings", { model, input: "x" })).text();
	const metrics = await (await fetch(`${served.url}/metrics`, { headers: { "x-api-key": "token" } })).text();
	expect(metrics).not.toContain("set-cookie");
	expect(metrics).not.toContain("embed-1");
});

test.each([
	'{"__proto__":{"polluted":true},"model":"played-google","max_tokens":9,"messages":[{"role":"user","content":"hi","__proto__":{"polluted":true}}]}',
	'{"constructor":{"prototype":{"polluted":true}},"model":"played-completions","max_tokens":9,"messages":[{"role":"user","content":[{"type":"__proto__"}]}]}',
	'{"model":"played-responses","max_tokens":9,"messages":[{"role":"__proto__","content":"hi"}]}',
])("a body changes no prototype: %s", async (text) => {
	expect((await ask("/v1/messages", text)).status).toBeLessThan(500);
	expect("polluted" in {}).toBe(false);
});

test("deeply nested JSON is answered, and the gateway continues", async () => {
	const deep = `{"model":"played-google","max_tokens":9,"messages":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
	expect((await ask("/v1/messages", deep)).status).toBeGreaterThanOrEqual(400);
	expect((await ask("/v1/messages")).status).toBe(200);
});

describe("a budget", () => {
	test("is not passed by a hundred requests at once", async () => {
		// Each costs 30 cents, and might cost 96.
		const { key, id } = await keyWith({ budget: "2/day" });
		const asking = Array.from({ length: 100 }, async () => {
			const response = await ask("/v1/messages", { ...body, max_tokens: 64_000 }, key);
			await response.text();
			return response;
		});
		const responses = await Promise.all(asking);
		const passed = responses.filter(({ status }) => status === 200);
		expect(passed.length).toBeGreaterThan(0);
		expect((await keys.usage(id)).today.cost).toBeLessThanOrEqual(2.3);
		const refused = responses.find(({ status }) => status === 429);
		expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
	});

	test("is whole again for the next one when requests have ended", async () => {
		const { key, id } = await keyWith({ budget: "1/day" });
		for (const status of [200, 200, 200, 200, 429]) {
			const response = await ask("/v1/messages", { ...body, max_tokens: 64_000 }, key);
			await response.text();
			expect(response.status).toBe(status);
		}
		expect((await keys.usage(id)).today.cost).toBeCloseTo(1.2);
	});

	test("is not passed by what has no price", async () => {
		const { key } = await keyWith({ budget: "1/day" });
		const response = await ask("/v1/images/generations", { model: "completions/draw", prompt: "x" }, key);
		expect(response.status).toBe(403);
	});
});

/** A websocket whose messages are waited for one by one. */
async function openSocket(key: string): Promise<{
	socket: WebSocket;
	send(message: object | string): Promise<Record<string, unknown>>;
	closed: Promise<number>;
}> {
	const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/responses`, {
		headers: { authorization: `Bearer ${key}` },
	} as never);
	const closed = new Promise<number>((resolve) => {
		socket.addEventListener("close", ({ code }) => resolve(code));
	});
	await new Promise((resolve, reject) => {
		socket.addEventListener("open", resolve);
		socket.addEventListener("error", reject);
	});
	const send = async (message: object | string): Promise<Record<string, unknown>> => {
		const last = Promise.withResolvers<Record<string, unknown>>();
		const stop = new AbortController();
		const onMessage = ({ data }: MessageEvent): void => {
			const event = JSON.parse(String(data)) as Record<string, unknown>;
			if (event.type === "response.completed" || event.type === "error") last.resolve(event);
		};
		socket.addEventListener("message", onMessage, { signal: stop.signal });
		socket.send(typeof message === "string" ? message : JSON.stringify(message));
		return await last.promise.finally(() => stop.abort());
	};
	return { socket, send, closed };
}

const create = { type: "response.create", model: "played-messages", input: "hi" };

/** A hundred megabytes go through this process, which takes seconds on a machine with other work. */
const largeMs = 30_000;

describe("a websocket", () => {
	test("of a key ends its use with the key", async () => {
		const { key, id } = await keyWith({});
		const { socket, send } = await openSocket(key);
		expect(await send(create)).toMatchObject({ type: "response.completed" });
		await keys.revoke(id);
		expect(await send(create)).toMatchObject({ type: "error", status: 401 });
		socket.close();
	});

	test.each(["", "{", "[]", "null", '{"type":"response.create"}', '{"type":"session.update"}'])(
		"answers %p with an error, and continues",
		async (text) => {
			const { socket, send } = await openSocket("token");
			expect(await send(text)).toMatchObject({ type: "error" });
			expect(await send(create)).toMatchObject({ type: "response.completed" });
			socket.close();
		},
	);

	test("that asks for more and more without waiting is closed", async () => {
		const { socket, closed } = await openSocket("token");
		for (let at = 0; at < 40; at++) socket.send(JSON.stringify(create));
		expect(await closed).toBe(1008);
	});

	test("is closed at a message that is longer than a request may be", async () => {
		const { socket, closed } = await openSocket("token");
		socket.send("x".repeat(64 * 2 ** 20 + 1));
		expect([1006, 1009]).toContain(await closed);
		expect((await ask("/v1/messages")).status).toBe(200);
	});

	test(
		"whose conversation becomes longer than a request may be is told so",
		async () => {
			const { socket, send } = await openSocket("token");
			const long = { ...create, input: "x".repeat(33 * 2 ** 20) };
			const first = await send(long);
			expect(first).toMatchObject({ type: "response.completed" });
			const { id } = first.response as { id: string };
			const error = { code: "context_length_exceeded" };
			expect(await send({ ...long, previous_response_id: id })).toMatchObject({ type: "error", error });
			socket.close();
		},
		largeMs,
	);

	test("is not opened without a key, or at another address", async () => {
		const upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
		const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
		const other = head("GET /v1/messages HTTP/1.1", [...upgrade, key]);
		expect(statusesIn(await raw(other, /\r\n\r\n/))).toEqual(["400"]);
		const strange = other.replace("Bearer token", "Bearer wrong").replace("/v1/messages", "/v1/responses");
		expect(statusesIn(await raw(strange, /\r\n\r\n/))).toEqual(["401"]);
	});
});

test.each(["text/event-stream", "application/json"])(
	"a provider that quotes its key in an answer of %s does not give it to the client",
	async (type) => {
		const key = "sk-of-the-provider-1234567890";
		await using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: ({ headers }) => {
				const error = { type: "error", error: { type: "api_error", message: headers.get("x-api-key") } };
				return new Response(`event: error\ndata: ${JSON.stringify(error)}\n\n`, {
					headers: { "content-type": type },
				});
			},
		});
		const model = servedModel(served.played, "messages", { baseUrl: server.url.origin });
		const parts = { models: [model], played: served.played, keys: [key] };
		await using quoting = await serveGateway({ steps: [] }, parts);
		const response = await fetch(`${quoting.url}/v1/messages`, {
			method: "POST",
			headers: { authorization: "Bearer token" },
			body: JSON.stringify({ ...body, stream: true }),
		});
		const text = await response.text();
		expect(text).toContain('"api_error","message":"*');
		expect(text).not.toContain(key);
	},
);

describe("a client that does not read", () => {
	/** Far more than all buffers between provider and client hold. */
	const mostBytes = 256 * 2 ** 20;

	/** A provider that writes as long as it is read, and counts. */
	function endless(): { server: Bun.Server<undefined>; sent(): number } {
		let sent = 0;
		const event = (data: { type: string; [field: string]: unknown }): Uint8Array =>
			new TextEncoder().encode(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
		const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
		const first = event({ type: "message_start", message: { ...message, usage: { input_tokens: 1 } } });
		const opening = event({
			type: "content_block_start",
			index: 0,
			content_block: { type: "text", text: "" },
		});
		const delta = event({
			type: "content_block_delta",
			index: 0,
			delta: { type: "text_delta", text: "x".repeat(32 * 1024) },
		});
		const server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () => {
				const pieces = new ReadableStream<Uint8Array>({
					pull(controller) {
						const piece = sent === 0 ? first : sent === first.length ? opening : delta;
						sent += piece.length;
						if (sent > mostBytes) controller.close();
						else controller.enqueue(piece);
					},
				});
				return new Response(pieces, { headers: { "content-type": "text/event-stream" } });
			},
		});
		return { server, sent: () => sent };
	}

	/** Asks over a websocket, and reads nothing more than the answer to the upgrade. */
	function socketRequest(host: string, message: string): Buffer {
		const upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
		const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
		const request = Buffer.from(head("GET /v1/responses HTTP/1.1", [...upgrade, key], host));
		// A text of one frame, masked with zeros.
		const frame = Buffer.from([0x81, 0x80 | 126, message.length >> 8, message.length & 255, 0, 0, 0, 0]);
		return Buffer.concat([request, frame, Buffer.from(message)]);
	}

	test.each(["/v1/messages", "/v1/chat/completions", "a websocket"])(
		"holds up its provider at %s",
		async (path) => {
			const { server, sent } = endless();
			await using _ = server;
			const model = servedModel(served.played, "messages", { id: "endless", baseUrl: server.url.origin });
			await using slow = await serveGateway({ steps: [] }, { models: [model], played: served.played });
			const { hostname, port, host } = new URL(slow.url);
			const socket = connect(Number(port), hostname);
			const text = JSON.stringify({ ...body, model: "endless", stream: true });
			const isSocket = path === "a websocket";
			const request = head(`POST ${path} HTTP/1.1`, [`Content-Length: ${text.length}`], host) + text;
			const message = JSON.stringify({ ...create, model: "endless" });
			socket.write(isSocket ? socketRequest(host, message) : request);
			await once(socket, "readable");
			// Until nothing moves any more: the kernel has taken what it takes.
			let before = -1;
			for (let still = 0; still < 20; still = sent() === before ? still + 1 : 0) {
				before = sent();
				await (await fetch(`${slow.url}/healthz`)).text();
				await Bun.sleep(10);
			}
			expect(sent()).toBeGreaterThan(0);
			expect(sent()).toBeLessThan(64 * 2 ** 20);
			socket.destroy();
		},
	);
});
