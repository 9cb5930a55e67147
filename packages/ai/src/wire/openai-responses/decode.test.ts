/** The deviations of servers that implement Responses, which must still be understood. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { samples } from "../../../../../test/support/depth.ts";
import { askEvents, modelAt } from "../../testing/asking.ts";
import { MessageBuilder } from "../../message-builder.ts";
import { assertWellFormed } from "../../testing/index.ts";
import type { AssistantContent, AssistantMessage, AssistantMessageEvent } from "../../types.ts";
import { ResponsesDecoder } from "./decode.ts";

const api = "openai-responses";

type Fields = Record<string, unknown>;

function added(output_index: number, item: Fields): Fields {
	return { type: "response.output_item.added", output_index, item };
}

function done(output_index: number, item: Fields): Fields {
	return { type: "response.output_item.done", output_index, item };
}

function delta(name: string, output_index: number, text: string, more: Fields = {}): Fields {
	return { type: `response.${name}.delta`, output_index, delta: text, ...more };
}

function completed(response: Fields = {}): Fields {
	return { type: "response.completed", response: { status: "completed", ...response } };
}

const created = { type: "response.created", response: { id: "resp_1", status: "in_progress" } };
const message = { type: "message", id: "msg_1", role: "assistant" };
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const callItem = { type: "function_call", id: "fc_1", call_id: "call_1", name: "ls" };

async function contentOf(events: (object | string)[]): Promise<AssistantContent[]> {
	const outcome = await askEvents(api, events);
	expect(outcome.message.errorMessage).toBeUndefined();
	return outcome.message.content;
}

const hi = [{ type: "text", text: "hi", textSignature: "msg_1" }];
const content = [{ type: "output_text", text: "hi", annotations: [] }];

describe("text is emitted once", () => {
	test.each<[string, object[]]>([
		[
			"in pieces and at the end",
			[
				added(0, message),
				{ type: "response.content_part.added", output_index: 0, content_index: 0, part: content[0] },
				delta("output_text", 0, "h", { content_index: 0 }),
				delta("output_text", 0, "i", { content_index: 0 }),
				{ type: "response.output_text.done", output_index: 0, content_index: 0, text: "hi" },
				{ type: "response.content_part.done", output_index: 0, content_index: 0, part: content[0] },
				done(0, { ...message, content }),
				completed({ output: [{ ...message, content }] }),
			],
		],
		["in pieces only", [added(0, message), delta("output_text", 0, "hi"), done(0, message), completed()]],
		[
			"when its part ends",
			[
				added(0, message),
				{ type: "response.output_text.done", output_index: 0, content_index: 0, text: "hi" },
				done(0, { ...message, content }),
				completed(),
			],
		],
		["when its item ends", [added(0, message), done(0, { ...message, content }), completed()]],
		["in an item that was not announced", [done(0, { ...message, content }), completed()]],
		["when the response ends", [completed({ output: [{ ...message, content }] })]],
		[
			"in items without numbers",
			[
				{ type: "response.output_item.added", item: message },
				{ type: "response.output_text.delta", delta: "hi" },
				{ type: "response.output_item.done", item: { ...message, content } },
				completed(),
			],
		],
		[
			"under other ids in each event",
			[
				added(0, { ...message, id: "a" }),
				delta("output_text", 0, "hi", { item_id: "b" }),
				done(0, { ...message, content }),
				completed(),
			],
		],
		[
			"although its number is not its position",
			[
				added(3, message),
				delta("output_text", 3, "hi"),
				done(3, message),
				completed({ output: [{ ...message, content }] }),
			],
		],
		[
			"although it is announced twice",
			[added(0, message), added(0, message), delta("output_text", 0, "hi"), done(0, message), completed()],
		],
		[
			"although its item ends twice",
			[delta("output_text", 0, "hi"), done(0, message), done(0, { ...message, content }), completed()],
		],
	])("%s", async (_name, events) => {
		expect(await contentOf(events)).toEqual(hi as AssistantContent[]);
	});

	test("from servers that announce and number nothing", async () => {
		const events = [
			{ type: "response.reasoning_text.delta", delta: "hm" },
			{ type: "response.output_text.delta", delta: "h" },
			{ type: "response.output_text.delta", delta: "i" },
			completed(),
		];
		expect(await contentOf(events)).toEqual([
			{ type: "thinking", thinking: "hm" },
			{ type: "text", text: "hi" },
		]);
	});

	test("from servers that give all items the same number", async () => {
		const events = [
			added(0, reasoning),
			delta("reasoning_text", 0, "hm"),
			delta("output_text", 0, "well"),
			added(0, { ...message, id: "msg_2" }),
			done(0, { ...message, content }),
			added(0, message),
			delta("output_text", 0, "ho"),
			done(0, { ...message, content }),
			done(0, { ...callItem, arguments: "{}" }),
			completed(),
		];
		expect(await contentOf(events)).toMatchObject([
			{ thinking: "hm" },
			{ text: "well" },
			{ text: "ho" },
			{ name: "ls" },
		]);
	});

	test("with several items that end without having been announced or numbered", async () => {
		const events = ["hi", "ho"].map((text, n) => ({
			type: "response.output_item.done",
			item: { ...message, id: `msg_${n}`, content: [{ type: "output_text", text }] },
		}));
		expect(await contentOf([...events, completed()])).toMatchObject([{ text: "hi" }, { text: "ho" }]);
	});
});

test("a block ends with its item, before the next one starts", async () => {
	const { events } = await askEvents(api, [
		created,
		done(0, { ...reasoning, summary: [{ text: "hm" }] }),
		done(1, { ...message, content }),
		done(2, { ...callItem, arguments: "{}" }),
		completed(),
	]);
	const kinds = ["thinking", "text", "toolcall"].flatMap((kind) => [
		`${kind}_start`,
		`${kind}_delta`,
		`${kind}_end`,
	]);
	expect(events.map(({ type }): string => type)).toEqual(["start", ...kinds, "done"]);
});

test("a refusal message is text for the user, also beside other text", async () => {
	const events = [
		added(0, message),
		delta("output_text", 0, "Well. ", { content_index: 0 }),
		delta("refusal", 0, "I will ", { content_index: 1 }),
		delta("refusal", 0, "not.", { content_index: 1 }),
		{ type: "response.refusal.done", output_index: 0, content_index: 1, refusal: "I will not." },
		done(0, message),
		completed(),
	];
	expect(await contentOf(events)).toMatchObject([{ type: "text", text: "Well. I will not." }]);
	const whole = done(0, { ...message, content: [{ type: "refusal", refusal: "No." }] });
	expect(await contentOf([whole, completed()])).toMatchObject([{ text: "No." }]);
});

test("the phase of a message is kept with its id", async () => {
	const [block] = await contentOf([done(0, { ...message, content, phase: "commentary" }), completed()]);
	expect(block).toMatchObject({ textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}' });
});

describe("thinking", () => {
	const summary = [
		{ type: "summary_text", text: "**A** hm" },
		{ type: "summary_text", text: "**B** yes" },
	];
	const secret = { ...reasoning, summary, encrypted_content: "c2Vj" };

	test("of several parts has a blank line between them, and its item as the signature", async () => {
		const events = [
			added(0, { ...reasoning, encrypted_content: "unfinished" }),
			{ type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
			delta("reasoning_summary_text", 0, "**A** ", { summary_index: 0 }),
			delta("reasoning_summary_text", 0, "hm", { summary_index: 0 }),
			{ type: "response.reasoning_summary_text.done", output_index: 0, summary_index: 0, text: "**A** hm" },
			{ type: "response.reasoning_summary_part.done", output_index: 0, summary_index: 0 },
			delta("reasoning_summary_text", 0, "**B** yes", { summary_index: 1 }),
			{ type: "response.reasoning_summary_text.done", output_index: 0, summary_index: 0, text: "**A** hm" },
			done(0, { ...secret, status: "completed" }),
			completed(),
		];
		const expected = [
			{ type: "thinking", thinking: "**A** hm\n\n**B** yes", thinkingSignature: JSON.stringify(secret) },
		];
		expect(await contentOf(events)).toEqual(expected as AssistantContent[]);
		expect(await contentOf([done(0, secret), completed()])).toEqual(expected as AssistantContent[]);
	});

	test("that the server hides is a block with only a signature", async () => {
		const hidden = { ...secret, summary: [] };
		expect(await contentOf([added(0, reasoning), done(0, hidden), completed()])).toEqual([
			{ type: "thinking", thinking: "", thinkingSignature: JSON.stringify(hidden) },
		]);
	});

	test("in plain text is kept to be sent back, if the server has no encrypted content", async () => {
		const open = { ...reasoning, content: [{ type: "reasoning_text", text: "hm" }] };
		const events = [
			delta("reasoning_text", 0, "hm"),
			done(0, { ...open, encrypted_content: null }),
			completed(),
		];
		expect(await contentOf(events)).toEqual([
			{ type: "thinking", thinking: "hm", thinkingSignature: JSON.stringify(open) },
		]);
	});

	test("without anything to send back has no signature", async () => {
		const events = [delta("reasoning_summary_text", 0, "hm"), done(0, reasoning), completed()];
		expect(await contentOf(events)).toEqual([{ type: "thinking", thinking: "hm" }]);
	});
});

describe("calls", () => {
	const call = { type: "toolCall", id: "call_1|fc_1", name: "ls", arguments: { path: "a" } };
	const args = '{"path":"a"}';

	test.each<[string, object[]]>([
		[
			"in pieces",
			[
				added(0, { ...callItem, arguments: "" }),
				delta("function_call_arguments", 0, '{"path"'),
				delta("function_call_arguments", 0, ':"a"}'),
				{ type: "response.function_call_arguments.done", output_index: 0, arguments: args },
				done(0, { ...callItem, arguments: args }),
			],
		],
		[
			"at once",
			[
				added(0, { ...callItem, arguments: "{}" }),
				{ type: "response.function_call_arguments.done", output_index: 0, arguments: args },
			],
		],
		["when the item ends", [added(0, callItem), done(0, { ...callItem, arguments: args })]],
		[
			"to an item that was not announced",
			[delta("function_call_arguments", 0, '{"pa'), done(0, { ...callItem, arguments: args })],
		],
	])("get their arguments %s", async (_name, events) => {
		expect(await contentOf([created, ...events, completed()])).toEqual([call] as AssistantContent[]);
	});

	test("that run concurrently keep their own arguments", async () => {
		const events = [
			added(1, { ...callItem, call_id: "b", id: "fc_b" }),
			added(4, { ...callItem, call_id: "a", id: "fc_a" }),
			delta("function_call_arguments", 4, '{"n":'),
			delta("function_call_arguments", 1, '{"n":2}'),
			delta("function_call_arguments", 4, "1}"),
			completed(),
		];
		const outcome = await askEvents(api, events);
		expect(outcome.message.content).toMatchObject([
			{ id: "b|fc_b", arguments: { n: 2 } },
			{ id: "a|fc_a", arguments: { n: 1 } },
		]);
		expect(outcome.message.stopReason).toBe("toolUse");
	});

	test.each([
		[{ call_id: "c" }, "c"],
		[{ id: "fc" }, "fc"],
		[{}, /^call_/],
	])("with the ids %j can be answered", async (ids, expected) => {
		const item = { type: "function_call", name: "ls", arguments: "{}", ...ids };
		expect(await contentOf([done(0, item), completed()])).toMatchObject([
			{ id: typeof expected === "string" ? expected : expect.stringMatching(expected) },
		]);
	});
});

test("the server's own tools are omitted, and the text around them stays in order", async () => {
	const events = [
		created,
		{ type: "keepalive" },
		added(0, { type: "web_search_call", id: "ws_1" }),
		{ type: "response.web_search_call.searching", output_index: 0 },
		done(0, { type: "web_search_call", id: "ws_1" }),
		added(1, { type: "custom_tool_call", id: "ctc_1", name: "patch", input: "" }),
		delta("custom_tool_call_input", 1, "***"),
		{ type: "response.custom_tool_call_input.done", output_index: 1, input: "***" },
		delta("output_text", 1, "not text"),
		done(1, { type: "custom_tool_call", id: "ctc_1", name: "patch", input: "***" }),
		done(2, { ...message, content }),
		{ type: "response.brand_new", output_index: 2, delta: "x" },
		completed(),
	];
	expect(await contentOf(events)).toEqual(hi as AssistantContent[]);
});

describe("the end", () => {
	const text = delta("output_text", 0, "hi");
	const end = (name: string, response: Fields = {}) => ({ type: `response.${name}`, response });

	test.each<[object, AssistantMessage["stopReason"]]>([
		[end("completed"), "stop"],
		[end("completed", { status: "in_progress" }), "stop"],
		[end("done", { status: "completed" }), "stop"],
		[end("incomplete", { incomplete_details: { reason: "max_output_tokens" } }), "length"],
		[end("incomplete"), "length"],
		[end("completed", { status: "incomplete" }), "length"],
	])("%j is %s", async (event, stopReason) => {
		const outcome = await askEvents(api, [created, text, event]);
		expect(outcome.message).toMatchObject({ stopReason, responseId: "resp_1", content: [{ text: "hi" }] });
	});

	const vendorError = (code: string) => ({ code, message: "it broke" });
	test.each<[object | string, string]>([
		[end("failed", { error: vendorError("server_error") }), "overloaded"],
		[end("failed", { error: vendorError("rate_limit_exceeded") }), "rate_limit"],
		[end("failed", { error: vendorError("context_length_exceeded") }), "overflow"],
		[end("failed", { error: null }), "unknown"],
		[end("cancelled"), "unknown"],
		[end("incomplete", { incomplete_details: { reason: "content_filter" } }), "refusal"],
		[{ type: "error", code: "rate_limit_exceeded", message: "slow", param: null }, "rate_limit"],
		[{ type: "error", error: { type: "insufficient_quota", code: "insufficient_quota" } }, "auth"],
		[{ error: { message: "Provider returned error", code: 502 } }, "overloaded"],
		["{broken", "network"],
		["[1]", "network"],
	])("%j is a failure: %s, with the partial content", async (event, kind) => {
		const outcome = await askEvents(api, [created, text, event, completed()]);
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind } });
		expect(outcome.message.content).toEqual([{ type: "text", text: "hi" }]);
	});

	test("a call that was cut by the length limit is marked", async () => {
		const outcome = await askEvents(api, [
			added(0, callItem),
			delta("function_call_arguments", 0, '{"path":"a","con'),
			end("incomplete"),
		]);
		expect(outcome.message).toMatchObject({
			stopReason: "length",
			content: [{ arguments: { path: "a" }, malformed: expect.any(String) }],
		});
	});

	test.each([[[]], [["[DONE]"]]])("a stream that closes without one is not complete: %j", async (more) => {
		const outcome = await askEvents(api, [created, text, done(0, message), ...more]);
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(outcome.message.errorMessage).toContain("before the answer was complete");
	});
});

test("tokens from and to the cache are counted once, and an invalid count is ignored", async () => {
	const usage = {
		input_tokens: 100,
		input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
		output_tokens: 7,
		output_tokens_details: { reasoning_tokens: 5 },
		total_tokens: 107,
	};
	const outcome = await askEvents(api, [completed({ usage })]);
	expect(outcome.message.usage).toMatchObject({
		input: 30,
		cacheRead: 60,
		cacheWrite: 10,
		output: 7,
		totalTokens: 107,
	});
	const broken = await askEvents(api, [completed({ usage: { input_tokens: "many", output_tokens: -1 } })]);
	expect(broken.message.usage).toMatchObject({ input: 0, output: 0, totalTokens: 0 });
});

async function decode(events: readonly object[]): Promise<AssistantMessageEvent[]> {
	const builder = new MessageBuilder(modelAt("", api));
	const decoder = new ResponsesDecoder(builder);
	for (const event of events) {
		if (builder.ended) break;
		const failed = decoder.event({ event: "", data: JSON.stringify(event) });
		if (failed) builder.fail(failed);
	}
	const unfinished = builder.ended ? undefined : decoder.end();
	if (unfinished) builder.fail(unfinished);
	return await Array.fromAsync(builder.stream);
}

const index = fc.constantFrom<unknown>(0, 1, 2, undefined, "0");
const words = fc.constantFrom<unknown>("", "a", '{"a":', "1}", null, 7);
const item = fc.record({
	type: fc.constantFrom("message", "reasoning", "function_call", "custom_tool_call", undefined),
	id: words,
	call_id: words,
	name: words,
	arguments: words,
	summary: fc.constantFrom<unknown>([], [{ text: "s" }], null, "x"),
	content: fc.constantFrom<unknown>([], [{ text: "t" }, { refusal: "no" }], null),
	encrypted_content: words,
	phase: words,
});
const anyEvent = fc.record({
	type: fc
		.constantFrom(
			"created",
			"in_progress",
			"output_item.added",
			"output_item.done",
			"content_part.added",
			"output_text.delta",
			"output_text.done",
			"refusal.delta",
			"refusal.done",
			"reasoning_summary_text.delta",
			"reasoning_summary_text.done",
			"reasoning_text.delta",
			"reasoning_text.done",
			"function_call_arguments.delta",
			"function_call_arguments.done",
		)
		.map((name) => `response.${name}`),
	output_index: index,
	content_index: index,
	summary_index: index,
	delta: words,
	text: words,
	refusal: words,
	arguments: words,
	item: fc.oneof(item, fc.constant(null)),
	response: fc.constantFrom<unknown>({ id: "r" }, null, 3),
});
const lastEvent = fc.constantFrom<object[]>(
	[completed()],
	[{ type: "response.incomplete" }],
	[{ type: "response.failed", response: {} }],
	[{ type: "error" }],
	[completed(), completed()],
	[],
);

test("any events in any order give a well-formed answer with one end", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(anyEvent, { maxLength: 12 }), lastEvent, async (events, last) => {
			assertWellFormed(await decode([...events, ...last]));
		}),
		{ numRuns: samples(3000) },
	);
});
