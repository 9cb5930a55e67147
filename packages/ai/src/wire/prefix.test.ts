/** A growing conversation keeps its prefix byte by byte, so that the providers' caches stay valid. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { modelAt } from "../testing/asking.ts";
import { list, object, writeBody, writeJson, type Json } from "../json.ts";
import {
	wireApis,
	type AssistantContent,
	type Compat,
	type Context,
	type Message,
	type Model,
	type StopReason,
} from "../types.ts";
import { encode as encodeAnthropic } from "./anthropic-messages/encode.ts";
import { answer, call, image, result, text, thinking, user } from "./testing/messages.ts";
import { encode as encodeCompletions } from "./openai-completions/encode.ts";
import { codecFor } from "./table.ts";

const tools = [
	{ name: "ls", description: "Lists", parameters: { type: "object", properties: {} } },
	{ name: "read", description: "Reads", parameters: { anyOf: [{ type: "object" }] } },
];
const said = fc.constantFrom("", "words", "🙂").map(text);
const parts = fc.array(fc.oneof(said, fc.constant(image)), { maxLength: 3 });
const spoken = fc.oneof(
	said,
	fc.constantFrom(thinking("hm", "c2ln"), thinking("hm", "reasoning"), thinking("hm"), {
		...thinking("", "x"),
		redacted: true,
	}),
);

const prompt: fc.Arbitrary<Message[]> = parts.map((content) => [user("go on"), user(...content)]);

/** An answer, with results for all of its calls: no request is sent before that. */
const exchange: fc.Arbitrary<Message[]> = fc
	.tuple(
		fc.array(spoken, { maxLength: 3 }),
		fc.array(fc.tuple(fc.constantFrom("0", "call:1", "call_2", ""), parts), { maxLength: 12 }),
		fc.constantFrom({}, { provider: "other" }),
		fc.constantFrom<StopReason>("stop", "toolUse", "length", "error", "aborted"),
		fc.constantFrom<Message[]>([], [user("steer")]),
	)
	.map(([before, calls, from, stopReason, steer]) => {
		const content: AssistantContent[] = [...before, ...calls.map(([id]) => call(id, "ls"))];
		const results = calls.map(([id, shown]) => result(id, ...shown));
		return [
			{ ...answer(...content), ...from, stopReason },
			...results.slice(0, 1),
			...steer,
			...results.slice(1),
		];
	});

const turns = fc.array(fc.oneof(prompt, exchange), { maxLength: 6 });

interface Cached {
	/** The cached parts, in the order in which the provider reads them, without the marks. */
	pieces: string[];
	/** The positions of the marks. */
	marks: number[];
}

function cachedBy(body: Json): Cached {
	const tooling = list(body["tools"]).map((tool) => ["tool", tool] as const);
	const system = list(body["system"]).map((block) => ["system", block] as const);
	const messages = list(body["messages"]).flatMap((message) => {
		const { role, content, ...rest } = object(message);
		if (!Array.isArray(content)) return [[role, { ...rest, content }] as const];
		return content.map((block) => [role, { ...rest, ...object(block) }] as const);
	});
	const pieces = [...tooling, ...system, ...messages];
	return {
		pieces: pieces.map(([place, piece]) => JSON.stringify([place, { ...object(piece), cache_control: 0 }])),
		marks: pieces.flatMap(([, piece], at) => ("cache_control" in object(piece) ? [at] : [])),
	};
}

/** The requests of a conversation, one after each turn. */
function requests(encode: typeof encodeAnthropic, model: Model, grown: readonly Message[][]): Cached[] {
	const start = [[user("hello")], ...grown];
	return start.map((_, at) => {
		const context: Context = { systemPrompt: "Be brief.", tools, messages: start.slice(0, at + 1).flat() };
		return cachedBy(encode(model, context, {}));
	});
}

const anthropic: Compat[] = [{}, { allowEmptySignature: true }, { forceAdaptiveThinking: true }];
const completions: Compat[] = [
	{},
	{ cacheControlFormat: "anthropic" },
	{ requiresAssistantAfterToolResult: true, requiresToolResultName: true },
	{ requiresThinkingAsText: true },
	{ requiresReasoningContentOnAssistantMessages: true, supportsStrictMode: true },
];

describe.each([
	...anthropic.map((compat) => ["anthropic-messages", compat, encodeAnthropic] as const),
	...completions.map((compat) => ["openai-completions", compat, encodeCompletions] as const),
])("%s with %j", (api, compat, encode) => {
	const models = [
		modelAt("", api, { compat, reasoning: true }),
		modelAt("", api, { compat, input: ["text"] }),
	];

	test("every request starts with the previous one", () => {
		fc.assert(
			fc.property(turns, fc.constantFrom(...models), (grown, model) => {
				const sent = requests(encode, model, grown);
				for (const [at, { pieces }] of sent.slice(1).entries()) {
					const before = sent[at]?.pieces ?? [];
					expect(pieces.slice(0, before.length)).toEqual(before);
				}
			}),
			{ numRuns: samples(200) },
		);
	});
});

/** How far back from a mark Anthropic searches for a cached entry. */
const lookback = 20;

test.each([
	["anthropic-messages", encodeAnthropic],
	["openai-completions", encodeCompletions],
] as const)(
	"%s: the cache entry of a request is in reach of the next, for any number of calls",
	(api, encode) => {
		const model = modelAt("", api, { compat: { cacheControlFormat: "anthropic" } });
		fc.assert(
			fc.property(turns, (grown) => {
				const sent = requests(encode, model, grown);
				for (const [at, { marks }] of sent.slice(1).entries()) {
					expect(marks.length).toBeLessThanOrEqual(4);
					const left = sent[at]?.marks ?? [];
					const inReach = marks.some((mark) =>
						left.some((old) => old <= mark && mark - old < lookback && old >= 3),
					);
					expect(inReach).toBe(true);
				}
			}),
			{ numRuns: samples(200) },
		);
	},
);

/** Parts of the body that was written for the last request are reused for the next one. */
test.each(wireApis)(
	"%s: a request that continues another is the same as one that is sent alone",
	async (api) => {
		const codec = await codecFor(api);
		if (!codec) throw new Error(`no protocol ${api}`);
		fc.assert(
			fc.property(turns, fc.constantFrom(...anthropic, ...completions), (grown, compat) => {
				const model = modelAt("https://played.test", api, { compat });
				const start = [[user("hello")], ...grown];
				for (const at of start.keys()) {
					const messages = start.slice(0, at + 1).flat();
					const context: Context = { systemPrompt: "Be brief.", tools, messages };
					const alone = codec.encode(structuredClone(model), structuredClone(context), {});
					expect(writeBody(codec.encode(model, context, {}))).toBe(writeJson(alone));
				}
				// A caller may replace the content of a message.
				const messages = start.flat();
				for (const message of messages.slice(1)) {
					if (message.role === "user") message.content = "something else";
					else message.content = [];
				}
				const context: Context = { tools, messages };
				const alone = codec.encode(structuredClone(model), structuredClone(context), {});
				expect(writeBody(codec.encode(model, context, {}))).toBe(writeJson(alone));
			}),
			{ numRuns: 60 },
		);
	},
);
