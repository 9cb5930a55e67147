/** The official SDK and our decoder read the same bytes, cut at random, and hear the same answer; both write alike. */
import {
	ConverseStreamCommand,
	type ContentBlock,
	type ConverseStreamCommandInput,
} from "@aws-sdk/client-bedrock-runtime";
import { stream, type AssistantMessage, type Context, type Model } from "@tau/ai";
import { playModel, type Answer, type Block } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { bedrockClient } from "./bedrock-client.ts";
import { messageOf, type SdkMessage } from "./bedrock-message.ts";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const chunks = fc.integer({ min: 1, max: 12 });
const block: fc.Arbitrary<Block> = fc.oneof(
	fc.record({ text: words, chunks }),
	fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }), chunks }),
	fc.base64String({ minLength: 4 }).map((redactedThinking) => ({ redactedThinking })),
	fc.record({
		toolCall: fc.record({
			name: fc.constantFrom("read", "bash"),
			arguments: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
			id: fc.constantFrom("a", "b", "c"),
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

const path = "/model/played-1/converse-stream";
const question = { messages: [{ role: "user" as const, content: [{ text: "hi" }] }] };

async function bytesOf(said: Answer): Promise<Uint8Array> {
	await using played = await playModel({ steps: [{ answer: said }] });
	const response = await fetch(played.url + path, { method: "POST", body: JSON.stringify(question) });
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
	const headers = { "content-type": "application/vnd.amazon.eventstream" };
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body(), { headers }) });
}

function modelAt(baseUrl: string): Model {
	return {
		id: "played-1",
		name: "Played",
		api: "bedrock-converse-stream",
		provider: "played",
		baseUrl,
		reasoning: true,
		input: ["text", "image"],
		cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
		contextWindow: 100_000,
		maxTokens: 50_000,
	};
}

type Heard = Pick<SdkMessage, "content"> & { isCut: boolean; usage: (number | undefined)[] };

function heardBySdk({ content, stopReason, usage }: SdkMessage): Heard {
	return {
		content,
		isCut: stopReason === "max_tokens",
		usage: [
			usage?.inputTokens,
			usage?.outputTokens,
			usage?.cacheReadInputTokens,
			usage?.cacheWriteInputTokens,
		],
	};
}

function heardByUs({ content, stopReason, usage }: AssistantMessage): Heard {
	return {
		content: content.map((part): ContentBlock => {
			if (part.type === "text") return { text: part.text };
			if (part.type === "toolCall") {
				return {
					toolUse: { toolUseId: part.id, name: part.name, input: JSON.parse(JSON.stringify(part.arguments)) },
				};
			}
			const { thinking, thinkingSignature = "", redacted } = part;
			if (!redacted)
				return { reasoningContent: { reasoningText: { text: thinking, signature: thinkingSignature } } };
			return {
				reasoningContent: { redactedContent: new Uint8Array(Buffer.from(thinkingSignature, "base64")) },
			};
		}),
		isCut: stopReason === "length",
		usage: [usage.input, usage.output, usage.cacheRead, usage.cacheWrite],
	};
}

test("the official SDK and our decoder hear the same answer at any cut", async () => {
	const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(answer, cuts, async (said, places) => {
			await using server = serve(await bytesOf(said), places);
			const url = server.url.href.replace(/\/$/, "");
			const asked = await bedrockClient(url).send(
				new ConverseStreamCommand({ modelId: "played-1", ...question }),
			);
			const theirs = messageOf(await Array.fromAsync(asked.stream ?? []));
			const context: Context = { messages: [{ role: "user", content: "hi", timestamp: 0 }] };
			const ours = await stream(modelAt(url), context, { apiKey: "key" }).result();
			expect(ours.failure).toBeUndefined();
			expect(heardByUs(ours)).toEqual(heardBySdk(theirs));
		}),
		{ numRuns: 40 },
	);
});

const everything: Context = {
	systemPrompt: "Be brief.",
	tools: [
		{
			name: "read",
			description: "Reads a file",
			parameters: { type: "object", properties: { path: { type: "string" } } },
		},
	],
	messages: [
		{
			role: "user",
			content: [
				{ type: "text", text: "what is this?" },
				{ type: "image", data: "iVBORw==", mimeType: "image/png" },
			],
			timestamp: 0,
		},
		{
			role: "assistant",
			api: "bedrock-converse-stream",
			provider: "played",
			model: "played-1",
			content: [
				{ type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
				{ type: "thinking", thinking: "", thinkingSignature: "b3BhcXVl", redacted: true },
				{ type: "text", text: "Let me look." },
				{ type: "toolCall", id: "t1", name: "read", arguments: { path: "ä 🙂", deep: [{ a: null }] } },
			],
			usage: {
				input: 0,
				output: 0,
				cacheRead: 0,
				cacheWrite: 0,
				totalTokens: 0,
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
			},
			stopReason: "toolUse",
			timestamp: 0,
		},
		{
			role: "toolResult",
			toolCallId: "t1",
			toolName: "read",
			content: [
				{ type: "text", text: "gone" },
				{ type: "image", data: "iVBORw==", mimeType: "image/jpeg" },
			],
			isError: true,
			timestamp: 0,
		},
	],
};

/** On the wire bytes are base64; the SDK wants them as bytes. */
function toSdk(value: unknown, key = ""): unknown {
	if ((key === "bytes" || key === "redactedContent") && typeof value === "string") {
		return new Uint8Array(Buffer.from(value, "base64"));
	}
	if (Array.isArray(value)) return value.map((each) => toSdk(each));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toSdk(each, name)]));
}

test("the SDK would write the same body: it knows every field, and drops those that it does not know", async () => {
	await using played = await playModel({ steps: [{ answer: "ok", times: 2 }] });
	await stream(modelAt(played.url), everything, {
		apiKey: "key",
		reasoning: "low",
		toolChoice: "auto",
		cacheRetention: "long",
		serviceTier: "priority",
	}).result();
	const ours = played.requests[0]?.body;
	const input = { ...Object(toSdk(ours)), modelId: "played-1" } as ConverseStreamCommandInput;
	await bedrockClient(played.url).send(new ConverseStreamCommand(input));
	expect(played.requests[1]?.body).toEqual(ours);
	expect(played.requests[1]?.path).toBe(played.requests[0]?.path ?? "");
});
