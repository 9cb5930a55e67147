/** What the many servers that speak like OpenAI do differently, and what must still be understood. */
import { expect, test } from "bun:test";

import { askEvents } from "../../asking.test.ts";
import type { AssistantMessage } from "../../types.ts";

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
		"all numbered 0, told apart by id",
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
	["constructor", "stop"],
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

test("a call asks for tools although the server says stop", async () => {
	const { message } = await askEvents(api, [calling(part(0, "{}", "ls", "1")), chunk({}, "stop"), done]);
	expect(message.stopReason).toBe("toolUse");
});

test("a call that was cut by the length is marked", async () => {
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

test("text around a call stays in its order, and empty pieces open nothing", async () => {
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

test("a refusal in words is text that the user reads", async () => {
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
])("tokens from the cache are counted once: %s", async (_vendor, usage) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }, "stop"), { choices: [], usage }, done]);
	expect(message.usage).toMatchObject({ input: 40, cacheRead: 60, output: 7, totalTokens: 107 });
});

test("usage inside the choice counts too, and a broken one counts nothing", async () => {
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
] as const)("a chunk such as %j ends the answer as %s, with what was said so far", async (event, kind) => {
	const { message } = await askEvents(api, [chunk({ content: "hi" }), event, chunk({}, "stop"), done]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});
