/** What a user sees when a model's server fails: a clear end, of the right kind, with the partial content. */
import { describe, expect, test } from "bun:test";

import { stream } from "./stream.ts";
import { apis, ask, askServer, receive, hello, modelAt, playedModel, setEnv } from "./testing/asking.ts";
import { promiseClearEnds, promiseToTellLinesApart, story, tale, textOf } from "./testing/failing.ts";
import { playModel, type Answer, type PlayedModel } from "./testing/index.ts";
import type { AssistantContent } from "./types.ts";

describe.each(apis)("%s", (api) => {
	const toPlayed = (played: PlayedModel) => stream(playedModel(played, api), hello);
	promiseClearEnds(toPlayed);
	promiseToTellLinesApart(toPlayed);

	test("a server that goes silent in the middle times out, and the partial content is kept", async () => {
		using _env = setEnv({ TAU_STREAM_IDLE_TIMEOUT_MS: "40" });
		const fault = { pauseMs: 60_000, afterChunks: 3 };
		await using played = await playModel({ steps: [{ answer: tale, fault }] });
		const outcome = await receive(stream(playedModel(played, api), hello));
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "timeout" } });
		expect(textOf(outcome)).toBe(story.slice(0, 18));
		expect((await played.waitForEnd(1)).aborted).toBe(true);
	});

	test("silence after the complete content is harmless, although the last event never arrives", async () => {
		using _env = setEnv({ TAU_STREAM_IDLE_TIMEOUT_MS: "40" });
		const events = {
			"anthropic-messages": [
				{ type: "content_block_start", index: 0, content_block: { type: "text", text: "all" } },
				{ type: "message_delta", delta: { stop_reason: "end_turn" } },
			],
			"openai-completions": [{ choices: [{ delta: { content: "all" }, finish_reason: "stop" }] }],
		}[api];
		const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
		await using server = tearing(Buffer.from(body), Promise.withResolvers<void>().promise);
		const { message } = await receive(stream(modelAt(server.url, api), hello));
		expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "all" }] });
	});

	test("the limit for the first event does not end an answer that has started", async () => {
		using _env = setEnv({ TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: "500" });
		const outcome = await ask(api, [{ answer: tale, fault: { pauseMs: 600, afterChunks: 1 } }]);
		expect(textOf(outcome)).toBe(story);
	});

	test.each(["0", "-5", "soon", "99999999999999"])(
		"a time-out of %s cannot fail every request",
		async (value) => {
			using _env = setEnv({ TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: value, TAU_STREAM_IDLE_TIMEOUT_MS: value });
			const outcome = await ask(api, [{ answer: tale, fault: { pauseMs: 20, afterChunks: 1 } }]);
			expect(textOf(outcome)).toBe(story);
		},
	);

	test("a connection may break at any byte: the answer is complete or a network failure", async () => {
		const whole = await ask(api, [{ answer: rich }], { reasoningField });
		const { length } = await bodyOf(api);
		await using played = await playModel({
			steps: everyTenth(length).map((tornAtByte) => ({ answer: rich, fault: { tornAtByte } })),
			reasoningField,
		});
		for (const _at of everyTenth(length)) {
			const { message } = await receive(stream(playedModel(played, api), hello));
			if (message.stopReason === "error") expect(message.failure?.kind).toBe("network");
			else expect(message.content).toEqual(whole.message.content);
			expectStart(message.content, whole.message.content);
		}
	});

	test("a body may end at any byte: received content is kept, and more bytes never give less", async () => {
		const whole = await ask(api, [{ answer: rich }], { reasoningField });
		const bytes = await bodyOf(api);
		const parts = everyTenth(bytes.length).values();
		const respond = () => new Response(bytes.subarray(0, parts.next().value ?? bytes.length));
		await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
		let before = 0;
		for (const _at of [...everyTenth(bytes.length), bytes.length]) {
			const { message } = await receive(stream(modelAt(server.url.href, api), hello));
			expect(sizeOf(message.content)).toBeGreaterThanOrEqual(before);
			before = sizeOf(message.content);
			expectStart(message.content, whole.message.content);
		}
		expect(before).toBe(sizeOf(whole.message.content));
	});

	test("content from before the connection broke stays in the message", async () => {
		const { promise: heardEnough, resolve: cut } = Promise.withResolvers<void>();
		const bytes = await bodyOf(api);
		await using server = tearing(bytes.subarray(0, bytes.length - 400), heardEnough);
		const answers = stream(modelAt(server.url, api), hello);
		let received = "";
		for await (const event of answers) {
			if (event.type === "text_delta") received += event.delta;
			if (event.type === "toolcall_start") cut();
		}
		const message = await answers.result();
		expect(received).toBe("Ich höre 你好. ");
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(message.content).toMatchObject([
			{ type: "thinking" },
			{ text: received },
			{ type: "toolCall", name: "edit" },
		]);
		expect(message.errorMessage).toContain("closed the connection before the answer was complete");
	});

	test("no server is listening", async () => {
		const played = await playModel({ steps: [] });
		const model = playedModel(played, api);
		await played.close();
		const { message } = await receive(stream(model, hello));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(message.errorMessage).toBe(
			`Connection refused by 127.0.0.1:${played.port}. Is the server running?`,
		);
	});

	test.each([
		[
			"http://no-such-host.invalid/v1",
			"Cannot reach no-such-host.invalid. Check the address and the network",
		],
		["no address at all", "no address at all"],
		["", "URL"],
		["ftp://127.0.0.1/v1", "127.0.0.1"],
	])("an unreachable address is named: %j", async (baseUrl, message) => {
		const outcome = await receive(stream(modelAt(baseUrl, api), hello));
		expect(outcome.message.stopReason).toBe("error");
		expect(outcome.message.errorMessage).toContain(message);
	});

	test("a document instead of a stream is described", async () => {
		const json = await askServer(api, () =>
			Response.json({ error: { message: "No credits left", code: 402 } }),
		);
		expect(json.message).toMatchObject({ stopReason: "error", failure: { kind: "auth", status: 402 } });
		expect(json.message.errorMessage).toBe("HTTP 402: No credits left");
		const page = "<!doctype html><html><head><title>Welcome to nginx!</title></head><body>…</body></html>";
		const html = await askServer(api, () => new Response(page, { headers: { "content-type": "text/html" } }));
		expect(html.message.failure?.kind).toBe("invalid_request");
		expect(html.message.errorMessage).toContain(
			"answered with a web page instead of a model's answer (Welcome to nginx!)",
		);
	});

	test("a redirect is not followed, and its target is named", async () => {
		const seen: string[] = [];
		await using other = Bun.serve({
			port: 0,
			fetch(request) {
				seen.push(request.url);
				return new Response();
			},
		});
		const target = `${other.url.origin}/v1`;
		const { message } = await askServer(api, () => Response.redirect(target, 307));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "invalid_request", status: 307 } });
		expect(message.errorMessage).toContain(target);
		expect(seen).toEqual([]);
	});

	test("an error with a truncated body is still classified by its status", async () => {
		await using server = torn("HTTP/1.1 429 \r\nretry-after: 3\r\ncontent-length: 500\r\n\r\nslow d");
		const { message } = await receive(stream(modelAt(server.url, api), hello));
		expect(message.failure).toMatchObject({ kind: "rate_limit", status: 429, retryAfterMs: 3000 });
	});

	test("an endless error page is read only as far as it is shown", async () => {
		const endless = new ReadableStream({
			pull: (controller) => controller.enqueue(new TextEncoder().encode("no ".repeat(10_000))),
		});
		const { message } = await askServer(api, () => new Response(endless, { status: 500 }));
		expect(message.failure).toMatchObject({ kind: "overloaded", status: 500 });
		expect(message.errorMessage?.length).toBeLessThanOrEqual(600);
	});
});

const reasoningField = "reasoning_content";
const rich: Answer = {
	blocks: [
		{ thinking: "Let me think about 🙂", signature: "c2ln", chunks: 3 },
		{ text: "Ich höre 你好. ", chunks: 4 },
		{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" }, chunks: 4 },
	],
};

/** The bytes that the played model sends for the rich answer. */
async function bodyOf(api: (typeof apis)[number]): Promise<Uint8Array<ArrayBuffer>> {
	await using played = await playModel({ steps: [{ answer: rich }], reasoningField });
	const path = api === "anthropic-messages" ? "/v1/messages" : "/v1/chat/completions";
	const messages = [{ role: "user", content: "hello" }];
	const response = await fetch(played.url + path, {
		method: "POST",
		headers: { "anthropic-version": "2023-06-01" },
		body: JSON.stringify({ model: "played-1", max_tokens: 1, stream: true, messages }),
	});
	return new Uint8Array(await response.arrayBuffer());
}

function everyTenth(length: number): number[] {
	return Array.from({ length: Math.ceil(length / 10) }, (_, n) => n * 10);
}

function sizeOf(content: AssistantContent[]): number {
	return JSON.stringify(content.map((block) => (block.type === "toolCall" ? [block.arguments] : block)))
		.length;
}

function expectStart(part: AssistantContent[], whole: AssistantContent[]): void {
	for (const [index, block] of part.entries()) {
		const full = whole[index];
		if (block.type === "text" && full?.type === "text") expect(full.text).toStartWith(block.text);
		else if (block.type === "thinking" && full?.type === "thinking") {
			expect(full.thinking).toStartWith(block.thinking);
		} else expect(block).toMatchObject({ type: "toolCall", name: "edit", id: "t1" });
	}
}

/** A server that answers with these bytes and disconnects. */
function torn(bytes: string): AsyncDisposable & { url: string } {
	return listening((socket) => void socket.end(bytes));
}

/** A server that streams these bytes and breaks the connection on request. */
function tearing(bytes: Uint8Array, when: Promise<void>): AsyncDisposable & { url: string } {
	const head = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`;
	return listening(async (socket) => {
		socket.write(Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n")]));
		await when;
		socket.terminate();
	});
}

function listening(answer: (socket: Bun.Socket) => void | Promise<void>): AsyncDisposable & { url: string } {
	const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: answer } });
	return { url: `http://127.0.0.1:${listener.port}`, [Symbol.asyncDispose]: async () => listener.stop(true) };
}
