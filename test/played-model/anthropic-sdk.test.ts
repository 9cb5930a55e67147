import Anthropic, {
	APIConnectionError,
	APIError,
	AuthenticationError,
	BadRequestError,
	InternalServerError,
	NotFoundError,
	PermissionDeniedError,
	RateLimitError,
} from "@anthropic-ai/sdk";
import { playModel, type Answer, type Block, type Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import { letters, promiseBrokenEvents, promiseTornFailure, type Listener } from "./broken-streams.ts";
import { catchFrom, international, nested } from "./samples.ts";

const question = {
	model: "claude-played",
	max_tokens: 100,
	messages: [{ role: "user" as const, content: "hi" }],
};

async function connect(scenario: Scenario) {
	const played = await playModel(scenario);
	const client = new Anthropic({
		baseURL: played.anthropicUrl,
		apiKey: "key",
		maxRetries: 0,
		logLevel: "off",
	});
	return {
		played,
		streamed: () => client.messages.stream(question).finalMessage(),
		whole: () => client.messages.create(question),
		client,
		[Symbol.asyncDispose]: () => played.close(),
	};
}

/** Streaming and not streaming must return the same message. */
async function receive(answer: Answer | string) {
	await using sdk = await connect({ steps: [{ answer, times: 2 }] });
	const streamed = await sdk.streamed();
	const whole = await sdk.whole();
	const plain = (message: Anthropic.Message) => ({
		content: message.content,
		stop_reason: message.stop_reason,
		model: message.model,
		input_tokens: message.usage.input_tokens,
		output_tokens: message.usage.output_tokens,
	});
	const fixed = (value: unknown): unknown =>
		JSON.parse(JSON.stringify(value).replaceAll(/Played\d+|UGxheWVk\w+=*/g, "id"));
	expect(fixed({ ...plain(whole), input_tokens: 0 })).toEqual(fixed({ ...plain(streamed), input_tokens: 0 }));
	return streamed;
}

test.each([1, 3, 40])("a text of many scripts in %d chunks is received whole", async (chunks) => {
	const message = await receive({ blocks: [{ text: international, chunks }] });
	expect(message.content).toEqual([expect.objectContaining({ type: "text", text: international })]);
	expect(message).toMatchObject({ role: "assistant", model: "claude-played", stop_reason: "end_turn" });
});

test("a text arrives in as many deltas as the script says", async () => {
	await using sdk = await connect({ steps: [{ answer: { blocks: [{ text: international, chunks: 40 }] } }] });
	const deltas: string[] = [];
	await sdk.client.messages
		.stream(question)
		.on("text", (delta) => deltas.push(delta))
		.finalMessage();
	expect(deltas).toHaveLength(40);
	expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
});

test("thinking keeps its signature, and redacted thinking its payload", async () => {
	const blocks: Block[] = [
		{ thinking: "let me see 🤔", signature: "c2lnbmVk", chunks: 5 },
		{ redactedThinking: "b3BhcXVl" },
		{ text: "so" },
	];
	expect((await receive({ blocks })).content).toMatchObject([
		{ type: "thinking", thinking: "let me see 🤔", signature: "c2lnbmVk" },
		{ type: "redacted_thinking", data: "b3BhcXVl" },
		{ type: "text", text: "so" },
	]);
});

test("two tool calls with nested arguments in many chunks arrive with their ids", async () => {
	const blocks: Block[] = [
		{ text: "look" },
		{ toolCall: { name: "bash", arguments: nested, id: "toolu_a" }, chunks: 60 },
		{ toolCall: { name: "list", arguments: {} }, chunks: 3 },
	];
	const message = await receive({ blocks });
	expect(message.stop_reason).toBe("tool_use");
	expect(message.content).toMatchObject([
		{ type: "text", text: "look" },
		{ type: "tool_use", id: "toolu_a", name: "bash", input: nested },
		{ type: "tool_use", id: expect.stringMatching(/^toolu_/), name: "list", input: {} },
	]);
});

test("usage includes the cache counts", async () => {
	const usage = { input: 11, output: 22, cacheRead: 33, cacheWrite: 44 };
	const message = await receive({ blocks: [{ text: "hi" }], usage });
	expect(message.usage).toMatchObject({
		input_tokens: 11,
		output_tokens: 22,
		cache_read_input_tokens: 33,
		cache_creation_input_tokens: 44,
	});
});

test.each([
	["stop", "end_turn"],
	["length", "max_tokens"],
	["toolUse", "tool_use"],
	["refusal", "refusal"],
] as const)("the stop reason %s arrives as %s", async (stopReason, received) => {
	const message = await receive({ blocks: [{ text: "hi" }], stopReason, model: "another", id: "msg_given" });
	expect(message).toMatchObject({ stop_reason: received, model: "another", id: "msg_given" });
});

test.each([
	[{ http: 400 }, BadRequestError, "invalid_request_error"],
	[{ http: 401 }, AuthenticationError, "authentication_error"],
	[{ http: 403 }, PermissionDeniedError, "permission_error"],
	[{ http: 404 }, NotFoundError, "not_found_error"],
	[{ http: 413 }, APIError, "request_too_large"],
	[{ http: 429, retryAfter: 7 }, RateLimitError, "rate_limit_error"],
	[{ http: 500 }, InternalServerError, "api_error"],
	[{ http: 503 }, InternalServerError, "api_error"],
	[{ http: 529 }, InternalServerError, "overloaded_error"],
	[{ overflow: true }, BadRequestError, "invalid_request_error"],
] as const)("the fault %j arrives as the vendor's own error", async (fault, type, name) => {
	await using sdk = await connect({ steps: [{ fault, times: 2 }] });
	for (const error of [await catchFrom(sdk.streamed()), await catchFrom(sdk.whole())]) {
		expect(error).toBeInstanceOf(type);
		if (!(error instanceof APIError)) throw error;
		expect(error).toMatchObject({ status: "http" in fault ? fault.http : 400, type: name });
		expect(error.requestID).toStartWith("req_");
		expect(error.headers?.get("retry-after")).toBe("retryAfter" in fault ? "7" : null);
	}
});

test("an overflow reports the length of the prompt", async () => {
	await using sdk = await connect({ steps: [{ fault: { overflow: true } }] });
	expect(String(await catchFrom(sdk.streamed()))).toMatch(/prompt is too long: \d+ tokens > \d+ maximum/);
});

test("a body of the script replaces the vendor's", async () => {
	const body = "<html>Bad gateway</html>";
	await using sdk = await connect({
		steps: [{ fault: { http: 503, body } }, { fault: { http: 400, body: { a: 1 } } }],
	});
	expect(String(await catchFrom(sdk.streamed()))).toContain(body);
	expect(await catchFrom(sdk.streamed())).toMatchObject({ error: { a: 1 } });
});

const listener: Listener<Awaited<ReturnType<typeof connect>>> = {
	connect,
	listen: (sdk, say) => sdk.client.messages.stream(question).on("text", say).finalMessage(),
};

promiseTornFailure(listener, 1000);
promiseBrokenEvents(listener, {
	errorEvent: { type: "overloaded_error", message: "Overloaded" },
	error: { type: APIError, fields: { status: undefined, type: "overloaded_error" } },
	malformedLine: "event: content_block_delta\ndata: {broken",
});

test("an error event without streaming arrives as its status", async () => {
	const errorEvent = { type: "overloaded_error", message: "Overloaded" };
	await using sdk = await connect({ steps: [{ answer: letters, fault: { errorEvent, afterChunks: 1 } }] });
	expect(await catchFrom(sdk.whole())).toMatchObject({ status: 529, type: "overloaded_error" });
});

test("a truncated stream has all of the text and no end", async () => {
	await using sdk = await connect({ steps: [{ answer: letters, fault: { truncated: true } }] });
	const types: string[] = [];
	for await (const event of await sdk.client.messages.create({ ...question, stream: true }))
		types.push(event.type);
	expect(types.filter((type) => type === "content_block_delta")).toHaveLength(6);
	expect(types.at(-1)).toBe("content_block_stop");
});

test("a pause only delays the rest", async () => {
	await using sdk = await connect({
		steps: [{ answer: letters, fault: { pauseMs: 5, afterChunks: 3 }, times: 2 }],
	});
	const whole = [expect.objectContaining({ text: "abcdef" })];
	expect((await sdk.streamed()).content).toEqual(whole);
	expect((await sdk.whole()).content).toEqual(whole);
});

test("a silent model causes a timeout", async () => {
	await using sdk = await connect({ steps: [{ fault: { silent: true } }] });
	const error = await catchFrom(sdk.client.messages.create(question, { timeout: 50 }));
	expect(error).toBeInstanceOf(APIConnectionError);
	expect(await sdk.played.waitForEnd(1)).toMatchObject({ aborted: true });
});

test("the events arrive in the vendor's order", async () => {
	const blocks: Block[] = [{ thinking: "a" }, { toolCall: { name: "b", arguments: { c: 1 } } }];
	await using sdk = await connect({ steps: [{ answer: { blocks } }] });
	const seen: string[] = [];
	for await (const event of await sdk.client.messages.create({ ...question, stream: true })) {
		seen.push(event.type === "content_block_delta" ? event.delta.type : event.type);
	}
	expect(seen).toEqual([
		"message_start",
		"content_block_start",
		"thinking_delta",
		"signature_delta",
		"content_block_stop",
		"content_block_start",
		"input_json_delta",
		"input_json_delta",
		"content_block_stop",
		"message_delta",
		"message_stop",
	]);
});

test("the models are listed", async () => {
	await using sdk = await connect({ steps: [] });
	const ids: string[] = [];
	for await (const model of sdk.client.models.list()) ids.push(model.id);
	expect(ids).toEqual(["played-1"]);
});
