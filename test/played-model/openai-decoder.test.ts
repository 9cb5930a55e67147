/** OpenAI's SDK and our decoder parse the same Chat Completions bytes, chunked at random, to the same answer. */
import type { AssistantMessage } from "@tau/ai";
import { expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";

import { anyAnswer, anyCuts, bytesOf, messageFrom, serve } from "./same-bytes.ts";

const question = {
	model: "played-1",
	stream_options: { include_usage: true },
	messages: [{ role: "user" as const, content: "hi" }],
};

function messageOfSdk({ id, choices, usage }: OpenAI.ChatCompletion): unknown {
	const { message, finish_reason } = choices[0] ?? {};
	return {
		id,
		cutShort: finish_reason === "length",
		usage: [
			usage?.prompt_tokens,
			usage?.completion_tokens,
			usage?.prompt_tokens_details?.cached_tokens ?? 0,
			usage?.prompt_tokens_details?.cache_write_tokens ?? 0,
		],
		text: message?.content ?? "",
		calls: (message?.tool_calls ?? []).map((call) => {
			if (call.type !== "function") throw new Error(`did not expect ${call.type}`);
			return { call: call.function.name, id: call.id, input: JSON.parse(call.function.arguments) };
		}),
	};
}

function messageOfTau({ responseId, content, stopReason, usage }: AssistantMessage): unknown {
	const { input, output, cacheRead, cacheWrite } = usage;
	return {
		id: responseId,
		cutShort: stopReason === "length",
		usage: [input + cacheRead + cacheWrite, output, cacheRead, cacheWrite],
		text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
		calls: content.flatMap((block) =>
			block.type === "toolCall" ? [{ call: block.name, id: block.id, input: block.arguments }] : [],
		),
	};
}

/** The SDK has no thinking, so it is compared with the script. */
function thoughts(content: AssistantMessage["content"]): string {
	return content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("");
}

test("property: both parse the same answer, whatever the chunks", async () => {
	const reasoningField = fc.constantFrom("reasoning_content" as const, "reasoning" as const);
	await fc.assert(
		fc.asyncProperty(anyAnswer, anyCuts, reasoningField, async (answer, cuts, field) => {
			const bytes = await bytesOf({ steps: [{ answer }], reasoningField: field }, (played) =>
				fetch(`${played.openaiUrl}/chat/completions`, {
					method: "POST",
					body: JSON.stringify({ ...question, stream: true }),
				}),
			);
			await using server = serve(bytes, cuts);
			const baseURL = server.url.href;
			const client = new OpenAI({ baseURL, apiKey: "key", maxRetries: 0, logLevel: "off" });
			const theirs = await client.chat.completions.stream(question).finalChatCompletion();
			const ours = await messageFrom(baseURL, "openai-completions");
			expect(messageOfTau(ours)).toEqual(messageOfSdk(theirs));
			const shown = answer.blocks.map((block) => ("thinking" in block ? block.thinking : ""));
			expect(thoughts(ours.content)).toBe(shown.join(""));
		}),
		{ numRuns: 60 },
	);
});
