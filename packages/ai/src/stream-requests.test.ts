/** The requests to a model's server: the right address, the right headers, one connection, and no key to others. */
import { describe, expect, test } from "bun:test";

import { stream } from "./stream.ts";
import { apis, ask, receive, hello, modelAt, playedModel } from "./testing/asking.ts";
import { playModel, type Fault } from "./testing/index.ts";
import { MessageBuilder } from "./message-builder.ts";
import { ownStream, type StreamFunction } from "./types.ts";
import { answer, call } from "./wire/testing/messages.ts";

const apiKey = "my-own-key/with+signs=7261";

describe("the address", () => {
	test.each([
		["anthropic-messages", "", "/v1/messages"],
		["anthropic-messages", "/", "/v1/messages"],
		["anthropic-messages", "/v1", "/v1/messages"],
		["anthropic-messages", "/v1/", "/v1/messages"],
		["anthropic-messages", "/proxy//", "/proxy/v1/messages"],
		["openai-completions", "/v1", "/v1/chat/completions"],
		["openai-completions", "/v1//", "/v1/chat/completions"],
		["openai-completions", "/api/paas/v4", "/api/paas/v4/chat/completions"],
		["openai-completions", "", "/chat/completions"],
	])("%s at %j is %s", async (api, base, path) => {
		await using played = await playModel({ steps: [], fallback: "hi" });
		await receive(stream(modelAt(played.url + base, api), hello));
		const received = [...played.requests, ...played.others];
		expect(received.map((request) => `${request.method} ${request.path}`)).toEqual([`POST ${path}`]);
	});
});

describe.each(apis)("%s", (api) => {
	test("the key is sent in the protocol's header, and nowhere else", async () => {
		await using played = await playModel({ steps: ["hi"] });
		await receive(stream(playedModel(played, api), hello, { apiKey }));
		const { headers, rawBody, path } = await played.waitForRequest(1);
		const expected =
			api === "anthropic-messages" ? { "x-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
		const withKey = Object.entries(headers).filter(([, value]) => value.includes(apiKey));
		expect(Object.fromEntries(withKey)).toEqual(expected);
		expect(headers["content-type"]).toBe("application/json");
		expect(rawBody + path).not.toContain(apiKey);
	});

	test("without a key no header for one is sent", async () => {
		await using played = await playModel({ steps: ["hi"] });
		await receive(stream(playedModel(played, api), hello));
		const { headers } = await played.waitForRequest(1);
		expect(headers["x-api-key"] ?? headers["authorization"]).toBeUndefined();
	});

	test("what a caller changes in the body of one request is not in the next one", async () => {
		await using played = await playModel({ steps: ["hi", "hi"] });
		const parameters = { type: "object", properties: { path: { type: "string", description: "a path" } } };
		const context = { ...hello, tools: [{ name: "look", description: "Looks.", parameters }] };
		const onPayload = (payload: unknown): void => {
			const emptied = (value: unknown): void => {
				if (typeof value !== "object" || value === null) return;
				for (const inner of Object.values(value)) emptied(inner);
				if ("description" in value) Object.assign(value, { description: "changed" });
			};
			emptied(payload);
		};
		await receive(stream(playedModel(played, api), context, { onPayload }));
		await receive(stream(playedModel(played, api), context));
		const [changed, plain] = [await played.waitForRequest(1), await played.waitForRequest(2)];
		expect(changed.rawBody).toContain('"changed"');
		expect(plain.rawBody).not.toContain('"changed"');
		expect(plain.rawBody).toContain('"a path"');
	});

	test("a model's headers win over the protocol's, and the request's over both, in any case", async () => {
		await using played = await playModel({ steps: ["hi"] });
		const model = playedModel(played, api, {
			headers: { "X-Team": "platform", Authorization: "Bearer of-the-model", "X-Api-Key": "of-the-model" },
		});
		await receive(
			stream(model, hello, { apiKey, headers: { AUTHORIZATION: "Bearer of-the-request", "x-run": "7" } }),
		);
		expect((await played.waitForRequest(1)).headers).toMatchObject({
			"x-team": "platform",
			"x-api-key": "of-the-model",
			authorization: "Bearer of-the-request",
			"x-run": "7",
		});
	});

	test.each<[string, Fault]>([
		["in an error", { http: 401, body: { error: { message: `Incorrect API key provided: ${apiKey}.` } } }],
		["in a page", { http: 500, body: `<html><title>Bad: ${apiKey}</title></html>` }],
		["escaped", { http: 400, body: `bad url ?key=${encodeURIComponent(apiKey)}` }],
		[
			"in an event",
			{ errorEvent: { type: "api_error", message: `key ${apiKey} is blocked` }, afterChunks: 1 },
		],
		["in a broken line", { malformedLine: `data: {"your_key":"${apiKey}`, afterChunks: 1 }],
	])("a server that quotes the key %s does not expose it", async (_where, fault) => {
		const { message } = await ask(api, [{ answer: "some text", fault }], { options: { apiKey } });
		expect(message.stopReason).toBe("error");
		expect(message.errorMessage).toContain("[masked]");
		expect(JSON.stringify(message)).not.toContain("with+signs");
		expect(JSON.stringify(message)).not.toContain(encodeURIComponent("with+signs"));
	});

	test("a key that no header can contain is an error that does not show it", async () => {
		await using played = await playModel({ steps: [], fallback: "hi" });
		const bad = await receive(stream(playedModel(played, api), hello, { apiKey: "first-line\nsecond-line" }));
		expect(bad.message.stopReason).toBe("error");
		expect(JSON.stringify(bad.message)).not.toMatch(/first-line|second-line/);
		const trailing = await receive(stream(playedModel(played, api), hello, { apiKey: `${apiKey}\n` }));
		expect(trailing.message.stopReason).toBe("stop");
	});

	test("half an emoji in a prompt does not break the request", async () => {
		await using played = await playModel({ steps: ["hi"] });
		const content = `cut here: ${"🙂".slice(0, 1)} and code: \\ud83d 🙂`;
		await receive(stream(playedModel(played, api), { messages: [{ role: "user", content, timestamp: 0 }] }));
		const { body, rawBody } = await played.waitForRequest(1);
		expect(JSON.stringify(body)).toContain(
			JSON.stringify("cut here: \ufffd and code: \\ud83d 🙂").slice(1, -1),
		);
		expect(rawBody.isWellFormed()).toBe(true);
	});

	test("successive requests use one connection, also when the end of a body comes late", async () => {
		await using server = lateEnding(api);
		for (let request = 0; request < 8; request++) {
			const { message } = await receive(stream(modelAt(server.url, api), hello));
			expect(message.stopReason).toBe("stop");
			server.endBody();
			// A round trip to another server gives the client time to notice the end.
			await ask(api, ["hi"]);
		}
		expect(server.connections).toBeLessThan(4);
	});

	test("a body that does not end after the last event costs the connection, not the answer", async () => {
		await using server = lateEnding(api);
		const { message } = await receive(stream(modelAt(server.url, api), hello));
		expect(message.stopReason).toBe("stop");
		await server.closed;
	});
});

/** A server that sends all events of an answer, but the end of its body only on request. */
function lateEnding(api: (typeof apis)[number]) {
	const events = {
		"anthropic-messages": ['{"type":"message_start","message":{}}', '{"type":"message_stop"}'],
		"openai-completions": ['{"choices":[{"delta":{},"finish_reason":"stop"}]}', "[DONE]"],
	}[api];
	const body = events.map((event) => `data: ${event}\n\n`).join("");
	const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
	const { promise: closed, resolve } = Promise.withResolvers<void>();
	let open: Bun.Socket | undefined;
	let connections = 0;
	const listener = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			open: () => void connections++,
			close: () => resolve(),
			data: (socket) => {
				open = socket;
				socket.write(`${head}${body.length.toString(16)}\r\n${body}\r\n`);
			},
		},
	});
	return {
		url: `http://127.0.0.1:${listener.port}`,
		closed,
		endBody: () => void open?.write("0\r\n\r\n"),
		get connections() {
			return connections;
		},
		[Symbol.asyncDispose]: async () => listener.stop(true),
	};
}

describe("protocols", () => {
	test("an unknown one is named, with the known ones", async () => {
		const { message } = await receive(stream(modelAt("http://127.0.0.1:1", "smoke-signals"), hello));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "invalid_request" } });
		expect(message.errorMessage).toContain('"smoke-signals"');
		for (const api of apis) expect(message.errorMessage).toContain(api);
	});

	test("a model's own stream answers for it, and for no other model of its api", async () => {
		const own: StreamFunction = (model) => {
			const builder = new MessageBuilder(model);
			builder.append(builder.openText(), "from the extension");
			builder.done("stop");
			return builder.stream;
		};
		const model = modelAt("", "my-api");
		expect((await receive(stream({ ...model, [ownStream]: own }, hello))).message.content).toMatchObject([
			{ text: "from the extension" },
		]);
		expect((await receive(stream(model, hello))).message.stopReason).toBe("error");
	});

	test("a context that cannot be written as JSON is an error like any other", async () => {
		const circular: Record<string, unknown> = {};
		circular["self"] = circular;
		const { message } = await receive(
			stream(modelAt("http://127.0.0.1:1", "openai-completions"), {
				messages: [...hello.messages, answer(call("1", "bad", circular))],
			}),
		);
		expect(message.stopReason).toBe("error");
		expect(message.errorMessage).toContain("JSON");
	});
});
