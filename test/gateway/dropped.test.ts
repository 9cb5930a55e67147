/** Nothing that a client asks for is silently gone: it reaches the provider, or `x-tau-dropped` names it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { serveGateway, type ServedGateway } from "./gateway.ts";

let served: ServedGateway;
beforeAll(async () => {
	served = await serveGateway({ steps: [], fallback: "ok" });
});
afterAll(() => served[Symbol.asyncDispose]());

async function ask(path: string, body: object): Promise<{ dropped: string | null; sent: string }> {
	const response = await fetch(served.url + path, {
		method: "POST",
		headers: { authorization: "Bearer token" },
		body: JSON.stringify(body),
	});
	await response.text();
	expect(response.status).toBe(200);
	const sent = served.played.requests.at(-1)?.rawBody ?? "";
	return { dropped: response.headers.get("x-tau-dropped"), sent };
}

const user = { role: "user", content: "hi" };
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const tool = { name: "a", description: "", input_schema: { type: "object" } };
const part = (...blocks: object[]): object => ({ messages: [{ role: "user", content: blocks }] });
const text = { type: "text", text: "hi" };
const document = {
	type: "document",
	source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
};
const inline = (mimeType: string): object => ({
	contents: [{ role: "user", parts: [{ text: "hi" }, { inlineData: { mimeType, data: "AA==" } }] }],
});

const requests = {
	messages: { path: "/v1/messages", body: { max_tokens: 9, messages: [user] }, model: "played-responses" },
	completions: { path: "/v1/chat/completions", body: { messages: [user] }, model: "played-messages" },
	responses: { path: "/v1/responses", body: { input: "hi" }, model: "played-messages" },
	google: {
		path: "/v1beta/models/played-messages:generateContent",
		body: { contents },
		model: "played-messages",
	},
} as const;

describe("a field that only its own vendor knows is named", () => {
	test.each<[keyof typeof requests, object, string | null]>([
		["messages", { context_management: {} }, "context_management"],
		["messages", { tools: [{ ...tool, defer_loading: true }] }, "tools.defer_loading"],
		["messages", { tools: [{ ...tool, cache_control: { type: "ephemeral" } }] }, null],
		["messages", { tools: [tool], tool_choice: { type: "new" } }, "tool_choice"],
		["messages", part(text, { ...document, citations: { enabled: true } }), "messages.document.citations"],
		["messages", part(text, { ...document, title: "T" }), "messages.document.title"],
		["completions", { store: true }, "store"],
		["completions", { store: false }, null],
		["completions", { metadata: { a: "b" } }, "metadata"],
		["completions", { messages: [{ ...user, name: "bob" }] }, "messages.name"],
		["completions", { tool_choice: { type: "allowed_tools", allowed_tools: {} } }, "tool_choice"],
		["responses", { store: true, truncation: "auto" }, "store, truncation"],
		["responses", { store: false, truncation: "disabled" }, null],
		["responses", { include: ["reasoning.encrypted_content"] }, null],
		["responses", { include: ["message.output_text.logprobs"] }, "include.message.output_text.logprobs"],
		["responses", { tool_choice: { type: "web_search" } }, "tool_choice"],
		["responses", { metadata: { a: "b" } }, "metadata"],
		["google", { labels: { a: "b" } }, "labels"],
		["google", { toolConfig: { functionCallingConfig: { mode: "NEW" } } }, "toolConfig.mode"],
		[
			"google",
			{ toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a", "b"] } } },
			"toolConfig.allowedFunctionNames",
		],
		["google", inline("video/mp4"), "video"],
		["google", inline("audio/wav"), "audio"],
	])("of %s: %j", async (name, fields, dropped) => {
		const { path, body, model } = requests[name];
		const got = await ask(path, { ...body, model, ...fields });
		expect(got.dropped).toBe(dropped);
		expect(got.sent).toContain("hi");
	});
});

test("a document is named where the provider reads images alone", async () => {
	const body = { max_tokens: 9, model: "played-ollama", ...part(text, document) };
	const { dropped, sent } = await ask("/v1/messages", body);
	expect(dropped).toBe("document");
	expect(sent).not.toContain("JVBERi0=");
});

test("a document of text arrives with its title and its context", async () => {
	const source = { type: "text", media_type: "text/plain", data: "Words." };
	const block = { type: "document", source, title: "Title", context: "Context" };
	const { dropped, sent } = await ask("/v1/messages", {
		max_tokens: 9,
		model: "played-completions",
		...part(text, block),
	});
	expect(dropped).toBeNull();
	expect(sent).toContain(String.raw`Title\n\nContext\n\nWords.`);
});

test("functions, as tools were called before, arrive with their calls and results", async () => {
	const called = { role: "assistant", content: null, function_call: { name: "f", arguments: '{"x":1}' } };
	const { dropped, sent } = await ask("/v1/chat/completions", {
		model: "played-messages",
		functions: [{ name: "f", parameters: { type: "object" } }],
		function_call: { name: "f" },
		messages: [
			user,
			called,
			{ role: "function", name: "f", content: "first" },
			called,
			{ role: "function", name: "f", content: "second" },
		],
	});
	expect(dropped).toBeNull();
	expect(JSON.parse(sent)).toMatchObject({
		tools: [{ name: "f" }],
		tool_choice: { type: "tool", name: "f" },
		messages: [
			{ role: "user" },
			{ content: [{ type: "tool_use", id: "call_function_1", name: "f", input: { x: 1 } }] },
			{ content: [{ tool_use_id: "call_function_1", content: [{ text: "first" }] }] },
			{ content: [{ type: "tool_use", id: "call_function_2" }] },
			{ content: [{ tool_use_id: "call_function_2", content: [{ text: "second" }] }] },
		],
	});
});

test("over a websocket, which has no headers for an answer, it is named before the answer", async () => {
	const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/responses`, {
		headers: { authorization: "Bearer token" },
	} as never);
	const events: { type: string; dropped?: string[] }[] = [];
	const ended = Promise.withResolvers<void>();
	socket.addEventListener("message", ({ data }: MessageEvent) => {
		events.push(JSON.parse(String(data)) as (typeof events)[number]);
		if (events.at(-1)?.type === "response.completed") ended.resolve();
	});
	socket.addEventListener("close", () => ended.reject(new Error(JSON.stringify(events))));
	socket.addEventListener("open", () =>
		socket.send(
			JSON.stringify({
				type: "response.create",
				model: "played-messages",
				input: "hi",
				truncation: "auto",
				store: true,
			}),
		),
	);
	await ended.promise;
	expect(events[0]).toEqual({ type: "tau.dropped", dropped: ["truncation", "store"] });
	expect(events[1]?.type).toBe("response.created");
	socket.close();
});
