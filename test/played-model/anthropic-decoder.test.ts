/** Anthropic's SDK and our decoder parse the same bytes, chunked at random, to the same answer. */
import Anthropic from "@anthropic-ai/sdk";
import type { AssistantMessage } from "@tau/ai";
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyAnswer, anyCuts, bytesOf, messageFrom, serve } from "./same-bytes.ts";

const question = {
	model: "played-1",
	max_tokens: 100,
	messages: [{ role: "user" as const, content: "hi" }],
};

function messageOfSdk({ id, content, stop_reason, usage }: Anthropic.Message): unknown {
	return {
		id,
		cutShort: stop_reason === "max_tokens",
		usage: [
			usage.input_tokens,
			usage.output_tokens,
			usage.cache_read_input_tokens,
			usage.cache_creation_input_tokens,
		],
		content: content.map((block) => {
			switch (block.type) {
				case "text":
					return { text: block.text };
				case "thinking":
					return { thinking: block.thinking, signature: block.signature };
				case "redacted_thinking":
					return { secret: block.data };
				case "tool_use":
					return { call: block.name, id: block.id, input: block.input };
				default:
					throw new Error(`did not expect ${block.type}`);
			}
		}),
	};
}

function messageOfTau({ responseId, content, stopReason, usage }: AssistantMessage): unknown {
	return {
		id: responseId,
		cutShort: stopReason === "length",
		usage: [usage.input, usage.output, usage.cacheRead, usage.cacheWrite],
		content: content.map((block) => {
			if (block.type === "text") return { text: block.text };
			if (block.type === "toolCall") return { call: block.name, id: block.id, input: block.arguments };
			return block.redacted
				? { secret: block.thinkingSignature }
				: { thinking: block.thinking, signature: block.thinkingSignature };
		}),
	};
}

test("property: both parse the same answer, whatever the chunks", async () => {
	await fc.assert(
		fc.asyncProperty(anyAnswer, anyCuts, async (answer, cuts) => {
			const bytes = await bytesOf({ steps: [{ answer }] }, (played) =>
				fetch(`${played.anthropicUrl}/v1/messages`, {
					method: "POST",
					headers: { "anthropic-version": "2023-06-01" },
					body: JSON.stringify({ ...question, stream: true }),
				}),
			);
			await using server = serve(bytes, cuts);
			const baseURL = server.url.href;
			const client = new Anthropic({ baseURL, apiKey: "key", maxRetries: 0, logLevel: "off" });
			const theirs = await client.messages.stream(question).finalMessage();
			const ours = await messageFrom(baseURL, "anthropic-messages");
			expect(messageOfTau(ours)).toEqual(messageOfSdk(theirs));
		}),
		{ numRuns: 60 },
	);
});
