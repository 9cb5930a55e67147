/** The streams of the many models behind ConverseStream, and how an answer ends when one of them fails. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { receive, hello, modelAt, type ReceivedAnswer } from "../../testing/asking.ts";
import { stream } from "../../stream.ts";
import { eventStreamMessage } from "../../testing/event-stream-message.ts";

type Event = readonly [name: string, payload: object | string];

const contentType = "application/vnd.amazon.eventstream";

function messageOf([name, payload]: Event): Buffer {
	const kind = name.endsWith("Exception") ? "exception" : "event";
	const data = typeof payload === "string" ? payload : JSON.stringify(payload);
	return eventStreamMessage({ ":message-type": kind, [`:${kind}-type`]: name }, data);
}

/** One request to a server that sends these events. */
async function outcomeOf(...events: Event[]): Promise<ReceivedAnswer> {
	const body = Buffer.concat(events.map(messageOf));
	const respond = () => new Response(body, { headers: { "content-type": contentType } });
	await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
	const model = modelAt(server.url.href, "bedrock-converse-stream");
	return await receive(stream(model, hello, { apiKey: "key" }));
}

function delta(contentBlockIndex: number, part: object): Event {
	return ["contentBlockDelta", { contentBlockIndex, delta: part }];
}

function toolStart(contentBlockIndex: number, toolUse: object): Event {
	return ["contentBlockStart", { contentBlockIndex, start: { toolUse } }];
}

function closed(contentBlockIndex: number): Event {
	return ["contentBlockStop", { contentBlockIndex }];
}

const start: Event = ["messageStart", { role: "assistant" }];
const text: Event[] = [delta(0, { text: "hi" }), closed(0)];
const metadata: Event = ["metadata", { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }];

function stopped(stopReason: string): Event {
	return ["messageStop", { stopReason }];
}

test("thinking, text and calls, each with its own fields", async () => {
	const { message } = await outcomeOf(
		start,
		delta(0, { reasoningContent: { text: "Let me" } }),
		delta(0, { reasoningContent: { text: " think" } }),
		delta(0, { reasoningContent: { signature: "sig" } }),
		closed(0),
		delta(1, { reasoningContent: { redactedContent: "b3BhcXVl" } }),
		closed(1),
		delta(2, { text: "" }),
		delta(2, { text: "So" }),
		closed(2),
		toolStart(3, { toolUseId: "t1", name: "read" }),
		delta(3, { toolUse: { input: '{"path":' } }),
		delta(3, { toolUse: { input: '"a"}' } }),
		closed(3),
		stopped("tool_use"),
		[
			"metadata",
			{ usage: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 } },
		],
	);
	expect(message.content).toEqual([
		{ type: "thinking", thinking: "Let me think", thinkingSignature: "sig" },
		{ type: "thinking", thinking: "", thinkingSignature: "b3BhcXVl", redacted: true },
		{ type: "text", text: "So" },
		{ type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } },
	]);
	expect(message).toMatchObject({
		stopReason: "toolUse",
		usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10 },
	});
});

test("thinking with only a signature is kept", async () => {
	const { message } = await outcomeOf(
		start,
		delta(0, { reasoningContent: { signature: "si" } }),
		delta(0, { reasoningContent: { signature: "g" } }),
		...text.map(([name, payload]): Event => [name, { ...(payload as object), contentBlockIndex: 1 }]),
		stopped("end_turn"),
		metadata,
	);
	expect(message.content).toEqual([
		{ type: "thinking", thinking: "", thinkingSignature: "sig" },
		{ type: "text", text: "hi" },
	]);
});

test("hidden thinking in pieces is the base64 of all its bytes", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.uint8Array({ minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 5 }),
			async (pieces) => {
				const deltas = pieces.map((bytes) =>
					delta(0, { reasoningContent: { redactedContent: Buffer.from(bytes).toString("base64") } }),
				);
				const { message } = await outcomeOf(start, ...deltas, stopped("end_turn"), metadata);
				const thinkingSignature = Buffer.concat(pieces).toString("base64");
				expect(message.content).toEqual([
					{ type: "thinking", thinking: "", thinkingSignature, redacted: true },
				]);
			},
		),
		{ numRuns: 30 },
	);
});

test("blocks that are not closed, or change their kind, are complete nevertheless", async () => {
	const { events, message } = await outcomeOf(
		delta(0, { reasoningContent: { text: "hm" } }),
		delta(0, { text: "hi" }),
		stopped("end_turn"),
		metadata,
	);
	expect(message.content).toEqual([
		{ type: "thinking", thinking: "hm" },
		{ type: "text", text: "hi" },
	]);
	expect(message.stopReason).toBe("stop");
	const order = events.map(({ type }) => type).filter((type) => !type.endsWith("delta"));
	expect(order).toEqual(["start", "thinking_start", "thinking_end", "text_start", "text_end", "done"]);
});

test("interleaved calls stay separate, and one without an id or arguments is a call", async () => {
	const { message } = await outcomeOf(
		start,
		toolStart(0, { toolUseId: "a", name: "x" }),
		toolStart(1, { name: "y" }),
		delta(1, { toolUse: { input: "" } }),
		delta(0, { toolUse: { input: '{"n":1}' } }),
		closed(1),
		closed(0),
		stopped("end_turn"),
		metadata,
	);
	expect(message).toMatchObject({
		stopReason: "toolUse",
		content: [
			{ id: "a", name: "x", arguments: { n: 1 } },
			{ id: expect.stringMatching(/^call_/), name: "y", arguments: {} },
		],
	});
});

test.each([
	["end_turn", "stop"],
	["stop_sequence", "stop"],
	["tool_use", "stop"],
	["max_tokens", "length"],
	["model_context_window_exceeded", "length"],
	["something_new", "error"],
	["", "stop"],
] as const)("stop reason %j of a text ends it with %s", async (reason, expected) => {
	const { message } = await outcomeOf(start, ...text, stopped(reason), metadata);
	expect(message).toMatchObject({ stopReason: expected, usage: { input: 5, output: 2 } });
});

test.each([
	["guardrail_intervened", "refusal"],
	["content_filtered", "refusal"],
	["malformed_model_output", "invalid_response"],
	["malformed_tool_use", "invalid_response"],
] as const)("stop reason %s is a failure: %s, and still has its price", async (reason, kind) => {
	const { message } = await outcomeOf(start, ...text, stopped(reason), metadata);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind }, usage: { output: 2 } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});

test("counts may come before the stop reason, or never", async () => {
	const early = await outcomeOf(start, ...text, metadata, stopped("end_turn"));
	expect(early.message).toMatchObject({ stopReason: "stop", usage: { input: 5 } });
	const never = await outcomeOf(start, ...text, stopped("end_turn"));
	expect(never.message).toMatchObject({ stopReason: "stop", usage: { input: 0 } });
});

test("a stream that closes before its stop reason is not complete, and keeps the partial content", async () => {
	const { message } = await outcomeOf(start, ...text, metadata);
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
});

test("unknown events of a future API are ignored", async () => {
	const { message } = await outcomeOf(
		["initial-response", {}],
		start,
		["news", { a: 1 }],
		["contentBlockStart", { contentBlockIndex: 0, start: { image: { format: "png" } } }],
		delta(0, { image: { source: { bytes: "iVBO" } } }),
		toolStart(1, { toolUseId: "s", name: "web", type: "server_tool_use" }),
		delta(1, { toolUse: { input: "{}" } }),
		closed(1),
		delta(2, { citation: {} }),
		delta(3, { text: "hi" }),
		closed(9),
		stopped("end_turn"),
		metadata,
	);
	expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "hi" }] });
});

test.each([
	["throttlingException", { message: "Too many tokens, please wait before trying again." }, "rate_limit"],
	["serviceUnavailableException", { message: "Bedrock is unable to process your request." }, "overloaded"],
	["internalServerException", { message: "The system encountered an unexpected error" }, "overloaded"],
	[
		"modelStreamErrorException",
		{ message: "The system had an error", originalStatusCode: 500 },
		"overloaded",
	],
	["modelTimeoutException", { message: "Model has timed out" }, "timeout"],
	["validationException", { message: "The model returned the following errors: bad" }, "invalid_request"],
	["validationException", { message: "Input is too long for requested model." }, "overflow"],
	["somethingNewException", "", "unknown"],
] as const)(
	"the exception %s %j ends the answer as %s, with the partial content",
	async (name, payload, kind) => {
		const { message } = await outcomeOf(start, ...text, [name, payload], stopped("end_turn"), metadata);
		expect(message).toMatchObject({ stopReason: "error", failure: { kind } });
		expect(message.errorMessage).toBe(typeof payload === "string" ? name : payload.message);
		expect(message.content).toEqual([{ type: "text", text: "hi" }]);
	},
);

test.each(["not JSON", "[1]"])(
	"an event whose payload is %s ends the answer and is quoted",
	async (payload) => {
		const { message } = await outcomeOf(start, ...text, ["contentBlockDelta", payload], stopped("end_turn"));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(message.errorMessage).toContain(payload);
	},
);

test("any events in any order give a well-formed answer", async () => {
	const index = fc.nat(3);
	const anyPart = fc.oneof(
		fc.record({ text: fc.string() }),
		fc.record({ toolUse: fc.record({ input: fc.string() }) }),
		fc.record({
			reasoningContent: fc.oneof(fc.record({ text: fc.string() }), fc.record({ signature: fc.string() })),
		}),
		fc.record({ reasoningContent: fc.record({ redactedContent: fc.base64String() }) }),
	);
	const anyEvent = fc.oneof(
		{ arbitrary: fc.tuple(index, anyPart).map(([at, part]) => delta(at, part)), weight: 6 },
		{ arbitrary: index.map((at) => toolStart(at, { toolUseId: `t${at}`, name: "x" })), weight: 2 },
		{ arbitrary: index.map(closed), weight: 3 },
		{ arbitrary: fc.constantFrom(start, metadata, stopped("end_turn"), stopped("tool_use")), weight: 1 },
	);
	await fc.assert(
		// `receive` fails the test when the events violate the contract.
		fc.asyncProperty(fc.array(anyEvent, { maxLength: 25 }), async (events) => {
			const { message } = await outcomeOf(...events);
			expect(["stop", "toolUse", "error"]).toContain(message.stopReason);
		}),
		{ numRuns: 60 },
	);
});
