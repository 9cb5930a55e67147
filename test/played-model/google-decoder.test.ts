/** The official SDK and our decoder read the same bytes, cut at random, and hear the same answer. */
import { GoogleGenAI, type GenerateContentResponse } from "@google/genai";
import { stream, type AssistantMessage, type Model } from "@tau/ai";
import { playModel, type Answer, type Block } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import fc from "fast-check";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const chunks = fc.integer({ min: 1, max: 12 });
const block: fc.Arbitrary<Block> = fc.oneof(
	fc.record({ text: words, chunks }),
	fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }), chunks }),
	fc.base64String({ minLength: 4 }).map((redactedThinking) => ({ redactedThinking })),
	fc.record({
		toolCall: fc.record(
			{
				name: fc.constantFrom("read", "bash"),
				arguments: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
				id: fc.constantFrom("a", "b", "c"),
			},
			{ requiredKeys: ["name", "arguments"] },
		),
	}),
);
const count = fc.nat({ max: 100_000 });
const answer: fc.Arbitrary<Answer> = fc.record({
	blocks: fc.array(block, { maxLength: 5 }),
	usage: fc.record({ input: count, output: count, cacheRead: count }),
	stopReason: fc.constantFrom("stop" as const, "length" as const),
});

const platforms = [
	["google-generative-ai", "/v1beta/models/played-1"],
	["google-vertex", "/v1/publishers/google/models/played-1"],
] as const;

async function bytesOf(said: Answer, path: string): Promise<Uint8Array> {
	await using played = await playModel({ steps: [{ answer: said }] });
	const response = await fetch(`${played.url}${path}:streamGenerateContent?alt=sse`, {
		method: "POST",
		body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
	});
	return new Uint8Array(await response.arrayBuffer());
}

/** A server that sends these bytes to everybody, in pieces that end at these fractions of them. */
function serve(bytes: Uint8Array, cuts: readonly number[]): Bun.Server<undefined> {
	const places = cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b);
	const borders = [0, ...places, bytes.length];
	const pieces = borders.slice(1).map((to, at) => bytes.subarray(borders[at], to));
	const body = () =>
		new ReadableStream({
			async start(controller) {
				for (const piece of pieces) {
					if (piece.length > 0) controller.enqueue(piece);
					await Promise.resolve();
				}
				controller.close();
			},
		});
	const headers = { "content-type": "text/event-stream" };
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body(), { headers }) });
}

function modelAt(api: string, baseUrl: string): Model {
	return {
		id: "played-1",
		name: "Played",
		api,
		provider: "played",
		baseUrl,
		reasoning: true,
		input: ["text"],
		cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
		contextWindow: 1000,
		maxTokens: 1000,
	};
}

interface Heard {
	id: string | undefined;
	isCut: boolean;
	usage: (number | undefined)[];
	text: string;
	thoughts: string;
	calls: unknown[];
}

function heardBySdk(responses: readonly GenerateContentResponse[]): Heard {
	const parts = responses.flatMap((response) => response.candidates?.[0]?.content?.parts ?? []);
	const said = (thought: boolean) =>
		parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? "") : "")).join("");
	const last = responses.at(-1);
	const usage = last?.usageMetadata;
	return {
		id: last?.responseId,
		isCut: last?.candidates?.[0]?.finishReason === "MAX_TOKENS",
		usage: [
			usage?.promptTokenCount,
			(usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
			usage?.cachedContentTokenCount ?? 0,
		],
		text: said(false),
		thoughts: said(true),
		calls: parts.flatMap(({ functionCall, thoughtSignature }) =>
			functionCall ? [[functionCall.name, functionCall.args, thoughtSignature]] : [],
		),
	};
}

function heardByUs({ responseId, content, stopReason, usage }: AssistantMessage): Heard {
	return {
		id: responseId,
		isCut: stopReason === "length",
		usage: [usage.input + usage.cacheRead, usage.output, usage.cacheRead],
		text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
		thoughts: content.map((part) => (part.type === "thinking" ? part.thinking : "")).join(""),
		calls: content.flatMap((part) =>
			part.type === "toolCall" ? [[part.name, part.arguments, part.thoughtSignature]] : [],
		),
	};
}

test.each(platforms)("%s: the same answer is heard, however the bytes are cut", async (api, path) => {
	const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
	await fc.assert(
		fc.asyncProperty(answer, cuts, async (said, places) => {
			await using server = serve(await bytesOf(said, path), places);
			const baseUrl = server.url.href;
			const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl } });
			const question = { model: "played-1", contents: "hi" };
			const theirs = await Array.fromAsync(await client.models.generateContentStream(question));
			const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
			const ours = await stream(modelAt(api, baseUrl), context, { apiKey: "key" }).result();
			expect(heardByUs(ours)).toEqual(heardBySdk(theirs));
		}),
		{ numRuns: 40 },
	);
});
