/** OpenAI's SDK and our decoder parse the same Responses bytes, chunked at random, to the same answer. */
import type { AssistantMessage } from "@tau/ai";
import { expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";

import { anyAnswer, anyCuts, bytesOf, messageFrom, serve } from "./same-bytes.ts";

const request = { model: "played-1", stream: true, input: "hi", include: ["reasoning.encrypted_content"] };

function messageOfSdk({ id, output, status, usage }: OpenAI.Responses.Response): unknown {
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

function messageOfTau({ responseId, content, stopReason, usage }: AssistantMessage): unknown {
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

test("property: both parse the same answer, whatever the chunks", async () => {
	await fc.assert(
		fc.asyncProperty(anyAnswer, anyCuts, async (answer, cuts) => {
			const bytes = await bytesOf({ steps: [{ answer }] }, (played) =>
				fetch(`${played.openaiUrl}/responses`, { method: "POST", body: JSON.stringify(request) }),
			);
			await using server = serve(bytes, cuts);
			const baseURL = server.url.href;
			const client = new OpenAI({ baseURL, apiKey: "key", maxRetries: 0, logLevel: "off" });
			const theirs = await client.responses.stream({ model: "played-1", input: "hi" }).finalResponse();
			const ours = await messageFrom(baseURL, "openai-responses");
			expect(messageOfTau(ours)).toEqual(messageOfSdk(theirs));
		}),
		{ numRuns: 60 },
	);
});
