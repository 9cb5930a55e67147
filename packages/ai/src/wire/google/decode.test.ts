/** How the streams of Google's servers are decoded. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { askEvents, modelAt } from "../../testing/asking.ts";
import { MessageBuilder } from "../../message-builder.ts";
import { assertWellFormed } from "../../testing/index.ts";
import type { AssistantMessageEvent, ToolCall } from "../../types.ts";
import { isMadeUp } from "./call-ids.ts";
import { GoogleDecoder } from "./decode.ts";

const api = "google-generative-ai";

function parts(...given: object[]): object {
	return { candidates: [{ content: { parts: given, role: "model" }, index: 0 }] };
}

function end(finishReason: string, more: object = {}): object {
	return { candidates: [{ content: { role: "model" }, finishReason, index: 0, ...more }] };
}

const stop = end("STOP");

test("text, thoughts and calls become blocks in their order", async () => {
	const { message, events } = await askEvents(api, [
		parts({ text: "Let me ", thought: true }),
		parts({ text: "see.", thought: true }, { text: "It" }),
		parts({ text: " is" }),
		parts(
			{ functionCall: { id: "f1", name: "read", args: { path: "a" } } },
			{ functionCall: { name: "ls" } },
		),
		parts({ text: "after" }),
		stop,
	]);
	expect(message).toMatchObject({
		stopReason: "toolUse",
		content: [
			{ type: "thinking", thinking: "Let me see." },
			{ type: "text", text: "It is" },
			{ type: "toolCall", id: "f1", name: "read", arguments: { path: "a" } },
			{ type: "toolCall", name: "ls", arguments: {} },
			{ type: "text", text: "after" },
		],
	});
	const call = events.filter((event) => "contentIndex" in event && event.contentIndex === 2);
	expect(call.map(({ type }) => type)).toEqual(["toolcall_start", "toolcall_delta", "toolcall_end"]);
	expect(call[1]).toMatchObject({ delta: '{"path":"a"}' });
});

test("calls without an id, or with a duplicate one, get one of their own", async () => {
	const functionCall = { name: "ls", args: {} };
	const { message } = await askEvents(api, [
		parts({ functionCall }, { functionCall }),
		parts({ functionCall: { ...functionCall, id: "x" } }, { functionCall: { ...functionCall, id: "x" } }),
		stop,
	]);
	const ids = (message.content as ToolCall[]).map(({ id }) => id);
	expect(new Set(ids).size).toBe(4);
	expect(ids.map((id) => isMadeUp(id))).toEqual([true, true, false, true]);
});

test("arguments that are not an object are marked", async () => {
	const { message } = await askEvents(api, [parts({ functionCall: { name: "ls", args: [1] } }), stop]);
	expect(message.content).toMatchObject([{ type: "toolCall", arguments: {}, malformed: expect.any(String) }]);
});

describe("signatures", () => {
	test("are kept with their part", async () => {
		const { message } = await askEvents(api, [
			parts({ text: "hm", thought: true, thoughtSignature: "YQ==" }),
			parts({ text: "so", thoughtSignature: "Yg==" }),
			parts({ functionCall: { name: "ls" }, thoughtSignature: "Yw==" }, { functionCall: { name: "ls" } }),
			stop,
		]);
		const [thought, text, first, second] = message.content;
		expect(thought).toEqual({ type: "thinking", thinking: "hm", thinkingSignature: "YQ==" });
		expect(text).toEqual({ type: "text", text: "so", textSignature: "Yg==" });
		expect(first).toMatchObject({ thoughtSignature: "Yw==" });
		expect(second).not.toHaveProperty("thoughtSignature");
	});

	test.each([
		["an empty text", { text: "", thoughtSignature: "YQ==" }],
		["no text", { thoughtSignature: "YQ==" }],
	])("that come alone with %s belong to the open block", async (_name, part) => {
		const { message } = await askEvents(api, [
			parts({ text: "all" }),
			parts({ text: " said" }),
			parts(part),
			stop,
		]);
		expect(message.content).toEqual([{ type: "text", text: "all said", textSignature: "YQ==" }]);
	});

	test("of the first piece of a text apply to all of it", async () => {
		const { message } = await askEvents(api, [
			parts({ text: "a", thoughtSignature: "YQ==" }),
			parts({ text: "b" }),
			stop,
		]);
		expect(message.content).toEqual([{ type: "text", text: "ab", textSignature: "YQ==" }]);
	});

	test("without any content make no block", async () => {
		const { message } = await askEvents(api, [parts({ text: "", thoughtSignature: "YQ==" }), stop]);
		expect(message).toMatchObject({ stopReason: "stop", content: [] });
	});
});

describe("the end", () => {
	test.each([
		["STOP", "stop"],
		["MAX_TOKENS", "length"],
		["CONTINUATION", "length"],
		["SOMETHING_NEW", "error"],
	] as const)("%s of a text is %s", async (reason, expected) => {
		const { message } = await askEvents(api, [parts({ text: "hi" }), end(reason)]);
		expect(message.stopReason).toBe(expected);
	});

	test.each([
		["SAFETY", "refusal"],
		["RECITATION", "refusal"],
		["LANGUAGE", "refusal"],
		["BLOCKLIST", "refusal"],
		["PROHIBITED_CONTENT", "refusal"],
		["SPII", "refusal"],
		["MODEL_ARMOR", "refusal"],
		["IMAGE_SAFETY", "refusal"],
		["MALFORMED_FUNCTION_CALL", "invalid_response"],
		["UNEXPECTED_TOOL_CALL", "invalid_response"],
		["TOO_MANY_TOOL_CALLS", "unknown"],
		["MISSING_THOUGHT_SIGNATURE", "invalid_request"],
		["OTHER", "unknown"],
	] as const)("%s is a failure of kind %s that keeps the partial content", async (reason, kind) => {
		const { message } = await askEvents(api, [
			parts({ text: "hi" }),
			end(reason, { finishMessage: "the reason" }),
		]);
		expect(message).toMatchObject({ stopReason: "error", failure: { kind }, content: [{ text: "hi" }] });
		expect(message.errorMessage).toEndWith(": the reason");
		const silent = await askEvents(api, [end(reason)]);
		expect(silent.message.errorMessage).toMatch(/\w$/);
	});

	test("only the end of the stream is the end, as some servers send a reason in each response", async () => {
		const early = { candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }] };
		const { message } = await askEvents(api, [early, early, "[DONE]"]);
		expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "aa" }] });
	});

	test.each([
		[[parts({ text: "hi" })]],
		[[parts({ text: "hi" }), end("FINISH_REASON_UNSPECIFIED")]],
		[[parts({ text: "hi" }), "[DONE]"]],
	])("a stream without a reason is torn: %j", async (events) => {
		const { message } = await askEvents(api, events);
		expect(message).toMatchObject({
			stopReason: "error",
			failure: { kind: "network" },
			content: [{ text: "hi" }],
		});
	});

	test.each([
		[{ blockReason: "PROHIBITED_CONTENT" }, "Google refused the prompt (PROHIBITED_CONTENT)"],
		[{ blockReason: "OTHER", blockReasonMessage: "no" }, "Google refused the prompt (OTHER): no"],
	])("a prompt that is blocked is a refusal: %j", async (promptFeedback, expected) => {
		const { message } = await askEvents(api, [{ promptFeedback, usageMetadata: { promptTokenCount: 9 } }]);
		expect(message).toMatchObject({
			failure: { kind: "refusal" },
			errorMessage: expected,
			usage: { input: 9 },
		});
	});

	test("feedback that blocks nothing is not a refusal", async () => {
		const promptFeedback = { blockReason: "BLOCKED_REASON_UNSPECIFIED", safetyRatings: [] };
		expect((await askEvents(api, [{ promptFeedback }, stop])).message.stopReason).toBe("stop");
	});
});

test.each([
	["not JSON", "network"],
	['"a text"', "network"],
	[{ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }, "overloaded"],
	[{ error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED" } }, "rate_limit"],
	[{ error: { code: 500, message: "An internal error has occurred.", status: "INTERNAL" } }, "overloaded"],
	[{ error: { code: 499, message: "The operation was cancelled.", status: "CANCELLED" } }, "invalid_request"],
] as const)("a response such as %j ends the answer as %s, with the partial content", async (event, kind) => {
	const { message } = await askEvents(api, [parts({ text: "hi" }), event, stop]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind }, content: [{ text: "hi" }] });
});

test("tokens are counted once: the cache separately, thoughts as output, server tools as input", async () => {
	const usageMetadata = {
		promptTokenCount: 100,
		cachedContentTokenCount: 60,
		candidatesTokenCount: 7,
		thoughtsTokenCount: 20,
		toolUsePromptTokenCount: 5,
		totalTokenCount: 132,
	};
	const { message } = await askEvents(api, [{ ...stop, usageMetadata }]);
	expect(message.usage).toMatchObject({
		input: 45,
		output: 27,
		cacheRead: 60,
		cacheWrite: 0,
		totalTokens: 132,
	});
});

test("counts that are omitted on the way stay, and invalid ones are ignored", async () => {
	const first = { promptTokenCount: 10, candidatesTokenCount: 2 };
	const { message } = await askEvents(api, [
		{ ...parts({ text: "a" }), usageMetadata: first },
		{ ...parts({ text: "b" }), usageMetadata: { trafficType: "ON_DEMAND" } },
		{
			...stop,
			usageMetadata: { candidatesTokenCount: 4, thoughtsTokenCount: "many", cachedContentTokenCount: -3 },
		},
	]);
	expect(message.usage).toMatchObject({ input: 10, output: 4, cacheRead: 0 });
});

test("the id of the response and a model other than the requested one are kept", async () => {
	const { message } = await askEvents(api, [{ ...stop, responseId: "r1", modelVersion: "played-1-0325" }]);
	expect(message).toMatchObject({ responseId: "r1", responseModel: "played-1-0325", model: "played-1" });
	const same = await askEvents(api, [{ ...stop, modelVersion: "models/played-1" }]);
	expect(same.message).not.toHaveProperty("responseModel");
});

const anyPart = fc.record(
	{
		text: fc.oneof(fc.string({ maxLength: 4 }), fc.constant("")),
		thought: fc.boolean(),
		thoughtSignature: fc.constantFrom("YQ==", ""),
		functionCall: fc.record(
			{
				id: fc.constantFrom("a", "b", ""),
				name: fc.string({ maxLength: 3 }),
				args: fc.jsonValue({ maxDepth: 2 }),
			},
			{ requiredKeys: [] },
		),
		inlineData: fc.constant({}),
	},
	{ requiredKeys: [] },
);
const anyResponse = fc.oneof(
	fc.record(
		{
			candidates: fc.array(
				fc.record(
					{
						content: fc.record({ parts: fc.array(anyPart, { maxLength: 4 }) }, { requiredKeys: [] }),
						finishReason: fc.constantFrom("STOP", "MAX_TOKENS", "SAFETY", "", "NEW"),
					},
					{ requiredKeys: [] },
				),
				{ maxLength: 2 },
			),
			usageMetadata: fc.dictionary(
				fc.constantFrom("promptTokenCount", "candidatesTokenCount"),
				fc.jsonValue(),
			),
		},
		{ requiredKeys: [] },
	),
	fc.dictionary(fc.constantFrom("candidates", "promptFeedback", "error", "responseId"), fc.jsonValue()),
);

test("property: any responses produce well-formed events, and calls with unique ids", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(anyResponse, { maxLength: 6 }), async (responses) => {
			const builder = new MessageBuilder(modelAt("", api));
			const decoder = new GoogleDecoder(builder);
			let failed;
			for (const response of responses)
				failed ??= decoder.event({ event: "", data: JSON.stringify(response) });
			failed ??= decoder.end();
			if (failed) builder.fail(failed);
			const events: AssistantMessageEvent[] = [];
			for await (const event of builder.stream) events.push(event);
			assertWellFormed(events);
			const ids = builder.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
			expect(new Set(ids).size).toBe(ids.length);
			expect(ids).not.toContain("");
		}),
	);
});
