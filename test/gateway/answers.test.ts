/** Whatever protocol a client speaks and whatever model answers, the vendor's client gets the answer of a direct call. */
import { playModel, type Answer as Played, type Block, type PlayedModel } from "@tau/ai/testing";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { dialects, type Answer, type Question } from "./dialects/index.ts";
import { protocols, serveGateway, type Protocol, type ServedGateway } from "./gateway.ts";

const international = 'Grüße, 世界 🌍\n\ttabs, "quotes", \\ and \u2028 lines';
const nested = { list: [1, 2.5, -3, { deep: [true, null, "x"] }], text: international };

function call(name: string, args: Record<string, unknown>, chunks = 1): Block {
	return { toolCall: { name, arguments: args }, chunks };
}

const features: Readonly<Record<string, Played>> = {
	"a text": { blocks: [{ text: "Hello" }] },
	"a text in many pieces": { blocks: [{ text: "word ".repeat(200), chunks: 50 }] },
	"text of all languages": { blocks: [{ text: international, chunks: 7 }] },
	"a long text": { blocks: [{ text: "0123456789".repeat(20_000), chunks: 20 }] },
	thinking: { blocks: [{ thinking: "Let me see.", signature: "c2lnbmF0dXJl" }, { text: "Done." }] },
	"thinking in pieces": {
		blocks: [{ thinking: "Step by step. ".repeat(20), signature: "c2ln", chunks: 9 }, { text: "ok" }],
	},
	"a call": { blocks: [call("bash", { command: "ls" })] },
	"a call in pieces": { blocks: [call("write", { path: "a.ts", content: "x".repeat(500) }, 40)] },
	"a call without arguments": { blocks: [call("list", {})] },
	"nested arguments": { blocks: [call("edit", nested, 5)] },
	"large arguments": { blocks: [call("write", { content: "line\n".repeat(20_000) }, 30)] },
	"two calls at once": { blocks: [call("read", { path: "a" }, 2), call("read", { path: "b" }, 2)] },
	"five calls at once": { blocks: [1, 2, 3, 4, 5].map((n) => call(`tool${n}`, { n })) },
	"text, then a call": { blocks: [{ text: "I look." }, call("bash", { command: "pwd" })] },
	"thinking, text and calls": {
		blocks: [
			{ thinking: "Both.", signature: "c2ln" },
			{ text: "Two:" },
			call("a", { x: 1 }),
			call("b", { y: [2] }),
		],
	},
	"an answer that was cut": { blocks: [{ text: "And then" }], stopReason: "length" },
	"a refusal": { blocks: [{ text: "I cannot" }], stopReason: "refusal" },
	"token counts": { blocks: [{ text: "x" }], usage: { input: 123, output: 45 } },
	"cached tokens": { blocks: [{ text: "x" }], usage: { input: 10, output: 5, cacheRead: 1000 } },
	"many tokens": { blocks: [{ text: "x" }], usage: { input: 1_234_567, output: 98_765, cacheRead: 7 } },
};

const question: Question = {
	turns: [{ user: "hi" }],
	tools: [{ name: "bash", description: "Runs", parameters: { type: "object", properties: {} } }],
};

let served: ServedGateway;
let direct: PlayedModel;
beforeAll(async () => {
	[served, direct] = await Promise.all([serveGateway({ steps: [] }), playModel({ steps: [] })]);
});
afterAll(async () => {
	await Promise.all([served[Symbol.asyncDispose](), direct.close()]);
});

/** Ids differ from call to call, and what is opaque differs from vendor to vendor. */
function comparable({ calls, raw: _, isSigned: __, ...answer }: Answer): object {
	return { ...answer, calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })) };
}

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
	"a client of %s",
	(_name, dialect) => {
		describe.each(protocols.map((each) => [each]))("with a model of %s", (protocol: Protocol) => {
			test.each(Object.keys(features))("gets %s", async (feature) => {
				// Without them the played model estimates, by bodies that differ.
				const answer = { usage: { input: 10, output: 20 }, ...(features[feature] ?? { blocks: [] }) };
				const scenario = {
					steps: [],
					fallback: { answer, times: "always" as const },
					reasoningField: "reasoning_content" as const,
				};
				served.played.setScenario(scenario);
				direct.setScenario(scenario);
				for (const streamed of [true, false]) {
					const expected = await dialect.ask(direct.url, "direct", question, streamed);
					const got = await dialect.ask(served.url, `played-${protocol}`, question, streamed);
					expect(comparable(got)).toEqual(comparable(expected));
					const ids = got.calls.flatMap(({ id }) => id || []);
					expect(new Set(ids).size).toBe(ids.length);
				}
			});
		});
	},
);
