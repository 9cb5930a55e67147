/** What a user sees when Bedrock fails: a clear end, of the right kind, with the partial content. */
import { expect, test } from "bun:test";

import { receive, hello, modelAt, setEnv, type ReceivedAnswer } from "../../testing/asking.ts";
import { promiseClearEnds, promiseTornAnswers, story, tale, textOf } from "../../testing/failing.ts";
import { stream } from "../../stream.ts";
import { playModel, type Answer, type PlayedModel, type Step } from "../../testing/index.ts";
import type { AssistantContent, AssistantMessageEventStream } from "../../types.ts";

const rich: Answer = {
	blocks: [
		{ thinking: "Let me think about 🙂", signature: "c2ln", chunks: 3 },
		{ redactedThinking: "b3BhcXVl" },
		{ text: "Ich höre 你好. ", chunks: 4 },
		{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" }, chunks: 4 },
	],
	usage: { input: 11, output: 22, cacheRead: 33, cacheWrite: 44 },
};

const whole: AssistantContent[] = [
	{ type: "thinking", thinking: "Let me think about 🙂", thinkingSignature: "c2ln" },
	{ type: "thinking", thinking: "", thinkingSignature: "b3BhcXVl", redacted: true },
	{ type: "text", text: "Ich höre 你好. " },
	{ type: "toolCall", id: "t1", name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] } },
];

function ask(played: PlayedModel): AssistantMessageEventStream {
	const model = modelAt(played.url, "bedrock-converse-stream", { id: "vendor.model-v1:0" });
	return stream(model, hello, { apiKey: "key" });
}

async function play(step: Step): Promise<ReceivedAnswer> {
	await using played = await playModel({ steps: [step] });
	return await receive(ask(played));
}

test("a complete answer, requested at the model's address", async () => {
	await using played = await playModel({ steps: [{ answer: rich }] });
	const { message } = await receive(ask(played));
	expect(message.content).toEqual(whole);
	expect(message).toMatchObject({ stopReason: "toolUse", usage: { totalTokens: 110 } });
	const [request] = played.requests;
	expect(request?.path).toBe("/model/vendor.model-v1%3A0/converse-stream");
	expect(request?.headers).toMatchObject({
		authorization: "Bearer key",
		"content-type": "application/json",
		accept: "application/vnd.amazon.eventstream",
	});
});

test("a request is signed as it is sent", async () => {
	using _env = setEnv({ AWS_BEDROCK_SKIP_AUTH: "1", AWS_BEARER_TOKEN_BEDROCK: "", AWS_REGION: "eu-west-1" });
	await using played = await playModel({ steps: ["ok"] });
	const { message } = await receive(stream(modelAt(played.url, "bedrock-converse-stream"), hello));
	expect(message.stopReason).toBe("stop");
	expect(played.requests[0]?.headers["authorization"]).toMatch(/^AWS4-HMAC-SHA256 .*\/eu-west-1\/bedrock\//);
	expect(played.requests[0]?.headers["x-amz-date"]).toMatch(/^\d{8}T\d{6}Z$/);
});

promiseClearEnds(ask);
promiseTornAnswers(ask, rich);

test.each([
	["overloaded_error", "overloaded"],
	["rate_limit_error", "rate_limit"],
	["invalid_request_error", "invalid_request"],
	["modelStreamErrorException", "overloaded"],
	["api_error", "overloaded"],
])("an error %s in the middle of a stream keeps the partial content", async (type, kind) => {
	const errorEvent = { type, message: "It broke" };
	const outcome = await play({ answer: tale, fault: { errorEvent, afterChunks: 3 } });
	expect(outcome.message).toMatchObject({ stopReason: "error", errorMessage: "It broke", failure: { kind } });
	expect(textOf(outcome)).toBe(story.slice(0, 18));
});

test("bytes that are not an event end the answer, with the partial content", async () => {
	const outcome = await play({ answer: tale, fault: { malformedLine: "}{ what is this", afterChunks: 2 } });
	expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
	expect(outcome.message.errorMessage).toContain("not an event stream");
	expect(textOf(outcome)).toBe(story.slice(0, 12));
});

test("without credentials the answer names what is missing, and nothing is sent", async () => {
	using _env = setEnv({
		HOME: "/nowhere",
		AWS_EC2_METADATA_DISABLED: "true",
		AWS_BEARER_TOKEN_BEDROCK: "",
		AWS_BEDROCK_SKIP_AUTH: "",
		AWS_ACCESS_KEY_ID: "",
		AWS_PROFILE: "",
	});
	await using played = await playModel({ steps: [] });
	const { message } = await receive(stream(modelAt(played.url, "bedrock-converse-stream"), hello));
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "auth" } });
	expect(message.errorMessage).toContain("AWS_ACCESS_KEY_ID");
	expect(played.requests).toHaveLength(0);
});
