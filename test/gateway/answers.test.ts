/** Whatever protocol a client speaks and whatever model answers, the vendor's client gets the answer of a direct call. */
import { playModel, type Answer as Played, type Block, type PlayedModel } from "@tau/ai/testing";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { clients, type Answer, type Dialect, type Question } from "./dialects/index.ts";
import { providers, serveGateway, type Provider, type ServedGateway } from "./gateway.ts";

const international = 'Grüße, 世界 🌍\n\ttabs, "quotes", \\ and \u2028 lines';
const nested = { list: [1, 2.5, -3, { deep: [true, null, "x"] }], text: international };

function deep(levels: number): Record<string, unknown> {
	return levels === 0 ? { end: [] } : { [`level${levels}`]: deep(levels - 1) };
}

function call(name: string, args: Record<string, unknown>, chunks = 1): Block {
	return { toolCall: { name, arguments: args }, chunks };
}

interface Feature extends Played {
	/** Protocols of models that have no word for it. */
	unknownTo?: readonly Provider[];
}

const features: Readonly<Record<string, Feature>> = {
	"a text": { blocks: [{ text: "Hello" }] },
	"a text in many pieces": { blocks: [{ text: "word ".repeat(200), chunks: 50 }] },
	"text of all languages": { blocks: [{ text: international, chunks: 7 }] },
	"characters that are cut in two": { blocks: [{ text: "👩‍👩‍👧‍👦🏳️‍🌈é🇺🇳".repeat(20), chunks: 97 }] },
	"a long text": { blocks: [{ text: "0123456789".repeat(20_000), chunks: 20 }] },
	"text that looks like a stream": {
		blocks: [{ text: 'data: [DONE]\n\nevent: error\ndata: {"type":"error"}\n\n', chunks: 5 }],
	},
	"text that looks like JSON": { blocks: [{ text: '{"usage":{"input_tokens":9},"n":[1,2,{}]}', chunks: 6 }] },
	"spaces and empty lines": { blocks: [{ text: "\n\n  a\n\n\n b \t\n", chunks: 4 }] },
	"two texts": { blocks: [{ text: "One. " }, { text: "Two." }] },
	thinking: { blocks: [{ thinking: "Let me see.", signature: "c2lnbmF0dXJl" }, { text: "Done." }] },
	"thinking in pieces": {
		blocks: [{ thinking: "Step by step. ".repeat(20), signature: "c2ln", chunks: 9 }, { text: "ok" }],
	},
	"thinking of all languages": {
		blocks: [{ thinking: international, signature: "c2ln", chunks: 5 }, { text: "ok" }],
	},
	"thinking, then a call": {
		blocks: [{ thinking: "A tool.", signature: "c2ln" }, call("bash", { command: "ls" })],
	},
	"a call": { blocks: [call("bash", { command: "ls" })] },
	"a call in pieces": { blocks: [call("write", { path: "a.ts", content: "x".repeat(500) }, 40)] },
	"a call without arguments": { blocks: [call("list", {})] },
	"a name with signs": { blocks: [call("mcp__files-v2__read_file", { path: "/a" })] },
	"nested arguments": { blocks: [call("edit", nested, 5)] },
	"deep arguments": { blocks: [call("edit", deep(30), 8)] },
	"arguments with names of all languages": {
		blocks: [call("set", { größe: 1, "世 界": "🌍", "": "empty" }, 6)],
	},
	"numbers as they are": { blocks: [call("sum", { all: [0, -1, 0.1, 1e-7, 1e21, 2 ** 53] }, 3)] },
	"arguments that are JSON in text": { blocks: [call("write", { content: '{"a":"\\"b\\""}\n' }, 9)] },
	"large arguments": { blocks: [call("write", { content: "line\n".repeat(20_000) }, 30)] },
	"two calls at once": { blocks: [call("read", { path: "a" }, 2), call("read", { path: "b" }, 2)] },
	"the same call twice": { blocks: [call("read", { path: "a" }), call("read", { path: "a" })] },
	"five calls at once": { blocks: [1, 2, 3, 4, 5].map((n) => call(`tool${n}`, { n })) },
	"forty calls at once": { blocks: Array.from({ length: 40 }, (_, n) => call("read", { n })) },
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
	"a refusal": { blocks: [{ text: "I cannot" }], stopReason: "refusal", unknownTo: ["ollama"] },
	"token counts": { blocks: [{ text: "x" }], usage: { input: 123, output: 45 } },
	"no tokens": { blocks: [{ text: "x" }], usage: { input: 0, output: 0 } },
	"cached tokens": {
		blocks: [{ text: "x" }],
		usage: { input: 10, output: 5, cacheRead: 1000 },
		unknownTo: ["ollama"],
	},
	"many tokens": {
		blocks: [{ text: "x" }],
		usage: { input: 1_234_567, output: 98_765, cacheRead: 7 },
		unknownTo: ["ollama"],
	},
};

/** As many as the proof asks for, of each client with each model. */
const leastFeatures = 30;

function knownTo(provider: Provider): string[] {
	return Object.keys(features).filter((name) => !features[name]?.unknownTo?.includes(provider));
}

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

/** A direct call has no model behind it, so that its answer is the same beside every one. */
const directAnswers = new Map<string, Promise<Answer>>();

function directAnswer(dialect: Dialect, feature: string, streamed: boolean): Promise<Answer> {
	return directAnswers.getOrInsertComputed(`${dialect.name} ${streamed} ${feature}`, () =>
		dialect.ask(direct.url, "direct", question, streamed),
	);
}

/** Ids differ from call to call, and what is opaque differs from vendor to vendor. */
function comparable({ calls, raw: _, isSigned: __, ...answer }: Answer): object {
	return { ...answer, calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })) };
}

describe.each(clients.map((client) => [client.name, client] as const))("a client of %s", (_name, dialect) => {
	describe.each(providers.map((each) => [each]))("with a model of %s", (protocol: Provider) => {
		test("is asked for enough", () => expect(knownTo(protocol).length).toBeGreaterThanOrEqual(leastFeatures));

		test.each(knownTo(protocol))("gets %s", async (feature) => {
			// Without them the played model estimates, by bodies that differ.
			const { unknownTo: _, ...played } = features[feature] ?? { blocks: [] };
			const answer = { usage: { input: 10, output: 20 }, ...played };
			const scenario = {
				steps: [],
				fallback: { answer, times: "always" as const },
				reasoningField: "reasoning_content" as const,
			};
			served.played.setScenario(scenario);
			direct.setScenario(scenario);
			for (const streamed of [true, false]) {
				const expected = await directAnswer(dialect, feature, streamed);
				const got = await dialect.ask(served.url, `played-${protocol}`, question, streamed);
				expect(comparable(got)).toEqual(comparable(expected));
				const ids = got.calls.flatMap(({ id }) => id || []);
				expect(new Set(ids).size).toBe(ids.length);
			}
		});
	});
});
