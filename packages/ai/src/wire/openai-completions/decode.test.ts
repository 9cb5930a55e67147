/** The deviations of OpenAI-compatible servers, which must still be understood. */
import { describe, expect, test } from "bun:test";

import { askEvents, modelAt } from "../../testing/asking.ts";
import type { AssistantMessage } from "../../types.ts";
import { encode } from "./encode.ts";

const api = "openai-completions";
const done = "[DONE]";

function chunk(delta: object, finish_reason: string | null = null): object {
	return { id: "c", choices: [{ index: 0, delta, finish_reason }] };
}

function calling(...tool_calls: object[]): object {
	return chunk({ tool_calls });
}

function part(index: number | undefined, args: string, name?: string, id?: string): object {
	return {
		...(index === undefined ? {} : { index }),
		...(id === undefined ? {} : { id }),
		type: "function",
		function: { ...(name === undefined ? {} : { name }), arguments: args },
	};
}

function callsOf(message: AssistantMessage): [name: string, args: unknown][] {
	return message.content.flatMap((block) =>
		block.type === "toolCall" ? [[block.name, block.malformed ?? block.arguments] as [string, unknown]] : [],
	);
}

const two: [string, unknown][] = [
	["read", { path: "a" }],
	["bash", { command: "ls" }],
];

test.each([
	[
		"interleaved",
		[
			calling(part(0, "", "read", "1")),
			calling(part(1, "", "bash", "2")),
			calling(part(0, '{"path"'), part(1, '{"command":')),
			calling(part(1, '"ls"}')),
			calling(part(0, ':"a"}')),
		],
	],
	[
		"all numbered 0, distinguished by id",
		[
			calling(part(0, '{"path":"a"}', "read", "1")),
			calling(part(0, '{"command":', "bash", "2")),
			calling(part(0, '"ls"}')),
		],
	],
	[
		"without number and without id, each whole",
		[calling(part(undefined, '{"path":"a"}', "read")), calling(part(undefined, '{"command":"ls"}', "bash"))],
	],
	[
		"with empty ids in one chunk",
		[calling(part(0, '{"path":"a"}', "read", ""), part(0, '{"command":"ls"}', "bash", ""))],
	],
	[
		"without number in one chunk",
		[calling(part(undefined, '{"path":"a"}', "read"), part(undefined, '{"command":"ls"}', "bash"))],
	],
	[
		"with id and name repeated in every chunk",
		[
			calling(part(0, '{"path":', "read", "1")),
			calling(part(0, '"a"}', "read", "1")),
			calling(part(1, '{"command":', "bash", "2")),
			calling(part(1, '"ls"}', "bash", "2")),
		],
	],
	[
		"with a new id and no name in every chunk",
		[
			calling(part(0, '{"path":', "read", "1")),
			calling(part(0, '"a"}', undefined, "9")),
			calling(part(1, '{"command":"ls"}', "bash", "2")),
		],
	],
	[
		"numbered from 3",
		[calling(part(3, '{"path":"a"}', "read", "1")), calling(part(4, '{"command":"ls"}', "bash", "2"))],
	],
])("two calls are two calls: %s", async (_name, chunks) => {
	const { message } = await askEvents(api, [...chunks, chunk({}, "tool_calls"), done]);
	expect(callsOf(message)).toEqual(two);
	expect(message.stopReason).toBe("toolUse");
	const ids = message.content.map((call) => (call.type === "toolCall" ? call.id : ""));
	expect(new Set(ids).size).toBe(2);
	expect(ids).not.toContain("");
});

test("two calls of the same tool without ids stay two", async () => {
	const { message } = await askEvents(api, [
		calling(part(0, '{"path":"a"}', "read")),
		calling(part(0, '{"path":"b"}', "read")),
		done,
	]);
	expect(callsOf(message)).toEqual([
		["read", { path: "a" }],
		["read", { path: "b" }],
	]);
});

test.each([
	["stop", "stop"],
	["length", "length"],
	["tool_calls", "stop"],
	["function_call", "stop"],
	["eos", "stop"],
	["constructor", "error"],
] as const)("finish reason %s of a text ends it with %s", async (reason, expected) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }), chunk({}, reason), done]);
	expect(message.stopReason).toBe(expected);
});

test.each([
	["content_filter", "refusal"],
	["insufficient_system_resource", "overloaded"],
	["error", "unknown"],
] as const)("finish reason %s is a failure: %s", async (reason, kind) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }), chunk({}, reason), done]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind }, content: [{ text: "hi" }] });
});

test("a call gives the reason toolUse although the server sends stop", async () => {
	const { message } = await askEvents(api, [calling(part(0, "{}", "ls", "1")), chunk({}, "stop"), done]);
	expect(message.stopReason).toBe("toolUse");
});

test("a call that was cut by the length limit is marked", async () => {
	const { message } = await askEvents(api, [
		calling(part(0, '{"path":"a","con', "write", "1")),
		chunk({}, "length"),
		done,
	]);
	expect(message.stopReason).toBe("length");
	expect(message.content).toEqual([
		{ type: "toolCall", id: "1", name: "write", arguments: { path: "a" }, malformed: expect.any(String) },
	]);
});

test("a stream may end without [DONE] once it has a finish reason, but not before", async () => {
	const whole = await askEvents(api, [chunk({ content: "hi" }), chunk({}, "stop")]);
	expect(whole.message).toMatchObject({ stopReason: "stop", content: [{ text: "hi" }] });
	const cut = await askEvents(api, [chunk({ content: "hi" })]);
	expect(cut.message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
	expect(cut.message.content).toEqual([{ type: "text", text: "hi" }]);
});

test("text around a call keeps its order, and empty pieces open no block", async () => {
	const { message } = await askEvents(api, [
		chunk({ role: "assistant", content: "" }),
		chunk({ content: "before" }),
		chunk({ content: "", tool_calls: [part(0, "{}", "ls", "1")] }),
		chunk({ content: null, reasoning_content: null }),
		chunk({ content: "after" }),
		chunk({}, "tool_calls"),
		done,
	]);
	expect(message.content).toMatchObject([
		{ type: "text", text: "before" },
		{ type: "toolCall", name: "ls" },
		{ type: "text", text: "after" },
	]);
});

test("a refusal message is text for the user", async () => {
	const { message } = await askEvents(api, [
		chunk({ refusal: "I will " }),
		chunk({ refusal: "not." }, "stop"),
		done,
	]);
	expect(message.content).toEqual([{ type: "text", text: "I will not." }]);
});

test.each([
	["OpenAI", { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } }],
	["DeepSeek", { prompt_tokens: 100, completion_tokens: 7, prompt_cache_hit_tokens: 60 }],
	["Moonshot", { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 60 }],
	["proxies", { prompt_tokens: 100, completion_tokens: 7, cache_read_input_tokens: 60 }],
	["newer names", { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 60 } }],
	[
		"thinking within",
		{
			prompt_tokens: 100,
			completion_tokens: 7,
			total_tokens: 107,
			prompt_tokens_details: { cached_tokens: 60 },
			completion_tokens_details: { reasoning_tokens: 5 },
		},
	],
	[
		"thinking beside",
		{
			prompt_tokens: 100,
			completion_tokens: 2,
			total_tokens: 107,
			prompt_tokens_details: { cached_tokens: 60 },
			completion_tokens_details: { reasoning_tokens: 5 },
		},
	],
])("tokens from the cache are counted once: %s", async (_vendor, usage) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }, "stop"), { choices: [], usage }, done]);
	expect(message.usage).toMatchObject({ input: 40, cacheRead: 60, output: 7, totalTokens: 107 });
});

test.each([
	["OpenRouter", { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } }],
	["LiteLLM", { prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30 } }],
	["proxies", { cache_read_input_tokens: 60, cache_creation_input_tokens: 30 }],
])("tokens written to the cache are counted: %s", async (_vendor, details) => {
	const usage = { prompt_tokens: 100, completion_tokens: 7, ...details };
	const { message } = await askEvents(api, [chunk({ content: "hi" }, "stop"), { choices: [], usage }, done]);
	expect(message.usage).toMatchObject({ input: 10, cacheRead: 60, cacheWrite: 30, output: 7 });
});

test("Groq's separate usage field counts", async () => {
	const usage = { prompt_tokens: 3, completion_tokens: 2 };
	const last = { choices: [{ delta: {}, finish_reason: "stop" }], x_groq: { id: "r", usage } };
	expect((await askEvents(api, [last, done])).message.usage).toMatchObject({ input: 3, output: 2 });
});

test("the model that answered is named if it is another one", async () => {
	const from = (model: string) => ({ ...chunk({ content: "hi" }, "stop"), model });
	expect((await askEvents(api, [from("other-2"), done])).message.responseModel).toBe("other-2");
	expect((await askEvents(api, [from("played-1"), done])).message).not.toHaveProperty("responseModel");
});

test("a message that arrives complete, and one in parts, are understood", async () => {
	const whole = { choices: [{ message: { content: "hi", tool_calls: [part(0, "{}", "ls", "1")] } }] };
	expect((await askEvents(api, [whole, done])).message.content).toMatchObject([
		{ type: "text", text: "hi" },
		{ type: "toolCall", name: "ls" },
	]);
	const parts = [
		{
			type: "thinking",
			thinking: [
				{ type: "text", text: "h" },
				{ type: "text", text: "m" },
			],
		},
		{ type: "thinking", thinking: "." },
		{ type: "text", text: "yes" },
		{ type: "reference", reference_ids: [1] },
	];
	expect((await askEvents(api, [chunk({ content: parts }, "stop"), done])).message.content).toEqual([
		{ type: "thinking", thinking: "hm." },
		{ type: "text", text: "yes" },
	]);
});

describe("reasoning that a gateway expects back", () => {
	const signatureOf = (message: AssistantMessage): unknown => {
		const [block] = message.content;
		const signature = block?.type === "thinking" ? block.thinkingSignature : undefined;
		return signature?.startsWith("[") ? JSON.parse(signature) : signature;
	};
	const details = (...reasoning_details: object[]) => ({ reasoning_details });
	const thought = (text: string, rest: object = {}) => ({
		reasoning: text,
		...details({ type: "reasoning.text", text, format: "anthropic-claude-v1", index: 0, ...rest }),
	});

	test("is assembled from its pieces, also when the signature comes late", async () => {
		const { message } = await askEvents(api, [
			chunk(thought("Let ")),
			chunk(thought("me see.", { signature: null })),
			chunk({ content: "", ...details({ type: "reasoning.text", signature: "sig", index: 0 }) }),
			chunk({ content: "Yes" }),
			calling(part(0, "{}", "ls", "1")),
			chunk(details({ type: "reasoning.encrypted", data: "ab", id: "1", index: 1 })),
			chunk(details({ type: "reasoning.encrypted", data: "cd", index: 1 }), "tool_calls"),
			done,
		]);
		expect(message.content).toMatchObject([
			{ type: "thinking", thinking: "Let me see." },
			{ type: "text", text: "Yes" },
			{ type: "toolCall", name: "ls" },
		]);
		expect(signatureOf(message)).toEqual([
			{
				type: "reasoning.text",
				text: "Let me see.",
				format: "anthropic-claude-v1",
				index: 0,
				signature: "sig",
			},
			{ type: "reasoning.encrypted", data: "abcd", id: "1", index: 1 },
		]);
	});

	test("of two kinds stays two, with the earlier thinking", async () => {
		const { message } = await askEvents(api, [
			chunk(thought("Hm", { signature: "s" })),
			chunk(details({ type: "reasoning.encrypted", data: "x", index: 0 })),
			chunk({ content: "x" }),
			chunk({ reasoning: "Hm again" }, "stop"),
			done,
		]);
		expect(signatureOf(message)).toMatchObject([
			{ type: "reasoning.text", text: "Hm" },
			{ type: "reasoning.encrypted", data: "x" },
		]);
		expect(message.content).toMatchObject([{ thinking: "Hm" }, { text: "x" }, { thinking: "Hm again" }]);
	});

	test("is kept as hidden thinking when it has no text", async () => {
		const hidden = { type: "reasoning.encrypted", data: "x", index: 0 };
		const { message } = await askEvents(api, [
			chunk(details(hidden)),
			calling(part(0, "{}", "ls", "1")),
			chunk({}, "tool_calls"),
			done,
		]);
		expect(message.content).toMatchObject([
			{ type: "thinking", thinking: "", redacted: true },
			{ name: "ls" },
		]);
		expect(signatureOf(message)).toEqual([hidden]);
	});

	test("has only its field name as signature when it is unsigned", async () => {
		const { message } = await askEvents(api, [chunk(thought("Hm")), chunk({ content: "x" }, "stop"), done]);
		expect(signatureOf(message)).toBe("reasoning");
	});

	test("may be invalid", async () => {
		const nonsense = { reasoning_details: [null, 3, { type: 7, data: {} }] };
		const { message } = await askEvents(api, [chunk({ ...nonsense, content: "x" }, "stop"), done]);
		expect(message.content).toEqual([{ type: "text", text: "x" }]);
	});

	test("is sent back with the next request", async () => {
		const signed = { type: "reasoning.text", text: "Hm", signature: "s", index: 0 };
		const { message } = await askEvents(api, [
			chunk({ reasoning: "Hm", ...details(signed) }),
			chunk({ content: "x" }, "stop"),
			done,
		]);
		const body = encode(modelAt("", api), { messages: [message] }, {});
		expect(body["messages"]).toEqual([{ role: "assistant", content: "x", reasoning_details: [signed] }]);
	});
});

test("usage inside the choice counts too, and an invalid one is ignored", async () => {
	const usage = { prompt_tokens: 3, completion_tokens: 2 };
	const moonshot = { choices: [{ delta: {}, finish_reason: "stop", usage }] };
	expect((await askEvents(api, [moonshot, done])).message.usage).toMatchObject({ input: 3, output: 2 });
	const broken = {
		choices: [{ delta: { content: "x" } }],
		usage: { prompt_tokens: "many", completion_tokens: -1 },
	};
	expect((await askEvents(api, [broken, done])).message.usage).toMatchObject({ input: 0, output: 0 });
});

test.each([
	["not JSON", "network"],
	['"a string"', "network"],
	[{ error: { message: "Provider returned error", code: 502 } }, "overloaded"],
	[{ error: { message: "Rate limit exceeded", code: 429 } }, "rate_limit"],
	[{ error: { message: "boom", type: "server_error" } }, "overloaded"],
	[{ object: "error", message: "maximum context length is 4096 tokens", code: 400 }, "overflow"],
] as const)("a chunk such as %j ends the answer as %s, with the partial content", async (event, kind) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }), event, chunk({}, "stop"), done]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});
