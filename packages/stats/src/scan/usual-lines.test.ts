/** What is read from bytes is what a parser reads, or is left to it. */
import { expect, test } from "bun:test";

import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { UsualLines } from "./usual-lines.ts";

const lines = new UsualLines();

function read(entry: object) {
	const bytes = Buffer.from(`before\n${JSON.stringify(entry)}\nbehind`);
	return lines.read(bytes, 7, bytes.length - 7);
}

const name = fc.oneof(fc.constantFrom("anthropic", "claude-sonnet-4-5", "bash"), fc.string());
const dollars = fc.oneof(fc.double({ min: -2, max: 1000, noNaN: true }), fc.constant(0), fc.constant(1e-7));
const count = fc.nat({ max: 2 ** 31 - 1 });
const time = fc.integer({ min: 0, max: 4e12 });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
	fc.option(value, { nil: undefined });
const content = fc.array(
	fc.record({
		type: fc.constant("text"),
		text: fc.oneof(fc.string(), fc.constant('],"api":"x","isError":true')),
	}),
	{ maxLength: 3 },
);

const tokens = fc.record({
	input: count,
	output: count,
	cacheRead: count,
	cacheWrite: count,
	totalTokens: count,
});
const cost = fc.record({
	input: dollars,
	output: dollars,
	cacheRead: dollars,
	cacheWrite: dollars,
	total: dollars,
});
const answer = fc.record({
	role: fc.constant("assistant"),
	content,
	api: name,
	provider: name,
	model: name,
	usage: fc.tuple(tokens, cost).map(([counts, sums]) => ({ ...counts, cost: sums })),
	stopReason: fc.constantFrom("stop", "toolUse", "error"),
	errorMessage: optional(fc.string()),
	timestamp: time,
	responseId: optional(fc.string()),
	durationMs: optional(count),
	ttftMs: optional(count),
});
const result = fc.record({
	role: fc.constant("toolResult"),
	toolCallId: fc.string(),
	toolName: name,
	content,
	details: optional(fc.jsonValue()),
	usage: optional(tokens),
	isError: fc.boolean(),
	useless: optional(fc.boolean()),
	timestamp: time,
	durationMs: optional(count),
});
const entry = (message: object, parentId: string | null) => ({
	type: "message",
	id: "0193b0f0",
	parentId,
	timestamp: "2026-11-18T05:35:30.601Z",
	message,
});

test("an answer that is read from bytes has the figures of the parsed one", () => {
	let usual = 0;
	fc.assert(
		fc.property(answer, fc.option(fc.string()), (message, parent) => {
			const found = read(entry(message, parent));
			if (!found) return;
			usual++;
			const { usage, provider, model, timestamp, durationMs, ttftMs } = message;
			expect(message.stopReason).not.toBe("error");
			expect(found).toMatchObject({ kind: "answer", entry: "0193b0f0", provider, model, timestamp });
			expect(found.kind === "answer" && [found.durationMs, found.ttftMs]).toEqual([durationMs, ttftMs]);
			const { cost: sums, ...counts } = usage;
			expect(found).toHaveProperty("tokens", Object.values(counts));
			const costs = found.kind === "answer" ? found.cost : [];
			// The last of seventeen digits may differ, which is far less than a nano-dollar.
			for (const [at, value] of Object.values(sums).entries()) expect(costs[at]).toBeCloseTo(value, 11);
		}),
		{ numRuns: samples(2000) },
	);
	expect(usual).toBeGreaterThan(0);
});

test("a result that is read from bytes has what the parsed one has, and nothing that a tool paid is missed", () => {
	let usual = 0;
	fc.assert(
		fc.property(result, (message) => {
			const found = read(entry(message, null));
			if (!found) return;
			usual++;
			expect(message.usage).toBeUndefined();
			const { toolName: tool, isError, timestamp, durationMs } = message;
			expect(found).toEqual({ kind: "result", tool, isError, timestamp, durationMs });
		}),
		{ numRuns: samples(2000) },
	);
	expect(usual).toBeGreaterThan(0);
});

test("what is torn, cut or written in another order is left to the parser", () => {
	const counts = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10 };
	const usage = {
		...counts,
		cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 1e-7, total: 0.3000001 },
	};
	const sent = {
		api: "a",
		provider: "b",
		model: "c",
		usage,
		stopReason: "stop",
		timestamp: 5,
		durationMs: 6,
	};
	const usual = entry({ role: "assistant", content: [], ...sent }, null);
	const text = JSON.stringify(usual);
	const bytes = Buffer.from(text);
	expect(lines.read(bytes, 0, bytes.length)).toBeDefined();
	for (let end = 0; end < bytes.length; end++) expect(lines.read(bytes, 0, end)).toBeUndefined();
	const { message, ...others } = usual;
	expect(read({ message, ...others })).toBeUndefined();
	expect(read(entry({ role: "user", content: "hello", timestamp: 1 }, null))).toBeUndefined();
});
