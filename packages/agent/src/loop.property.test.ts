/** For any model, any tools and any moment of an abort, the events of a run are well formed and no call is lost. */
import { describe, expect, test } from "bun:test";

import { playModel, type Block, type Scenario } from "@tau/ai/testing";
import * as fc from "fast-check";

import { samples } from "../../../test/support/depth.ts";
import { collect, textOutcome, tool } from "./testing/collect.ts";
import { assertWellFormedRun } from "./testing/well-formed.ts";
import type { AgentEvent, AgentToolResult, ToolUpdate } from "./types.ts";

const nothingAtAll: unknown = null;

const behaviors: Record<string, (signal: AbortSignal, update: ToolUpdate) => Promise<AgentToolResult>> = {
	answers: async () => textOutcome("fine"),
	takesTime: async () => {
		await Bun.sleep(0);
		return textOutcome("at last");
	},
	talks: async (_signal, update) => {
		update(textOutcome("half"));
		await Bun.sleep(0);
		update(textOutcome("more"));
		return textOutcome("whole");
	},
	talksTooLate: async (_signal, update) => {
		setImmediate(() => update(textOutcome("too late")));
		return textOutcome("whole");
	},
	throws: async () => {
		throw new Error("broken");
	},
	throwsAnything: () => Promise.reject<AgentToolResult>(nothingAtAll),
	waitsForAbort: async (signal) => {
		if (signal.aborted) throw signal.reason;
		await new Promise((resolve) => {
			signal.addEventListener("abort", resolve);
			setTimeout(resolve, 5);
		});
		return textOutcome("waited");
	},
};

const tools = (["shared", "exclusive"] as const).map((concurrency) =>
	tool(concurrency, async (_id, { does }, signal, update) => behaviors[String(does)]!(signal, update), {
		concurrency,
		validate: (value) =>
			String(value.does) in behaviors ? { ok: true, value } : { ok: false, reason: "does: unknown" },
	}),
);

const callBlock: fc.Arbitrary<Block> = fc
	.record({
		name: fc.constantFrom("shared", "shared", "exclusive", "unknown"),
		arguments: fc.oneof(
			{ weight: 5, arbitrary: fc.constantFrom(...Object.keys(behaviors)).map((does) => ({ does })) },
			{ weight: 1, arbitrary: fc.constantFrom({ does: "nothing" }, '{"does":', "[]", "") },
		),
	})
	.map((toolCall) => ({ toolCall }));

const textBlock: fc.Arbitrary<Block> = fc.record({
	text: fc.string({ minLength: 1, maxLength: 20 }),
	chunks: fc.integer({ min: 1, max: 4 }),
});

const fault = fc.constantFrom<NonNullable<Exclude<Scenario["steps"][number], string>["fault"]>>(
	{ http: 500 },
	{ truncated: true },
	{ errorEvent: { type: "overloaded_error", message: "busy" }, afterChunks: 1 },
	{ tornAtByte: 700 },
	{ malformedLine: "data: {", afterChunks: 2 },
);

const step = fc
	.record({
		answer: fc.record(
			{
				blocks: fc.array(fc.oneof(textBlock, callBlock, callBlock), { minLength: 1, maxLength: 5 }),
				stopReason: fc.constantFrom("length" as const, "stop" as const, "toolUse" as const),
			},
			{ requiredKeys: ["blocks"] },
		),
		fault: fc.option(fault, { nil: undefined, freq: 8 }),
	})
	// A script must not have a field that is present and undefined.
	.map(({ answer, fault: struck }) => (struck === undefined ? { answer } : { answer, fault: struck }));

test("every run is well formed", async () => {
	await using model = await playModel({ steps: [] });
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { maxLength: 4 }),
			fc.option(fc.nat(60), { nil: Number.POSITIVE_INFINITY }),
			async (steps, abortAt) => {
				model.setScenario({ steps, fallback: "The end." });
				const abort = new AbortController();
				let seen = 0;
				const { events, messages } = await collect(
					{ url: model.anthropicUrl, tools, signal: abort.signal },
					() => {
						if (seen++ === abortAt) abort.abort();
					},
				);
				assertWellFormedRun(events);
				const last = messages.findLast((message) => message.role === "assistant");
				if (!abort.signal.aborted) expect(["stop", "length", "error"]).toContain(last?.stopReason ?? "none");
			},
		),
		{ numRuns: samples(150) },
	);
});

describe("the checker detects malformed runs", () => {
	const mutations: [what: string, mutate: (events: AgentEvent[]) => AgentEvent[]][] = [
		["a lost end", (events) => events.filter((event) => event.type !== "tool_execution_end")],
		["a lost result", (events) => events.filter((event) => !isResult(event))],
		[
			"a repeated result",
			(events) => events.flatMap((event) => (isResult(event) ? [event, event] : [event])),
		],
		["results out of order", (events) => swapped(events, isResult)],
		[
			"executions out of order",
			(events) => swapped(events, (event) => event.type === "tool_execution_start"),
		],
		["an end that is missing", (events) => events.slice(0, -1)],
		["something after the end", (events) => [...events, { type: "turn_start" }]],
		["a turn that follows nothing", (events) => events.toSpliced(-1, 0, { type: "turn_start" })],
		["an update after its tool", (events) => swapped(events, isUpdateOrEnd)],
	];
	test.each(mutations)("%s is detected", async (_what, mutate) => {
		const does = (name: string): Block => ({ toolCall: { name: "shared", arguments: { does: name } } });
		await using model = await playModel({
			steps: [{ answer: { blocks: [does("talks"), does("answers")] } }, "End."],
		});
		const { events } = await collect({ url: model.anthropicUrl, tools });
		assertWellFormedRun(events);
		expect(() => assertWellFormedRun(mutate(events))).toThrow("at event");
	});
});

function isResult(event: AgentEvent): boolean {
	return (
		(event.type === "message_start" || event.type === "message_end") && event.message.role === "toolResult"
	);
}

function isUpdateOrEnd(event: AgentEvent): boolean {
	return event.type === "tool_execution_update" || event.type === "tool_execution_end";
}

/** Reverses the matching events and leaves all others in their positions. */
function swapped(events: AgentEvent[], matches: (event: AgentEvent) => boolean): AgentEvent[] {
	const reversed = events.filter(matches).toReversed();
	return events.map((event) => (matches(event) ? (reversed.shift() ?? event) : event));
}
