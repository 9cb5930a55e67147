/** The streams of older and newer versions of Ollama, and how an answer ends when it fails. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { askServer, receive, hello, modelAt, type ReceivedAnswer } from "../../testing/asking.ts";
import { promiseClearEnds, promiseTornAnswers, story, tale, textOf } from "../../testing/failing.ts";
import { stream } from "../../stream.ts";
import { playModel, type Answer, type PlayedModel } from "../../testing/index.ts";
import type { AssistantMessageEventStream } from "../../types.ts";

const api = "ollama-chat";

function outcomeOf(...lines: (object | string)[]): Promise<ReceivedAnswer> {
	const body = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
	return askServer(api, () => new Response(body, { headers: { "content-type": "application/x-ndjson" } }));
}

function ask(played: PlayedModel): AssistantMessageEventStream {
	return stream(modelAt(`${played.url}/v1`, api), hello);
}

function messageLine(message: object): object {
	return { model: "m", message: { role: "assistant", content: "", ...message }, done: false };
}

const done = { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };

test("thinking, text and calls, with counts", async () => {
	const { message } = await outcomeOf(
		messageLine({ thinking: "Hm" }),
		messageLine({ thinking: "." }),
		messageLine({ content: "So" }),
		messageLine({ content: "!" }),
		messageLine({ tool_calls: [{ function: { index: 0, name: "read", arguments: { path: "ä", n: [1] } } }] }),
		{ ...done, prompt_eval_count: 26, eval_count: 298 },
	);
	expect(message.content).toEqual([
		{ type: "thinking", thinking: "Hm." },
		{ type: "text", text: "So!" },
		{ type: "toolCall", id: expect.stringMatching(/^call_/), name: "read", arguments: { path: "ä", n: [1] } },
	]);
	expect(message).toMatchObject({
		stopReason: "toolUse",
		usage: { input: 26, output: 298, totalTokens: 324 },
	});
});

test("calls without ids stay separate, and those with ids keep them", async () => {
	const { message } = await outcomeOf(
		messageLine({ tool_calls: [{ function: { name: "a", arguments: {} } }, { function: { name: "a" } }] }),
		messageLine({ tool_calls: [{ id: "call_x", function: { name: "b", arguments: '{"s":1}' } }] }),
		done,
	);
	const calls = message.content.map((block) => (block.type === "toolCall" ? block : undefined));
	expect(calls.map((call) => [call?.name, call?.arguments])).toEqual([
		["a", {}],
		["a", {}],
		["b", { s: 1 }],
	]);
	expect(new Set(calls.map((call) => call?.id)).size).toBe(3);
	expect(calls[2]?.id).toBe("call_x");
});

test("text after a call is a separate block, and the last line may contain some", async () => {
	const { message } = await outcomeOf(
		messageLine({ content: "a" }),
		messageLine({ tool_calls: [{ function: { name: "x", arguments: {} } }] }),
		{ ...done, message: { role: "assistant", content: "b" } },
	);
	expect(message.content).toMatchObject([{ text: "a" }, { type: "toolCall" }, { text: "b" }]);
});

test.each([
	["stop", "stop"],
	["length", "length"],
	["load", "stop"],
	[undefined, "stop"],
] as const)("done_reason %p ends a text with %s", async (done_reason, expected) => {
	const { message } = await outcomeOf(messageLine({ content: "hi" }), { ...done, done_reason });
	expect(message).toMatchObject({ stopReason: expected, content: [{ text: "hi" }] });
});

test.each([
	[{ error: "an error was encountered while running the model: GGML_ASSERT" }, "unknown"],
	[{ error: "server overloaded, please retry shortly" }, "overloaded"],
	[{ error: "the input length exceeds the context length" }, "overflow"],
	["not JSON", "network"],
	["[1]", "network"],
] as const)("a line such as %j ends the answer as %s, with the partial content", async (line, kind) => {
	const { message } = await outcomeOf(messageLine({ content: "hi" }), line, done);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
	expect(message.errorMessage).toContain(typeof line === "string" ? line : line.error);
});

const rich: Answer = {
	blocks: [
		{ thinking: "Let me think about 🙂", chunks: 5 },
		{ text: "Ich höre 你好. ", chunks: 4 },
		{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" } },
		{ toolCall: { name: "list", arguments: {}, id: "t2" } },
	],
	usage: { input: 11, output: 22, cacheRead: 33 },
};

const whole = [
	{ type: "thinking", thinking: "Let me think about 🙂" },
	{ type: "text", text: "Ich höre 你好. " },
	{ type: "toolCall", id: "t1", name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] } },
	{ type: "toolCall", id: "t2", name: "list", arguments: {} },
];

test("a complete answer, requested below the address of the OpenAI-compatible API, with a key if there is one", async () => {
	await using played = await playModel({ steps: [{ answer: rich }] });
	const { message } = await receive(stream(modelAt(`${played.url}/v1`, api), hello, { apiKey: "key" }));
	expect<unknown>(message.content).toEqual(whole);
	expect(message).toMatchObject({ stopReason: "toolUse", usage: { input: 44, output: 22 } });
	expect(played.requests[0]).toMatchObject({ path: "/api/chat", headers: { authorization: "Bearer key" } });
});

promiseClearEnds(ask);
promiseTornAnswers(ask, rich);

test("a truncated line ends the answer with the partial content", async () => {
	const fault = { malformedLine: '{"message":', afterChunks: 2 };
	await using played = await playModel({ steps: [{ answer: tale, fault }] });
	const broken = await receive(ask(played));
	expect(broken.message.failure?.kind).toBe("network");
	expect(textOf(broken)).toBe(story.slice(0, 12));
});

test("any lines in any order give a well-formed answer", async () => {
	const anyLine = fc.oneof(
		fc.string().map((content) => messageLine({ content })),
		fc.string().map((thinking) => messageLine({ thinking })),
		fc.jsonValue().map((args) => messageLine({ tool_calls: [{ function: { name: "x", arguments: args } }] })),
		fc.constantFrom(done, messageLine({ tool_calls: null }), { message: null, done: "no" }),
	);
	await fc.assert(
		// `receive` fails the test when the events violate the contract.
		fc.asyncProperty(fc.array(anyLine, { maxLength: 15 }), async (lines) => {
			const { message } = await outcomeOf(...lines);
			expect(["stop", "toolUse", "error"]).toContain(message.stopReason);
		}),
		{ numRuns: 60 },
	);
});
