/** Amazon's SDK and our decoder parse the same bytes, chunked at random, to the same answer; both write the same body. */
import {
	ConverseStreamCommand,
	type ContentBlock,
	type ConverseStreamCommandInput,
} from "@aws-sdk/client-bedrock-runtime";
import { stream, type AssistantMessage, type Context } from "@tau/ai";
import { playModel } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { bedrockClient } from "./bedrock-client.ts";
import { messageOf, type SdkMessage } from "./bedrock-message.ts";
import { anyAnswerOfWords, anyCuts, bytesOf, messageFrom, serve, servedModel } from "./same-bytes.ts";

const path = "/model/played-1/converse-stream";
const question = { messages: [{ role: "user" as const, content: [{ text: "hi" }] }] };

type Heard = Pick<SdkMessage, "content"> & { isCut: boolean; usage: (number | undefined)[] };

function messageOfSdk({ content, stopReason, usage }: SdkMessage): Heard {
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

function messageOfTau({ content, stopReason, usage }: AssistantMessage): Heard {
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

test("property: both parse the same answer, whatever the chunks", async () => {
	await fc.assert(
		fc.asyncProperty(anyAnswerOfWords, anyCuts, async (answer, cuts) => {
			const bytes = await bytesOf({ steps: [{ answer }] }, (played) =>
				fetch(played.url + path, { method: "POST", body: JSON.stringify(question) }),
			);
			await using server = serve(bytes, cuts, "application/vnd.amazon.eventstream");
			const url = server.url.href.replace(/\/$/, "");
			const asked = await bedrockClient(url).send(
				new ConverseStreamCommand({ modelId: "played-1", ...question }),
			);
			const theirs = messageOf(await Array.fromAsync(asked.stream ?? []));
			const ours = await messageFrom(url, "bedrock-converse-stream", { apiKey: "key" });
			expect(ours.failure).toBeUndefined();
			expect(messageOfTau(ours)).toEqual(messageOfSdk(theirs));
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

/** On the wire bytes are base64; the SDK expects them as bytes. */
function toSdk(value: unknown, key = ""): unknown {
	if ((key === "bytes" || key === "redactedContent") && typeof value === "string") {
		return new Uint8Array(Buffer.from(value, "base64"));
	}
	if (Array.isArray(value)) return value.map((each) => toSdk(each));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toSdk(each, name)]));
}

test("the SDK writes the same body: it knows every field, and drops unknown ones", async () => {
	await using played = await playModel({ steps: [{ answer: "ok", times: 2 }] });
	const model = servedModel("bedrock-converse-stream", played.url, {
		input: ["text", "image"],
		maxTokens: 50_000,
	});
	await stream(model, everything, {
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
