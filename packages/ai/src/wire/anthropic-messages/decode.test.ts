/** The deviations of gateways in front of Anthropic, which must still be understood. */
import { expect, test } from "bun:test";

import { askEvents } from "../../testing/asking.ts";

const api = "anthropic-messages";
const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 5, output_tokens: 1 } } };
const stop = { type: "message_stop" };

function block(index: number, content_block: object, ...deltas: object[]): object[] {
	return [
		{ type: "content_block_start", index, content_block },
		...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
		{ type: "content_block_stop", index },
	];
}

function ended(stop_reason: string | null, usage: object = { output_tokens: 9 }): object {
	return { type: "message_delta", delta: { stop_reason }, usage };
}

const text = block(0, { type: "text", text: "" }, { type: "text_delta", text: "hi" });

test("a whole tool input at the start of its block is accepted", async () => {
	const input = { path: "a", deep: { list: [1, "🙂"] } };
	const { message } = await askEvents(api, [
		start,
		...block(0, { type: "tool_use", id: "t1", name: "read", input }),
		ended("tool_use"),
		stop,
	]);
	expect(message.content).toEqual([{ type: "toolCall", id: "t1", name: "read", arguments: input }]);
	expect(message.stopReason).toBe("toolUse");
});

test("text, thinking and signature at the start of their block are accepted", async () => {
	const { message } = await askEvents(api, [
		start,
		...block(
			0,
			{ type: "thinking", thinking: "Hm", signature: "s1" },
			{ type: "thinking_delta", thinking: "." },
		),
		...block(1, { type: "text", text: "He" }, { type: "text_delta", text: "llo" }),
		ended("end_turn"),
		stop,
	]);
	expect(message.content).toEqual([
		{ type: "thinking", thinking: "Hm.", thinkingSignature: "s1" },
		{ type: "text", text: "Hello" },
	]);
});

test("empty deltas emit no events", async () => {
	const { events, message } = await askEvents(api, [
		start,
		...block(
			0,
			{ type: "text", text: "" },
			{ type: "text_delta", text: "" },
			{ type: "text_delta", text: "x" },
		),
		ended("end_turn"),
		stop,
	]);
	expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(1);
	expect(message.content).toEqual([{ type: "text", text: "x" }]);
});

test.each([
	["end_turn", "stop"],
	["stop_sequence", "stop"],
	["pause_turn", "stop"],
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["tool_use", "stop"],
	["something_new", "error"],
	["constructor", "error"],
	["sensitive", "error"],
] as const)("stop reason %s of a text ends it with %s", async (reason, expected) => {
	const { message } = await askEvents(api, [start, ...text, ended(reason), stop]);
	expect(message.stopReason).toBe(expected);
	expect(message.usage.output).toBe(9);
});

test("a refusal has the provider's explanation, if there is one", async () => {
	const stop_details = { type: "refusal", category: "cyber", explanation: "It could harm." };
	const refused = { type: "message_delta", delta: { stop_reason: "refusal", stop_details } };
	const explained = await askEvents(api, [start, ...text, refused, stop]);
	expect(explained.message.failure).toEqual({
		kind: "refusal",
		message: "The model refused to answer: It could harm.",
	});
	const plain = await askEvents(api, [start, ...text, ended("refusal"), stop]);
	expect(plain.message.failure).toEqual({ kind: "refusal", message: "The model refused to answer" });
});

test("an answer with a call has the reason toolUse, whatever the gateway sends", async () => {
	const call = block(0, { type: "tool_use", id: "t", name: "ls", input: {} });
	const { message } = await askEvents(api, [start, ...call, ended("end_turn"), stop]);
	expect(message.stopReason).toBe("toolUse");
});

test("a stream that closes after its stop reason is complete", async () => {
	const { message } = await askEvents(api, [start, ...text, ended("end_turn")]);
	expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hi" }] });
});

test("a stream that closes before its stop reason is not complete, and keeps the partial content", async () => {
	const { message } = await askEvents(api, [start, ...text]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});

test("unknown events of a future API are ignored", async () => {
	const { message } = await askEvents(api, [
		start,
		{ type: "ping" },
		{ type: "news", payload: 1 },
		...block(
			0,
			{ type: "server_tool_use", id: "s", name: "web" },
			{ type: "input_json_delta", partial_json: "{}" },
		),
		...block(1, { type: "text", text: "" }, { type: "citations_delta" }, { type: "text_delta", text: "hi" }),
		{ type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "nobody opened this" } },
		ended("end_turn"),
		stop,
	]);
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
	expect(message.stopReason).toBe("stop");
});

test("the model that answered is named if it is another one", async () => {
	const from = (model: string) => ({ type: "message_start", message: { id: "m", model } });
	const other = await askEvents(api, [from("other-2"), ...text, ended("end_turn"), stop]);
	expect(other.message).toMatchObject({ model: "played-1", responseModel: "other-2" });
	const same = await askEvents(api, [from("played-1"), ...text, ended("end_turn"), stop]);
	expect(same.message).not.toHaveProperty("responseModel");
});

test("a call without an id gets one, so that its result can refer to it", async () => {
	const { message } = await askEvents(api, [
		start,
		...block(0, { type: "tool_use", name: "ls", input: { a: 1 } }),
		...block(1, { type: "tool_use", name: "ls", input: { a: 2 } }),
		stop,
	]);
	const ids = message.content.map((call) => (call.type === "toolCall" ? call.id : ""));
	expect(ids).toEqual([expect.stringMatching(/^call_\w+$/), expect.stringMatching(/^call_\w+$/)]);
	expect(ids[0]).not.toBe(ids[1]);
});

test("counts that the end does not repeat stay, and invalid ones are ignored", async () => {
	const first = { input_tokens: 10, cache_read_input_tokens: 7, cache_creation_input_tokens: null };
	const { message } = await askEvents(api, [
		{ type: "message_start", message: { usage: first } },
		...text,
		ended("end_turn", { output_tokens: -4, cache_creation_input_tokens: 3, input_tokens: null }),
		stop,
	]);
	expect(message.usage).toMatchObject({ input: 10, output: 0, cacheRead: 7, cacheWrite: 3, totalTokens: 20 });
});

test.each([
	["[1, 2]", "network"],
	["not JSON", "network"],
	[{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
	[{ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }, "rate_limit"],
	[{ type: "error", error: { type: "api_error", message: "Internal server error" } }, "overloaded"],
	[{ type: "error", error: "who knows" }, "unknown"],
] as const)("an event such as %j ends the answer as %s, with the partial content", async (event, kind) => {
	const { message } = await askEvents(api, [start, ...text, event, ended("end_turn"), stop]);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});
