import { playModel, type Answer, type Block, type Fault, type Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import OpenAI, { APIConnectionError, AzureOpenAI, BadRequestError } from "openai";
import { letters, type Listener } from "./broken-streams.ts";
import { promiseOpenaiErrors } from "./openai-errors.ts";
import { catchFrom, international, nested } from "./samples.ts";

const question = { model: "gpt-played", input: "hi" };

async function connect(scenario: Scenario) {
	const played = await playModel(scenario);
	const client = new OpenAI({ baseURL: played.openaiUrl, apiKey: "key", maxRetries: 0, logLevel: "off" });
	return {
		played,
		streamed: (more: object = {}) => client.responses.stream({ ...question, ...more }).finalResponse(),
		whole: (more: object = {}) => client.responses.create({ ...question, ...more }),
		events: (more: object = {}) => Array.fromAsync(client.responses.stream({ ...question, ...more })),
		client,
		[Symbol.asyncDispose]: () => played.close(),
	};
}

/** Streaming and not streaming must return the same response. */
async function receive(answer: Answer | string, more: object = {}) {
	await using sdk = await connect({ steps: [{ answer, times: 2 }] });
	const streamed = await sdk.streamed(more);
	const whole = await sdk.whole(more);
	// Only the ids count the calls, and the input counts the characters of the body, which asks for streaming or not.
	const plain = ({
		status,
		incomplete_details,
		output,
		output_text,
		model,
		usage,
	}: OpenAI.Responses.Response) =>
		JSON.parse(
			JSON.stringify(
				{ status, incomplete_details, output, output_text, model, tokens: usage?.output_tokens },
				(name, value) =>
					name === "id" ||
					name === "call_id" ||
					name === "parsed" ||
					name === "parsed_arguments" ||
					value === null
						? undefined
						: value,
			),
		);
	expect(plain(whole)).toEqual(plain(streamed));
	return streamed;
}

test.each([1, 3, 40])("a text of many scripts in %d chunks is received whole", async (chunks) => {
	const response = await receive({ blocks: [{ text: international, chunks }] });
	expect(response).toMatchObject({
		object: "response",
		model: "gpt-played",
		status: "completed",
		output_text: international,
		output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text" }] }],
	});
});

test("two tool calls with nested arguments in many chunks arrive with their ids", async () => {
	const blocks: Block[] = [
		{ text: "I look." },
		{ toolCall: { name: "bash", arguments: nested, id: "call_a" }, chunks: 60 },
		{ toolCall: { name: "list", arguments: {} } },
	];
	const response = await receive({ blocks });
	expect(response.output).toMatchObject([
		{ type: "message" },
		{
			type: "function_call",
			call_id: "call_a",
			id: expect.stringMatching(/^fc_/),
			name: "bash",
			arguments: JSON.stringify(nested),
		},
		{ type: "function_call", call_id: expect.stringMatching(/^call_/), name: "list", arguments: "{}" },
	]);
});

test("arguments that are broken JSON arrive unchanged", async () => {
	const blocks: Block[] = [{ toolCall: { name: "bash", arguments: '{"command": "l' }, chunks: 4 }];
	expect((await receive({ blocks })).output).toMatchObject([{ arguments: '{"command": "l' }]);
});

test("thinking arrives as a summary, and encrypted if it is requested", async () => {
	const blocks: Block[] = [
		{ thinking: "let me see 🤔", signature: "c2Vj", chunks: 5 },
		{ redactedThinking: "b3Bh" },
		{ text: "so" },
	];
	const include = ["reasoning.encrypted_content"];
	expect((await receive({ blocks }, { include })).output).toMatchObject([
		{ type: "reasoning", summary: [{ text: "let me see 🤔" }], encrypted_content: "c2Vj" },
		{ type: "reasoning", summary: [], encrypted_content: "b3Bh" },
		{ type: "message" },
	]);
	expect(JSON.stringify(await receive({ blocks }))).not.toContain("encrypted_content");
});

test("usage counts cached tokens as part of the input", async () => {
	const usage = { input: 11, output: 22, cacheRead: 33, cacheWrite: 44 };
	expect((await receive({ blocks: [{ thinking: "12345678" }, { text: "hi" }], usage })).usage).toEqual({
		input_tokens: 88,
		input_tokens_details: { cached_tokens: 33, cache_write_tokens: 44 },
		output_tokens: 22,
		output_tokens_details: { reasoning_tokens: 2 },
		total_tokens: 110,
	});
});

test.each([
	["stop", "completed", undefined],
	["toolUse", "completed", undefined],
	["length", "incomplete", "max_output_tokens"],
	["refusal", "incomplete", "content_filter"],
] as const)("the stop reason %s arrives as %s", async (stopReason, status, reason) => {
	const blocks = [{ text: "a" }, { text: "b" }];
	const response = await receive({ blocks, stopReason, model: "another", id: "resp_given" });
	expect(response).toMatchObject({ status, model: "another", id: "resp_given" });
	expect(response.incomplete_details?.reason).toBe(reason);
	expect(response.output).toMatchObject([{ status: "completed" }, { status }]);
});

test("the response repeats the request's options", async () => {
	const tools = [{ type: "function", name: "ls", parameters: { type: "object" }, strict: false }];
	const asked = {
		instructions: "Be brief.",
		tools,
		tool_choice: "required",
		store: false,
		max_output_tokens: 99,
	};
	expect(await receive("hi", asked)).toMatchObject(asked);
});

test("a request that the vendor would reject is rejected with its message", async () => {
	await using sdk = await connect({ steps: ["hi"] });
	const input = [{ type: "function_call_output", call_id: "c1", output: "a" }];
	const error = await catchFrom(sdk.whole({ input }));
	expect(error).toBeInstanceOf(BadRequestError);
	expect(String(error)).toContain("No tool call found for function call output with call_id c1.");
	expect((await sdk.whole()).output_text).toBe("hi");
});

const listener: Listener<Awaited<ReturnType<typeof connect>>> = {
	connect,
	listen: (sdk, say) =>
		sdk.client.responses
			.stream(question)
			.on("response.output_text.delta", ({ delta }) => say(delta))
			.finalResponse(),
};

promiseOpenaiErrors(listener, 2500);

test("a truncated stream has all of the text and no end", async () => {
	await using sdk = await connect({ steps: [{ answer: letters, fault: { truncated: true }, times: 2 }] });
	const types: string[] = [];
	for await (const event of await sdk.client.responses.create({ ...question, stream: true }))
		types.push(event.type);
	expect(types.filter((type) => type === "response.output_text.delta")).toHaveLength(6);
	expect(types.at(-1)).toBe("response.output_item.done");
	expect(await catchFrom(sdk.whole())).toBeInstanceOf(Error);
});

test("a pause only delays the rest", async () => {
	await using sdk = await connect({
		steps: [{ answer: letters, fault: { pauseMs: 5, afterChunks: 3 }, times: 2 }],
	});
	expect((await sdk.streamed()).output_text).toBe("abcdef");
	expect((await sdk.whole()).output_text).toBe("abcdef");
});

test("a silent model causes a timeout", async () => {
	await using sdk = await connect({ steps: [{ fault: { silent: true } }] });
	const error = await catchFrom(sdk.client.responses.create(question, { timeout: 50 }));
	expect(error).toBeInstanceOf(APIConnectionError);
	expect(await sdk.played.waitForEnd(1)).toMatchObject({ aborted: true });
});

test("the events arrive in the vendor's order, numbered from 0 without a gap", async () => {
	const blocks: Block[] = [
		{ thinking: "a" },
		{ text: "b" },
		{ toolCall: { name: "c", arguments: { d: 1 } } },
	];
	await using sdk = await connect({ steps: [{ answer: { blocks } }] });
	const events = await sdk.events();
	expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
		"created",
		"in_progress",
		"output_item.added",
		"reasoning_summary_part.added",
		"reasoning_summary_text.delta",
		"reasoning_summary_text.done",
		"reasoning_summary_part.done",
		"output_item.done",
		"output_item.added",
		"content_part.added",
		"output_text.delta",
		"output_text.done",
		"content_part.done",
		"output_item.done",
		"output_item.added",
		"function_call_arguments.delta",
		"function_call_arguments.done",
		"output_item.done",
		"completed",
	]);
	expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, number) => number));
});

test("an error event has the next number", async () => {
	const fault: Fault = { errorEvent: { type: "server_error", message: "Oh" }, afterChunks: 2 };
	await using sdk = await connect({ steps: [{ answer: letters, fault }] });
	const body = JSON.stringify({ ...question, stream: true });
	const lines = await (await fetch(`${sdk.played.openaiUrl}/responses`, { method: "POST", body })).text();
	const numbers = [...lines.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
	expect(numbers).toEqual(numbers.map((_, number) => number));
	expect(lines).toContain(`event: error\ndata: {"type":"error","sequence_number":${numbers.length - 1},`);
});

test("Azure's client is answered at Azure's URL", async () => {
	await using played = await playModel({ steps: [{ answer: letters, times: 2 }] });
	const client = new AzureOpenAI({
		baseURL: `${played.url}/openai/v1`,
		apiKey: "key",
		apiVersion: "preview",
		maxRetries: 0,
	});
	expect((await client.responses.create(question)).output_text).toBe("abcdef");
	expect((await client.responses.stream(question).finalResponse()).output_text).toBe("abcdef");
});
