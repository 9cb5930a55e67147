/** What a stream used is counted from its bytes, wherever they are cut, and its words where it says nothing of them. */
import { expect, test } from "bun:test";

import { testModel } from "./testing/index.ts";
import type { Api } from "./types.ts";
import { UsageProbe } from "./usage-probe.ts";

const words = 'say "usage": {} and "usage":null ';

function sse(...events: object[]): string {
	return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

/** With its counts at the beginning and at the end, at the end, or in each event. */
const streams: Readonly<Record<string, (texts: readonly string[], isCounted: boolean) => string>> = {
	"anthropic-messages": (texts, isCounted) => {
		const usage = isCounted ? { usage: { input_tokens: 10, output_tokens: 20 } } : {};
		return sse(
			{ type: "message_start", message: { id: "m", ...usage } },
			{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
			...texts.map((text) => ({
				type: "content_block_delta",
				index: 0,
				delta: { type: "text_delta", text },
			})),
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: "end_turn" }, ...usage },
			{ type: "message_stop" },
		);
	},
	"openai-completions": (texts, isCounted) =>
		sse(...texts.map((content) => ({ choices: [{ index: 0, delta: { content } }], usage: null })), {
			choices: [],
			...(isCounted ? { usage: { prompt_tokens: 10, completion_tokens: 20 } } : {}),
		}),
	"google-generative-ai": (texts, isCounted) =>
		sse(
			...texts.map((text) => ({
				candidates: [{ content: { parts: [{ text }] } }],
				...(isCounted ? { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20 } } : {}),
			})),
		),
};

async function probed(api: Api, text: string, pieceBytes: number): Promise<UsageProbe> {
	const probe = await UsageProbe.of(testModel({ api }));
	if (!probe) throw new Error(api);
	const bytes = new TextEncoder().encode(text);
	for (let at = 0; at < bytes.length; at += pieceBytes) probe.take(bytes.slice(at, at + pieceBytes));
	return probe;
}

function textOf({ content }: ReturnType<UsageProbe["message"]>): string {
	return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

const cases = Object.entries(streams).flatMap(([api, stream]) =>
	[1, 7, 4096].flatMap((pieceBytes) =>
		// One that is read when it has ended, and one that is read while it passes.
		[3, 3000].map((count) => ({ api, stream, pieceBytes, texts: Array<string>(count).fill(words) })),
	),
);

test.each(cases)("$api in pieces of $pieceBytes bytes", async ({ api, stream, pieceBytes, texts }) => {
	const counted = await probed(api, stream(texts, true), pieceBytes);
	expect(counted.message(false).usage).toMatchObject({ input: 10, output: 20 });
	const silent = await probed(api, stream(texts, false), pieceBytes);
	expect(textOf(silent.message(false))).toBe(texts.join(""));
});

test("an answer that was cut is read to its last word", async () => {
	for (const [api, stream] of Object.entries(streams)) {
		const whole = stream(Array<string>(50).fill(words), true);
		const probe = await probed(api, whole.slice(0, whole.lastIndexOf(words[0] ?? "")), 100);
		expect(textOf(probe.message(true)).length).toBeGreaterThan(48 * words.length);
	}
});
