/** The guarantees for a reader of a model's answer, for every protocol. */
import { describe, expect, test } from "bun:test";

import {
	apis,
	ask,
	askEvents,
	askServer,
	receive,
	hello,
	modelAt,
	playedModel,
	type ReceivedAnswer,
} from "./testing/asking.ts";
import { stream } from "./stream.ts";
import { playModel, type Block } from "./testing/index.ts";
import type { AssistantContent, ToolCall } from "./types.ts";

const kinds = ({ events }: ReceivedAnswer) => events.map((event) => event.type);
const calls = ({ message }: ReceivedAnswer) =>
	message.content.filter((block): block is ToolCall => block.type === "toolCall");
const texts = ({ message }: ReceivedAnswer) =>
	message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));

const nested = {
	path: "src/ünïcödé/文件.ts",
	edits: Array.from({ length: 200 }, (_, line) => ({
		line,
		old: `const a${line} = "\\n\\t\\"";`,
		next: ["🙂", null, true, -1.5e-7, { deep: [[[{}]]] }],
	})),
	dryRun: false,
};

describe.each(apis)("%s", (api) => {
	test.each([
		["one chunk", "Hello, world.", 1],
		["many chunks", "The quick brown fox jumps over the lazy dog. ".repeat(200), 3000],
		["emoji and families", "👩‍👩‍👧‍👦 🏳️‍🌈 🙂".repeat(50), 500],
		["Chinese, Japanese, Korean", "你好世界 こんにちは 안녕하세요\n".repeat(50), 700],
		["line ends, tabs, quotes and separators", 'a\r\nb\n\nc\td"\\ \u2028 \u0000 \u{1F600} data: x\n\n', 20],
	])("text arrives whole and in order: %s", async (_name, text, chunks) => {
		const outcome = await ask(api, [{ answer: { blocks: [{ text, chunks }] } }]);
		expect(outcome.message.content).toEqual([{ type: "text", text }]);
		expect(outcome.message).toMatchObject({ stopReason: "stop", api, provider: "played", model: "played-1" });
		expect(outcome.events.at(0)?.type).toBe("start");
		expect(outcome.events.at(-1)).toEqual({ type: "done", reason: "stop", message: outcome.message });
	});

	test("a listener receives each event of the server, in order, before it is decoded", async () => {
		await using played = await playModel({ steps: ["Hello."] });
		const events: unknown[] = [];
		const answer = stream(playedModel(played, api), hello, {
			onProviderStreamEvent: (event, { id }) => events.push([id, event]),
		});
		await answer.result();
		expect(events.length).toBeGreaterThan(1);
		expect(events[0]).toEqual(["played-1", expect.any(Object)]);
		expect(JSON.stringify(events)).toContain("Hello.");
	});

	test("a tool call has its id, its name and its large nested arguments", async () => {
		const toolCall = { name: "edit", arguments: nested, id: "call_7" };
		const outcome = await ask(api, [{ answer: { blocks: [{ toolCall, chunks: 999 }] } }]);
		expect(outcome.message.content).toEqual([{ type: "toolCall", ...toolCall }]);
		expect(outcome.message.stopReason).toBe("toolUse");
	});

	test("arguments grow while they arrive", async () => {
		const toolCall = { name: "write", arguments: { path: "a.ts", content: "x".repeat(100) } };
		await using played = await playModel({
			// Slow chunks: those that arrive while the reader is busy are merged.
			steps: [{ answer: { blocks: [{ toolCall, chunks: 20 }], delayMs: 20 } }],
		});
		const seen: number[] = [];
		for await (const event of stream(playedModel(played, api), hello)) {
			if (event.type !== "toolcall_delta") continue;
			const [call] = event.partial.content as ToolCall[];
			seen.push(String(call?.arguments["content"] ?? "").length);
		}
		expect(seen.some((length) => length > 0 && length < 100)).toBe(true);
		expect(seen).toEqual(seen.toSorted((a, b) => a - b));
		expect(seen.at(-1)).toBe(100);
	});

	test("text and two calls in one answer keep their order and their own arguments", async () => {
		const blocks: Block[] = [
			{ text: "I look at both.", chunks: 4 },
			{ toolCall: { name: "read", arguments: { path: "a" }, id: "one" }, chunks: 3 },
			{ toolCall: { name: "bash", arguments: nested, id: "two" }, chunks: 50 },
		];
		const outcome = await ask(api, [{ answer: { blocks } }]);
		expect(outcome.message.content).toEqual([
			{ type: "text", text: "I look at both." },
			{ type: "toolCall", name: "read", arguments: { path: "a" }, id: "one" },
			{ type: "toolCall", name: "bash", arguments: nested, id: "two" },
		]);
		const starts = kinds(outcome).filter((kind) => kind.endsWith("_start"));
		expect(starts).toEqual(["text_start", "toolcall_start", "toolcall_start"]);
	});

	test("a call without arguments has an empty object", async () => {
		const outcome = await ask(api, [{ answer: { blocks: [{ toolCall: { name: "list", arguments: {} } }] } }]);
		const [call] = calls(outcome);
		expect(call).toEqual({ type: "toolCall", id: expect.any(String), name: "list", arguments: {} });
		expect(call?.id).not.toBe("");
	});

	test.each([
		['{"path":"a.ts","content":"unfin', { path: "a.ts", content: "unfin" }],
		['{"path" "a.ts"}', {}],
		["[1,2]", {}],
		["rm -rf /", {}],
	])("broken arguments are marked, and the readable part is kept: %s", async (json, readable) => {
		const outcome = await ask(api, [
			{ answer: { blocks: [{ toolCall: { name: "write", arguments: json }, chunks: 5 }] } },
		]);
		const [call] = calls(outcome);
		expect(call?.arguments).toEqual(readable);
		expect(call?.malformed).toMatch(/./);
		expect(outcome.message.stopReason).toBe("toolUse");
	});

	test("usage counts the cache separately and has a price", async () => {
		const usage = { input: 1000, output: 200, cacheRead: 50_000, cacheWrite: 4000 };
		const { message } = await ask(api, [{ answer: { blocks: [{ text: "hi" }], usage } }]);
		expect(message.usage).toMatchObject({ ...usage, totalTokens: 55_200 });
		const { cost } = message.usage;
		expect([cost.input, cost.output, cost.cacheRead, cost.cacheWrite]).toEqual([0.003, 0.003, 0.015, 0.015]);
		expect(cost.total).toBeCloseTo(0.036, 10);
	});

	test.each([["stop" as const], ["length" as const]])(
		"an answer that ends with %s has that stop reason",
		async (stopReason) => {
			const outcome = await ask(api, [{ answer: { blocks: [{ text: "so far" }], stopReason } }]);
			expect(outcome.message.stopReason).toBe(stopReason);
			expect(outcome.message.failure).toBeUndefined();
		},
	);

	test("a refusal is a failure of its own kind, with the content before it", async () => {
		const outcome = await ask(api, [{ answer: { blocks: [{ text: "I think" }], stopReason: "refusal" } }]);
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "refusal" } });
		expect(texts(outcome)).toEqual(["I think"]);
	});

	test("an empty answer is an answer", async () => {
		const outcome = await ask(api, [{ answer: { blocks: [] } }]);
		expect(kinds(outcome)).toEqual(["start", "done"]);
		expect(outcome.message.content).toEqual([]);
	});

	test("the id of the response is kept for problem reports", async () => {
		const { message } = await ask(api, [{ answer: { blocks: [{ text: "hi" }], id: "resp_42" } }]);
		expect(message.responseId).toBe("resp_42");
	});

	test("bytes may be split anywhere, also inside a character", async () => {
		const text = "é 你 🙂 end";
		const events = { "anthropic-messages": anthropicText(text), "openai-completions": openaiText(text) }[api];
		const bytes = new TextEncoder().encode(
			events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
		);
		const outcome = await askServer(api, () => new Response(byteByByte(bytes)));
		expect(texts(outcome)).toEqual([text]);
		expect(outcome.message.stopReason).toBe("stop");
	});

	test("a slow reader gets fewer, longer deltas and all of the text", async () => {
		const text = "word ".repeat(5000);
		await using played = await playModel({ steps: [{ answer: { blocks: [{ text, chunks: 5000 }] } }] });
		const answers = stream(playedModel(played, api), hello);
		await answers.result();
		const outcome = await receive(answers);
		expect(texts(outcome)).toEqual([text]);
		expect(kinds(outcome)).toEqual(["start", "text_start", "text_delta", "text_end", "done"]);
	});
});

function anthropicText(text: string): object[] {
	return [
		{ type: "message_start", message: { id: "m", usage: { input_tokens: 1 } } },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
		{ type: "message_stop" },
	];
}

function openaiText(text: string): object[] {
	return [{ choices: [{ delta: { content: text } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }];
}

function byteByByte(bytes: Uint8Array): ReadableStream<Uint8Array> {
	return new ReadableStream({
		async start(controller) {
			for (const byte of bytes) {
				controller.enqueue(Uint8Array.of(byte));
				await Promise.resolve();
			}
			controller.close();
		},
	});
}

describe("thinking", () => {
	test("Anthropic's thinking keeps its signature, also when the text is hidden", async () => {
		const blocks: Block[] = [
			{ thinking: "Let me see… 🤔", signature: "c2lnbmF0dXJl", chunks: 5 },
			{ redactedThinking: "b3BhcXVl" },
			{ text: "Done." },
		];
		const outcome = await ask("anthropic-messages", [{ answer: { blocks } }]);
		const expected: AssistantContent[] = [
			{ type: "thinking", thinking: "Let me see… 🤔", thinkingSignature: "c2lnbmF0dXJl" },
			{ type: "thinking", thinking: "", thinkingSignature: "b3BhcXVl", redacted: true },
			{ type: "text", text: "Done." },
		];
		expect(outcome.message.content).toEqual(expected);
	});

	test.each(["reasoning_content", "reasoning"] as const)("servers send it in %s", async (reasoningField) => {
		const blocks: Block[] = [
			{ thinking: "Hm, hm.", chunks: 3 },
			{ text: "Yes.", chunks: 2 },
		];
		const outcome = await ask("openai-completions", [{ answer: { blocks } }], { reasoningField });
		expect(outcome.message.content).toEqual([
			{ type: "thinking", thinking: "Hm, hm.", thinkingSignature: reasoningField },
			{ type: "text", text: "Yes." },
		]);
	});

	test("a server that sends it in two fields gives it once", async () => {
		const outcome = await askEvents("openai-completions", [
			{ choices: [{ delta: { reasoning: "Hm", reasoning_content: "Hm" } }] },
			{ choices: [{ delta: { content: "Yes" }, finish_reason: "stop" }] },
			"[DONE]",
		]);
		expect(outcome.message.content).toEqual([
			{ type: "thinking", thinking: "Hm", thinkingSignature: "reasoning_content" },
			{ type: "text", text: "Yes" },
		]);
	});
});

test("a caller that only awaits the result need not read the events, however many there are", async () => {
	const part = (index: number, json: string, name?: string) => ({
		choices: [
			{
				delta: {
					tool_calls: [{ index, ...(name ? { id: name } : {}), function: { name, arguments: json } }],
				},
			},
		],
	});
	// Deltas that alternate between two calls cannot be merged.
	const letters = Array.from({ length: 30_000 }, (_, n) => part(n % 2, "x"));
	const events = [
		part(0, '{"a":"', "one"),
		part(1, '{"a":"', "two"),
		...letters,
		part(0, '"}'),
		part(1, '"}'),
	];
	const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"]
		.map((line) => `data: ${line}\n\n`)
		.join("");
	await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body) });
	const message = await stream(modelAt(server.url.href, "openai-completions"), hello).result();
	const x = "x".repeat(15_000);
	expect(message.content).toMatchObject([
		{ name: "one", arguments: { a: x } },
		{ name: "two", arguments: { a: x } },
	]);
});
