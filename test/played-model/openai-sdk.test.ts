import { playModel, type Answer, type Block, type Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import OpenAI, { APIConnectionError } from "openai";
import { receiveUntilBroken, letters, type Listener } from "./broken-streams.ts";
import { promiseOpenaiErrors } from "./openai-errors.ts";
import { catchFrom, international, nested } from "./samples.ts";

const question = {
	model: "gpt-played",
	messages: [{ role: "user" as const, content: "hi" }],
};

const withUsage = { ...question, stream_options: { include_usage: true } };

async function connect(scenario: Scenario) {
	const played = await playModel(scenario);
	const client = new OpenAI({ baseURL: played.openaiUrl, apiKey: "key", maxRetries: 0, logLevel: "off" });
	return {
		played,
		streamed: () => client.chat.completions.stream(withUsage).finalChatCompletion(),
		whole: () => client.chat.completions.create(question),
		chunks: () => Array.fromAsync(client.chat.completions.stream(question)),
		client,
		[Symbol.asyncDispose]: () => played.close(),
	};
}

/** Streaming and not streaming must return the same message. */
async function receive(answer: Answer | string) {
	await using sdk = await connect({ steps: [{ answer, times: 2 }] });
	const streamed = await sdk.streamed();
	const whole = await sdk.whole();
	const plain = (completion: OpenAI.ChatCompletion) => {
		const [choice] = completion.choices;
		const calls = choice?.message.tool_calls?.map((call) =>
			call.type === "function" ? call.function : call,
		);
		return {
			content: choice?.message.content,
			calls: calls?.map((call) =>
				"name" in call ? [call.name, "arguments" in call && call.arguments] : call,
			),
			finish_reason: choice?.finish_reason,
			model: completion.model,
			completion_tokens: completion.usage?.completion_tokens,
		};
	};
	expect(plain(whole)).toEqual(plain(streamed));
	return streamed;
}

test.each([1, 3, 40])("a text of many scripts in %d chunks is received whole", async (chunks) => {
	const completion = await receive({ blocks: [{ text: international, chunks }] });
	expect(completion).toMatchObject({ object: "chat.completion", model: "gpt-played" });
	expect(completion.choices).toMatchObject([
		{
			index: 0,
			finish_reason: "stop",
			message: { role: "assistant", content: international, refusal: null },
		},
	]);
});

test("a text arrives in as many chunks as the script says, after the role and before the end", async () => {
	await using sdk = await connect({ steps: [{ answer: { blocks: [{ text: international, chunks: 40 }] } }] });
	const chunks = await sdk.chunks();
	expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "", refusal: null });
	expect(chunks).toHaveLength(1 + 40 + 1);
	expect(chunks.every((chunk) => chunk.choices[0]?.delta.content?.isWellFormed() ?? true)).toBe(true);
	expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
	expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created} ${chunk.object}`)).size).toBe(1);
});

test("two tool calls with nested arguments in many chunks arrive with their ids", async () => {
	const blocks: Block[] = [
		{ toolCall: { name: "bash", arguments: nested, id: "call_a" }, chunks: 60 },
		{ toolCall: { name: "list", arguments: {} } },
	];
	const [choice] = (await receive({ blocks })).choices;
	expect(choice?.finish_reason).toBe("tool_calls");
	expect(choice?.message.content).toBeNull();
	expect(choice?.message.tool_calls).toMatchObject([
		{ id: "call_a", type: "function", function: { name: "bash", arguments: JSON.stringify(nested) } },
		{ id: expect.stringMatching(/^call_/), type: "function", function: { name: "list", arguments: "{}" } },
	]);
});

test("arguments that are broken JSON arrive unchanged", async () => {
	const blocks: Block[] = [{ toolCall: { name: "bash", arguments: '{"command": "l' }, chunks: 4 }];
	const [choice] = (await receive({ blocks, stopReason: "toolUse" })).choices;
	expect(choice?.message.tool_calls).toMatchObject([{ function: { arguments: '{"command": "l' } }]);
});

test("usage counts cached tokens as part of the prompt, and is sent only on request", async () => {
	const usage = { input: 11, output: 22, cacheRead: 33, cacheWrite: 44 };
	const answer = { blocks: [{ text: "hi" }], usage };
	expect((await receive(answer)).usage).toMatchObject({
		prompt_tokens: 88,
		completion_tokens: 22,
		total_tokens: 110,
		prompt_tokens_details: { cached_tokens: 33, cache_write_tokens: 44 },
	});
	await using sdk = await connect({ steps: [{ answer, times: 2 }] });
	expect((await sdk.chunks()).every((chunk) => !("usage" in chunk))).toBe(true);
	const asked = await Array.fromAsync(sdk.client.chat.completions.stream(withUsage));
	expect(asked.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
	expect(asked.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 110 } });
});

test.each([
	["stop", "stop"],
	["length", "length"],
	["toolUse", "tool_calls"],
	["refusal", "content_filter"],
] as const)("the stop reason %s arrives as %s", async (stopReason, received) => {
	const completion = await receive({
		blocks: [{ text: "hi" }],
		stopReason,
		model: "another",
		id: "chatcmpl-given",
	});
	expect(completion).toMatchObject({ model: "another", id: "chatcmpl-given" });
	expect(completion.choices[0]?.finish_reason).toBe(received);
});

test.each(["reasoning_content", "reasoning"] as const)(
	"thinking arrives as %s if the script says so",
	async (field) => {
		const answer: Answer = { blocks: [{ thinking: "let me see 🤔", chunks: 5 }, { text: "so" }] };
		await using sdk = await connect({ steps: [{ answer, times: 2 }], reasoningField: field });
		const deltas = (await sdk.chunks()).map((chunk): object => chunk.choices[0]?.delta ?? {});
		const thoughts = deltas.flatMap((delta) => (field in delta ? [Object.entries(delta)] : []));
		expect(
			thoughts
				.flat()
				.map(([, thought]) => thought)
				.join(""),
		).toBe("let me see 🤔");
		expect(thoughts).toHaveLength(5);
		expect((await sdk.whole()).choices[0]?.message).toMatchObject({
			[field]: "let me see 🤔",
			content: "so",
		});
	},
);

test("thinking is hidden unless the script says otherwise", async () => {
	const [choice] = (await receive({ blocks: [{ thinking: "secret" }, { text: "so" }] })).choices;
	expect(choice?.message.content).toBe("so");
	expect(JSON.stringify(choice)).not.toContain("secret");
});

const listener: Listener<Awaited<ReturnType<typeof connect>>> = {
	connect,
	listen: (sdk, say) => sdk.client.chat.completions.stream(question).on("content", say).finalChatCompletion(),
};

promiseOpenaiErrors(listener, 700);

test("a truncated stream has all of the text and no end", async () => {
	const { received, error } = await receiveUntilBroken(listener, { truncated: true });
	expect(received).toBe("abcdef");
	expect(String(error)).toContain("finish_reason");
	await using sdk = await connect({ steps: [{ answer: letters, fault: { truncated: true } }] });
	expect(await catchFrom(sdk.whole())).toBeInstanceOf(Error);
});

test("a pause only delays the rest", async () => {
	await using sdk = await connect({
		steps: [{ answer: letters, fault: { pauseMs: 5, afterChunks: 3 }, times: 2 }],
	});
	expect((await sdk.streamed()).choices[0]?.message.content).toBe("abcdef");
	expect((await sdk.whole()).choices[0]?.message.content).toBe("abcdef");
});

test("a silent model causes a timeout", async () => {
	await using sdk = await connect({ steps: [{ fault: { silent: true } }] });
	const error = await catchFrom(sdk.client.chat.completions.create(question, { timeout: 50 }));
	expect(error).toBeInstanceOf(APIConnectionError);
	expect(await sdk.played.waitForEnd(1)).toMatchObject({ aborted: true });
});

test("the models are listed", async () => {
	await using sdk = await connect({ steps: [] });
	const ids: string[] = [];
	for await (const model of sdk.client.models.list()) ids.push(model.id);
	expect(ids).toEqual(["played-1"]);
});
