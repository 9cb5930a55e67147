/** Complete answers of a played Responses server: the events, what is sent back, and the faults. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { ask, askServer, receive, hello, modelAt, playedModel } from "../../testing/asking.ts";
import { promiseClearEnds, promiseToTellLinesApart, story, tale, textOf } from "../../testing/failing.ts";
import { stream } from "../../stream.ts";
import { playModel, type Block, type PlayedModel } from "../../testing/index.ts";
import type { AssistantContent, Message } from "../../types.ts";
import { result, text, user } from "../testing/messages.ts";

const api = "openai-responses";

test("thinking, text and calls arrive complete, each with the data to send back", async () => {
	const blocks: Block[] = [
		{ thinking: "Let me see… 🤔", signature: "c2Vj", chunks: 5 },
		{ text: "I look at 文件.", chunks: 4 },
		{ redactedThinking: "b3Bh" },
		{ toolCall: { name: "read", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "c1" }, chunks: 9 },
		{ toolCall: { name: "ls", arguments: {}, id: "c2" } },
	];
	await using played = await playModel({ steps: [{ answer: { blocks, id: "resp_7" } }] });
	const { message } = await receive(stream(playedModel(played, api, { reasoning: true }), hello));
	expect(message).toMatchObject({ stopReason: "toolUse", responseId: "resp_7", api });
	const secret = (encrypted_content: string, thought?: string) => ({
		type: "reasoning",
		id: expect.stringMatching(/^rs_/),
		summary: thought ? [{ type: "summary_text", text: thought }] : [],
		encrypted_content,
	});
	const [thought, words, hidden, read, ls] = message.content;
	expect(signatureOf(thought)).toEqual(secret("c2Vj", "Let me see… 🤔"));
	expect(signatureOf(hidden)).toEqual(secret("b3Bh"));
	expect(thought).toMatchObject({ thinking: "Let me see… 🤔" });
	expect(words).toMatchObject({ text: "I look at 文件.", textSignature: expect.stringMatching(/^msg_/) });
	expect(read).toMatchObject({
		id: expect.stringMatching(/^c1\|fc_/),
		name: "read",
		arguments: { path: "a", lines: [1, { "🙂": null }] },
	});
	expect(ls).toMatchObject({ id: expect.stringMatching(/^c2\|fc_/), name: "ls", arguments: {} });
});

function signatureOf(block: AssistantContent | undefined): unknown {
	return JSON.parse((block?.type === "thinking" && block.thinkingSignature) || "null");
}

test("an answer with thinking and calls is sent back unchanged, and the server accepts it", async () => {
	const blocks: Block[] = [
		{ thinking: "hm", signature: "c2Vj" },
		{ text: "I look." },
		{ toolCall: { name: "ls", arguments: { path: "." }, id: "c1" } },
	];
	await using played = await playModel({ steps: [{ answer: { blocks } }, "done"] });
	const model = playedModel(played, api, { reasoning: true });
	const first = await receive(stream(model, hello));
	const id = first.message.content.find((block) => block.type === "toolCall")?.id ?? "";
	const messages: Message[] = [...hello.messages, first.message, result(id, text("a.ts")), user("go on")];
	const second = await receive(stream(model, { messages }));
	expect(textOf(second)).toBe("done");
	const ids = { rs: expect.stringMatching(/^rs_/), msg: expect.stringMatching(/^msg_/) };
	expect((await played.waitForRequest(2)).body).toMatchObject({
		input: [
			{ role: "user" },
			{ type: "reasoning", id: ids.rs, encrypted_content: "c2Vj", summary: [{ text: "hm" }] },
			{ type: "message", id: ids.msg, role: "assistant" },
			{ type: "function_call", id: expect.stringMatching(/^fc_/), call_id: "c1" },
			{ type: "function_call_output", call_id: "c1", output: "a.ts" },
			{ role: "user" },
		],
	});
});

test("usage counts the cache separately and has a price", async () => {
	const usage = { input: 1000, output: 200, cacheRead: 50_000, cacheWrite: 4000 };
	const { message } = await ask(api, [{ answer: { blocks: [{ text: "hi" }], usage } }]);
	expect(message.usage).toMatchObject({ ...usage, totalTokens: 55_200 });
	expect(message.usage.cost.total).toBeCloseTo(0.036, 10);
});

test.each([["stop" as const], ["length" as const]])(
	"an answer that ends with %s has that stop reason",
	async (stopReason) => {
		const outcome = await ask(api, [{ answer: { ...tale, stopReason } }]);
		expect(outcome.message).toMatchObject({ stopReason, content: [{ text: story }] });
		expect(outcome.message.failure).toBeUndefined();
	},
);

test("a refusal is a failure of its own kind, with the content before it", async () => {
	const outcome = await ask(api, [{ answer: { ...tale, stopReason: "refusal" } }]);
	expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "refusal" } });
	expect(textOf(outcome)).toBe(story);
});

test("an empty answer is an answer", async () => {
	const outcome = await ask(api, [{ answer: { blocks: [] } }]);
	expect(outcome.events.map(({ type }) => type)).toEqual(["start", "done"]);
});

describe.each(["openai-responses", "openai-codex-responses", "azure-openai-responses"])("%s", (place) => {
	const toPlayed = (played: PlayedModel) => stream(playedModel(played, place), hello);
	promiseClearEnds(toPlayed);
	promiseToTellLinesApart(toPlayed);
});

const rich: Block[] = [
	{ thinking: "Let me think about 🙂", signature: "c2ln", chunks: 3 },
	{ text: "Ich höre 你好. ", chunks: 4 },
	{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" }, chunks: 4 },
];

/** The bytes that the played model sends for these blocks. */
async function bytesOf(blocks: Block[]): Promise<Uint8Array> {
	await using played = await playModel({ steps: [{ answer: { blocks } }] });
	const body = { model: "played-1", stream: true, input: "hi", include: ["reasoning.encrypted_content"] };
	const response = await fetch(`${played.openaiUrl}/responses`, {
		method: "POST",
		body: JSON.stringify(body),
	});
	return new Uint8Array(await response.arrayBuffer());
}

function serving(chunks: Uint8Array[]): () => Response {
	const headers = { "content-type": "text/event-stream" };
	const body = () =>
		new ReadableStream({
			start(controller) {
				for (const chunk of chunks) controller.enqueue(chunk);
				controller.close();
			},
		});
	return () => new Response(body(), { headers });
}

test("bytes may be split anywhere, also inside a character", async () => {
	const bytes = await bytesOf(rich);
	const whole = await askServer(api, serving([bytes]));
	expect(whole.message).toMatchObject({ stopReason: "toolUse", content: { length: 3 } });
	const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
	await fc.assert(
		fc.asyncProperty(cuts, async (places) => {
			const borders = [0, ...places.toSorted((a, b) => a - b), bytes.length];
			const chunks = borders.slice(1).map((to, at) => bytes.subarray(borders[at], to));
			const outcome = await askServer(api, serving(chunks));
			expect(outcome.message.content).toEqual(whole.message.content);
			expect(outcome.message.usage).toEqual(whole.message.usage);
		}),
		{ numRuns: 40 },
	);
});

test("a stream that breaks at any byte ends as a failure, with the beginning of the content", async () => {
	const bytes = await bytesOf(rich);
	const whole = await askServer(api, serving([bytes]));
	const torn = Array.from({ length: 60 }, (_, n) => Math.floor((n * bytes.length) / 60));
	for (const tornAtByte of torn) {
		await using played = await playModel({ steps: [{ answer: { blocks: rich }, fault: { tornAtByte } }] });
		const { message } = await receive(stream(modelAt(played.openaiUrl, api, { reasoning: true }), hello));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		for (const [index, block] of message.content.entries()) {
			const full = whole.message.content[index];
			if (block.type === "text" && full?.type === "text") expect(full.text).toStartWith(block.text);
			else expect(full?.type).toBe(block.type);
		}
	}
});
