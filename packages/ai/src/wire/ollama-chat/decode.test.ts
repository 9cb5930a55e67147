/** What Ollama sends, older and newer versions alike, and how an answer ends when it fails. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { askServer, hear, hello, modelAt, setEnv, type Heard } from "../../asking.test.ts";
import { stream } from "../../stream.ts";
import { playModel, type Answer, type Fault, type Step } from "../../testing/index.ts";
import type { FailureKind } from "../../types.ts";

const api = "ollama-chat";

function heard(...lines: (object | string)[]): Promise<Heard> {
	const body = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
	return askServer(api, () => new Response(body, { headers: { "content-type": "application/x-ndjson" } }));
}

async function ask(...steps: (Step | string)[]): Promise<Heard> {
	await using played = await playModel({ steps });
	return await hear(stream(modelAt(`${played.url}/v1`, api), hello));
}

function said(message: object): object {
	return { model: "m", message: { role: "assistant", content: "", ...message }, done: false };
}

const done = { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };

test("thinking, text and calls, with counts", async () => {
	const { message } = await heard(
		said({ thinking: "Hm" }),
		said({ thinking: "." }),
		said({ content: "So" }),
		said({ content: "!" }),
		said({ tool_calls: [{ function: { index: 0, name: "read", arguments: { path: "ä", n: [1] } } }] }),
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

test("calls without ids are told apart, and those with ids keep them", async () => {
	const { message } = await heard(
		said({ tool_calls: [{ function: { name: "a", arguments: {} } }, { function: { name: "a" } }] }),
		said({ tool_calls: [{ id: "call_x", function: { name: "b", arguments: '{"s":1}' } }] }),
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

test("text after a call is a text of its own, and the last line may hold some", async () => {
	const { message } = await heard(
		said({ content: "a" }),
		said({ tool_calls: [{ function: { name: "x", arguments: {} } }] }),
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
	const { message } = await heard(said({ content: "hi" }), { ...done, done_reason });
	expect(message).toMatchObject({ stopReason: expected, content: [{ text: "hi" }] });
});

test.each([
	[{ error: "an error was encountered while running the model: GGML_ASSERT" }, "unknown"],
	[{ error: "server overloaded, please retry shortly" }, "overloaded"],
	[{ error: "the input length exceeds the context length" }, "overflow"],
	["not JSON", "network"],
	["[1]", "network"],
] as const)("a line such as %j ends the answer as %s, with what was said so far", async (line, kind) => {
	const { message } = await heard(said({ content: "hi" }), line, done);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
	expect(message.errorMessage).toContain(typeof line === "string" ? line : line.error);
});

test.each<[Fault, FailureKind]>([
	[{ http: 400 }, "invalid_request"],
	[{ http: 401 }, "auth"],
	[{ http: 403 }, "auth"],
	[{ http: 404 }, "invalid_request"],
	[{ http: 413 }, "overflow"],
	[{ http: 429 }, "rate_limit"],
	[{ http: 500 }, "overloaded"],
	[{ http: 503 }, "overloaded"],
	[{ http: 529 }, "overloaded"],
	[{ overflow: true }, "overflow"],
])("%j is a failure of kind %s", async (fault, kind) => {
	const { message } = await ask({ fault });
	const status = "http" in fault ? fault.http : 400;
	expect(message).toMatchObject({ stopReason: "error", content: [], failure: { kind, status } });
});

const story = "Once upon a time there was a model. ";
const tale: Answer = { blocks: [{ text: story, chunks: 6 }] };

test.each<[Fault, string, FailureKind | undefined]>([
	[{ errorEvent: { type: "x", message: "Overloaded" }, afterChunks: 3 }, story.slice(0, 18), "overloaded"],
	[{ truncated: true }, story, "network"],
	[{ malformedLine: '{"message":', afterChunks: 2 }, story.slice(0, 12), "network"],
	[{ pauseMs: 20, afterChunks: 3 }, story, undefined],
])("%j leaves %j", async (fault, text, kind) => {
	const { message } = await ask({ answer: tale, fault });
	expect(message.content).toEqual([{ type: "text", text }]);
	expect<unknown>(message.failure?.kind).toBe(kind);
});

test("a server that is silent is given up and hung up on", async () => {
	using _env = setEnv({ TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: "40" });
	await using played = await playModel({ steps: [{ fault: { silent: true } }] });
	const { message } = await hear(stream(modelAt(played.url, api), hello));
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "timeout" } });
	expect((await played.waitForEnd(1)).aborted).toBe(true);
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

test("a whole answer, asked for below the address of the imitation, with a key where there is one", async () => {
	await using played = await playModel({ steps: [{ answer: rich }] });
	const { message } = await hear(stream(modelAt(`${played.url}/v1`, api), hello, { apiKey: "key" }));
	expect<unknown>(message.content).toEqual(whole);
	expect(message).toMatchObject({ stopReason: "toolUse", usage: { input: 44, output: 22 } });
	expect(played.requests[0]).toMatchObject({ path: "/api/chat", headers: { authorization: "Bearer key" } });
});

test("a connection may break at any byte: the answer ends well or as a network failure", async () => {
	const places = Array.from({ length: 120 }, (_, n) => n * 23);
	await using played = await playModel({
		steps: places.map((tornAtByte) => ({ answer: rich, fault: { tornAtByte } })),
	});
	let broken = 0;
	for (const _at of places) {
		const { message } = await hear(stream(modelAt(played.url, api), hello));
		if (message.stopReason === "error") {
			broken++;
			expect(message.failure?.kind).toBe("network");
		} else expect<unknown>(message.content).toEqual(whole);
	}
	expect(broken).toBeGreaterThan(60);
});

test("any lines in any order make a well-formed answer", async () => {
	const anyLine = fc.oneof(
		fc.string().map((content) => said({ content })),
		fc.string().map((thinking) => said({ thinking })),
		fc.jsonValue().map((args) => said({ tool_calls: [{ function: { name: "x", arguments: args } }] })),
		fc.constantFrom(done, said({ tool_calls: null }), { message: null, done: "no" }),
	);
	await fc.assert(
		// `hear` fails the test when the events break the contract.
		fc.asyncProperty(fc.array(anyLine, { maxLength: 15 }), async (lines) => {
			const { message } = await heard(...lines);
			expect(["stop", "toolUse", "error"]).toContain(message.stopReason);
		}),
		{ numRuns: 60 },
	);
});
