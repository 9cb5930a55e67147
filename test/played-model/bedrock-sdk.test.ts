import {
	AccessDeniedException,
	ConverseCommand,
	ConverseStreamCommand,
	InternalServerException,
	ResourceNotFoundException,
	ServiceUnavailableException,
	ThrottlingException,
	ValidationException,
	type ContentBlock,
	type ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { playModel, type Answer, type Block, type Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import { bedrockClient } from "./bedrock-client.ts";
import { messageOf, type SdkMessage } from "./bedrock-message.ts";
import { receiveUntilBroken, letters, promiseTornFailure, type Listener } from "./broken-streams.ts";
import { catchFrom, international, nested } from "./samples.ts";

const question = {
	modelId: "vendor.played-v1:0",
	messages: [{ role: "user" as const, content: [{ text: "hi" }] }],
};

async function connect(scenario: Scenario) {
	const played = await playModel(scenario);
	const client = bedrockClient(played.url);
	const events = async (): Promise<ConverseStreamOutput[]> => {
		const { stream = [] } = await client.send(new ConverseStreamCommand(question));
		return Array.fromAsync(stream);
	};
	return {
		played,
		client,
		events,
		streamed: async () => messageOf(await events()),
		whole: () => client.send(new ConverseCommand(question)),
		[Symbol.asyncDispose]: () => played.close(),
	};
}

/** Streaming and not streaming must return the same message. */
async function receive(answer: Answer | string): Promise<SdkMessage> {
	await using sdk = await connect({ steps: [{ answer, times: 2 }] });
	const streamed = await sdk.streamed();
	const whole = await sdk.whole();
	const fixed = (content: ContentBlock[] | undefined): unknown =>
		JSON.parse(JSON.stringify(content).replaceAll(/Played\d+|UGxheWVk\w+=*/g, "id"));
	expect(fixed(whole.output?.message?.content)).toEqual(fixed(streamed.content));
	expect<unknown>(whole.stopReason).toBe(streamed.stopReason);
	expect(whole.usage?.outputTokens).toBe(streamed.usage?.outputTokens);
	return streamed;
}

test.each([1, 3, 40])("a text of many scripts in %d chunks is received whole", async (chunks) => {
	const message = await receive({ blocks: [{ text: international, chunks }] });
	expect(message).toMatchObject({
		role: "assistant",
		stopReason: "end_turn",
		content: [{ text: international }],
	});
});

test("the events arrive in the vendor's order, and only a call has a start", async () => {
	const blocks: Block[] = [
		{ thinking: "ab", chunks: 2 },
		{ text: "c" },
		{ toolCall: { name: "d", arguments: { e: 1 } } },
	];
	await using sdk = await connect({ steps: [{ answer: { blocks } }] });
	const events = await sdk.events();
	expect(events.map((event) => Object.keys(event)[0])).toEqual([
		"messageStart",
		"contentBlockDelta",
		"contentBlockDelta",
		"contentBlockDelta",
		"contentBlockStop",
		"contentBlockDelta",
		"contentBlockStop",
		"contentBlockStart",
		"contentBlockDelta",
		"contentBlockStop",
		"messageStop",
		"metadata",
	]);
});

test("thinking keeps its signature, and hidden thinking its bytes", async () => {
	const blocks: Block[] = [
		{ thinking: "let me see 🤔", signature: "c2lnbmVk", chunks: 5 },
		{ redactedThinking: "b3BhcXVl" },
		{ text: "so" },
	];
	expect((await receive({ blocks })).content).toEqual([
		{ reasoningContent: { reasoningText: { text: "let me see 🤔", signature: "c2lnbmVk" } } },
		{ reasoningContent: { redactedContent: new Uint8Array(Buffer.from("opaque")) } },
		{ text: "so" },
	]);
});

test("two tool calls with nested arguments in many chunks arrive with their ids", async () => {
	const blocks: Block[] = [
		{ text: "look" },
		{ toolCall: { name: "bash", arguments: nested, id: "tooluse_a" }, chunks: 60 },
		{ toolCall: { name: "list", arguments: {} }, chunks: 3 },
	];
	const message = await receive({ blocks });
	expect(message.stopReason).toBe("tool_use");
	expect(message.content).toMatchObject([
		{ text: "look" },
		{ toolUse: { toolUseId: "tooluse_a", name: "bash", input: nested } },
		{ toolUse: { toolUseId: expect.stringMatching(/^tooluse_/), name: "list", input: {} } },
	]);
});

test("usage includes the cache counts", async () => {
	const usage = { input: 11, output: 22, cacheRead: 33, cacheWrite: 44 };
	const message = await receive({ blocks: [{ text: "hi" }], usage });
	expect(message.usage).toEqual({
		inputTokens: 11,
		outputTokens: 22,
		totalTokens: 110,
		cacheReadInputTokens: 33,
		cacheWriteInputTokens: 44,
	});
});

test.each([
	["stop", "end_turn"],
	["length", "max_tokens"],
	["toolUse", "tool_use"],
	["refusal", "content_filtered"],
] as const)("the stop reason %s arrives as %s", async (stopReason, received) => {
	expect((await receive({ blocks: [{ text: "hi" }], stopReason })).stopReason).toBe(received);
});

test.each([
	[{ http: 400 }, ValidationException],
	[{ http: 403 }, AccessDeniedException],
	[{ http: 404 }, ResourceNotFoundException],
	[{ http: 429 }, ThrottlingException],
	[{ http: 500 }, InternalServerException],
	[{ http: 503 }, ServiceUnavailableException],
	[{ overflow: true }, ValidationException],
] as const)("the fault %j arrives as the vendor's own error", async (fault, type) => {
	await using sdk = await connect({ steps: [{ fault, times: 2 }] });
	for (const error of [await catchFrom(sdk.streamed()), await catchFrom(sdk.whole())]) {
		expect(error).toBeInstanceOf(type);
		const status = "http" in fault ? fault.http : 400;
		expect(error).toMatchObject({
			$metadata: { httpStatusCode: status, requestId: expect.stringMatching(/^req_/) },
		});
	}
});

const listener: Listener<Awaited<ReturnType<typeof connect>>> = {
	connect,
	async listen(sdk, say) {
		const { stream = [] } = await sdk.client.send(new ConverseStreamCommand(question));
		for await (const event of stream) say(event.contentBlockDelta?.delta?.text ?? "");
	},
};

promiseTornFailure(listener, 500);

test.each([
	["throttlingException", ThrottlingException],
	["overloaded_error", ServiceUnavailableException],
	["api_error", InternalServerException],
] as const)(
	"an error %s in a stream arrives as the vendor's own, after the chunks before it",
	async (type, expected) => {
		const errorEvent = { type, message: "It broke" };
		const { received, error } = await receiveUntilBroken(listener, { errorEvent, afterChunks: 2 });
		expect(received).toBe("ab");
		expect(error).toBeInstanceOf(expected);
		expect(error).toMatchObject({ message: "It broke" });
	},
);

test("bytes that are not an event cause a failure", async () => {
	const { error } = await receiveUntilBroken(listener, { malformedLine: "}{ what is this", afterChunks: 2 });
	expect(error).toBeInstanceOf(Error);
});

test("a truncated stream has all of the text and no end", async () => {
	await using sdk = await connect({ steps: [{ answer: letters, fault: { truncated: true } }] });
	const message = await sdk.streamed();
	expect(message).toMatchObject({ content: [{ text: "abcdef" }], stopReason: undefined, usage: undefined });
});

test("a pause only delays the rest", async () => {
	await using sdk = await connect({
		steps: [{ answer: letters, fault: { pauseMs: 5, afterChunks: 3 } }],
	});
	expect((await sdk.streamed()).content).toEqual([{ text: "abcdef" }]);
});

test.each([
	[{ messages: [] }, "at least one message"],
	[{ messages: [{ role: "assistant", content: [{ text: "a" }] }] }, "must start with a user message"],
	[{ messages: [question.messages[0], question.messages[0]] }, "must alternate"],
	[{ messages: [{ role: "user", content: [{ text: " " }] }] }, "blank"],
	[
		{
			messages: [
				question.messages[0],
				{ role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "b", input: {} } }] },
			],
		},
		"toolConfig",
	],
])("a request that the vendor would reject is rejected: %j", async (body, reason) => {
	await using sdk = await connect({ steps: [] });
	const response = await fetch(`${sdk.played.url}/model/x/converse-stream`, {
		method: "POST",
		body: JSON.stringify(body),
	});
	expect(response.status).toBe(400);
	expect(await response.json()).toEqual({ message: expect.stringContaining(reason) });
});
