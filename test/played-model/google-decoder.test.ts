/** Google's SDK and our decoder parse the same bytes, chunked at random, to the same answer. */
import { GoogleGenAI, type GenerateContentResponse } from "@google/genai";
import type { AssistantMessage } from "@tau/ai";
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyAnswerOfWords, anyCuts, bytesOf, messageFrom, serve } from "./same-bytes.ts";

const platforms = [
	["google-generative-ai", "/v1beta/models/played-1"],
	["google-vertex", "/v1/publishers/google/models/played-1"],
	["google-gemini-cli", "/v1internal"],
] as const;

const question = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const wrapped = { model: "played-1", project: "p", request: question };

/** The content of Code Assist's wrapper, which no SDK parses. */
function withoutWrapping(bytes: Uint8Array): Uint8Array {
	const lines = new TextDecoder().decode(bytes).split("\r\n");
	const bare = lines.map((line) =>
		line.startsWith("data: ") ? `data: ${JSON.stringify(JSON.parse(line.slice(6)).response)}` : line,
	);
	return new TextEncoder().encode(bare.join("\r\n"));
}

interface Heard {
	id: string | undefined;
	isCut: boolean;
	usage: (number | undefined)[];
	text: string;
	thoughts: string;
	calls: unknown[];
}

function messageOfSdk(responses: readonly GenerateContentResponse[]): Heard {
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

function messageOfTau({ responseId, content, stopReason, usage }: AssistantMessage): Heard {
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

test.each(platforms)("property: %s: both parse the same answer, whatever the chunks", async (api, path) => {
	const isWrapped = api === "google-gemini-cli";
	await fc.assert(
		fc.asyncProperty(anyAnswerOfWords, anyCuts, async (answer, cuts) => {
			const bytes = await bytesOf({ steps: [{ answer }] }, (played) =>
				fetch(`${played.url}${path}:streamGenerateContent?alt=sse`, {
					method: "POST",
					body: JSON.stringify(isWrapped ? wrapped : question),
				}),
			);
			await using server = serve(bytes, cuts);
			await using bare = serve(isWrapped ? withoutWrapping(bytes) : bytes, cuts);
			const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: bare.url.href } });
			const asked = { model: "played-1", contents: "hi" };
			const theirs = await Array.fromAsync(await client.models.generateContentStream(asked));
			const apiKey = isWrapped ? JSON.stringify({ token: "key", projectId: "p" }) : "key";
			const ours = await messageFrom(server.url.href, api, { apiKey });
			expect(messageOfTau(ours)).toEqual(messageOfSdk(theirs));
		}),
		{ numRuns: 40 },
	);
});
