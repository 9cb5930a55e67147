/** The official SDK and our decoder read the same bytes, cut at random, and hear the same answer. */
import { stream, type AssistantMessage, type Model } from "@tau/ai";
import { playModel, type Answer, type Block } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";

const request = { model: "played-1", stream: true, input: "hi", include: ["reasoning.encrypted_content"] };

const words = fc.string({ unit: "grapheme", maxLength: 30 });
const chunks = fc.integer({ min: 1, max: 12 });
const block: fc.Arbitrary<Block> = fc.oneof(
	fc.record({ text: words, chunks }),
	fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }), chunks }),
	fc.base64String({ minLength: 4 }).map((redactedThinking) => ({ redactedThinking })),
	fc.record({
		toolCall: fc.record({
			name: fc.constantFrom("read", "bash"),
			arguments: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
		}),
		chunks,
	}),
);
const count = fc.nat({ max: 100_000 });
const answer: fc.Arbitrary<Answer> = fc.record({
	blocks: fc.array(block, { maxLength: 5 }),
	usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
	stopReason: fc.constantFrom("stop" as const, "length" as const),
});

async function bytesOf(said: Answer): Promise<Uint8Array> {
	await using played = await playModel({ steps: [{ answer: said }] });
	const response = await fetch(`${played.openaiUrl}/responses`, {
		method: "POST",
		body: JSON.stringify(request),
	});
	return new Uint8Array(await response.arrayBuffer());
}

/** A server that sends these bytes to everybody, in pieces that end at these fractions of them. */
function serve(bytes: Uint8Array, cuts: readonly number[]): Bun.Server<undefined> {
	const borders = [
		0,
		...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b),
		bytes.length,
	];
	const pieces = borders.slice(1).map((to, at) => bytes.subarray(borders[at], to));
	return Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () =>
			new Response(
				new ReadableStream({
					async start(controller) {
						for (const piece of pieces) {
							if (piece.length > 0) controller.enqueue(piece);
							await Promise.resolve();
						}
						controller.close();
					},
				}),
				{ headers: { "content-type": "text/event-stream; charset=utf-8" } },
			),
	});
}

function modelAt(baseUrl: string): Model {
	return {
		id: "played-1",
		name: "Played",
		api: "openai-responses",
		provider: "played",
		baseUrl,
		reasoning: true,
		input: ["text"],
		cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
		contextWindow: 1000,
		maxTokens: 1000,
	};
}

function heardBySdk({ id, output, status, usage }: OpenAI.Responses.Response): unknown {
	return {
		id,
		status,
		usage: [usage?.input_tokens, usage?.output_tokens, usage?.input_tokens_details.cached_tokens],
		output: output.map((item) => {
			if (item.type === "message")
				return { text: item.content.map((part) => ("text" in part ? part.text : "")).join(""), id: item.id };
			if (item.type === "reasoning")
				return {
					thought: item.summary.map(({ text }) => text).join("\n\n"),
					secret: item.encrypted_content,
					id: item.id,
				};
			if (item.type !== "function_call") throw new Error(`did not expect ${item.type}`);
			return { call: item.name, arguments: JSON.parse(item.arguments), id: `${item.call_id}|${item.id}` };
		}),
	};
}

function heardByUs({ responseId, content, stopReason, usage }: AssistantMessage): unknown {
	const { input, cacheRead, cacheWrite, output } = usage;
	return {
		id: responseId,
		status: stopReason === "length" ? "incomplete" : "completed",
		usage: [input + cacheRead + cacheWrite, output, cacheRead],
		output: content.map((part) => {
			if (part.type === "text") return { text: part.text, id: part.textSignature };
			if (part.type === "toolCall") return { call: part.name, arguments: part.arguments, id: part.id };
			const { id, encrypted_content: secret } = JSON.parse(part.thinkingSignature ?? "{}");
			return { thought: part.thinking, secret, id };
		}),
	};
}

test("the same answer is heard, however the bytes are cut", async () => {
	const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
	await fc.assert(
		fc.asyncProperty(answer, cuts, async (said, places) => {
			await using server = serve(await bytesOf(said), places);
			const baseURL = server.url.href;
			const client = new OpenAI({ baseURL, apiKey: "key", maxRetries: 0, logLevel: "off" });
			const theirs = await client.responses.stream({ model: "played-1", input: "hi" }).finalResponse();
			const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
			const ours = await stream(modelAt(baseURL), context).result();
			expect(heardByUs(ours)).toEqual(heardBySdk(theirs));
		}),
		{ numRuns: 60 },
	);
});
