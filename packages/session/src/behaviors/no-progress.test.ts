/** A run does not loop forever: the model is reminded once, then the run ends. */
import { describe, expect, test } from "bun:test";

import { playModel, type Step } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import { noProgress } from "./no-progress.ts";

type Result = (args: { n?: number }, calls: number) => { text: string; isError?: boolean };

/** A model that makes these calls, each in its own turn, and then stops. */
async function play(calls: readonly number[], result: Result, { isEnabled = true, callMs = 0 } = {}) {
	let made = 0;
	let clock = 0;
	const steps: Step[] = calls.map((n) => ({
		answer: { blocks: [{ toolCall: { name: "look", arguments: { n } } }] },
	}));
	await using played = await playModel({ steps: [...steps, "Done."] });
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [
			noProgress(
				() => isEnabled,
				() => clock,
			),
		],
		tools: [
			{
				name: "look",
				label: "Look",
				description: "Looks.",
				parameters: { type: "object" },
				concurrency: "shared",
				approval: "read",
				validate: (value) => ({ ok: true, value }),
				execute: async (_id, args) => {
					// Its start is noticed before the time passes.
					await new Promise(setImmediate);
					clock += callMs;
					const { text, isError = false } = result(args as { n?: number }, made++);
					return { content: [{ type: "text", text }], isError };
				},
			},
		],
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => void events.push(event));
	await session.prompt({ text: "go" });
	return {
		over: events.filter((event) => event.type === "budget_exhausted"),
		requests: played.requests.length,
		reminders: session.state.messages.filter(
			(message) => message.role === "custom" && message.customType === "no-progress",
		).length,
		last: session.state.messages.at(-1),
		queues: events.filter((event) => event.type === "queue_update"),
		/** How many requests had the reminder. */
		reported: played.requests.filter(({ rawBody }) => rawBody.includes("the results were the same each time"))
			.length,
	};
}

const times = (count: number, ...cycle: number[]): number[] =>
	Array.from({ length: count }, () => cycle).flat();

test("a call that keeps succeeding in the same way is stopped, after one reminder", async () => {
	const run = await play(times(50, 1), () => ({ text: "nothing new" }));
	expect(run.over).toMatchObject([{ limit: "loop", message: expect.stringContaining("8 times in a row") }]);
	expect(run).toMatchObject({ requests: limits.cyclesToStop, reminders: 1 });
	expect(run.reported).toBe(limits.cyclesToStop - limits.cyclesToRemind);
});

test("the reminder is not shown as a message that the user queued", async () => {
	const run = await play(times(50, 1), () => ({ text: "nothing new" }));
	expect(run.queues).not.toContainEqual(expect.objectContaining({ steering: [""] }));
});

test.each([2, 3, 4])("a cycle of %d turns is detected too, below 50 requests", async (length) => {
	const cycle = Array.from({ length }, (_, n) => n);
	const run = await play(times(50, ...cycle), ({ n }) => ({ text: `page ${n}` }));
	expect(run.over).toMatchObject([{ limit: "loop" }]);
	expect(run.requests).toBe(limits.cyclesToStop * length);
	expect(run.reminders).toBe(1);
});

test("a call that keeps failing is stopped earlier, whatever the reasons", async () => {
	const run = await play(times(50, 1), (_args, calls) => ({ text: `error ${calls}`, isError: true }));
	expect(run.requests).toBe(limits.identicalFailures);
	expect(run.over).toMatchObject([{ limit: "loop", message: expect.stringContaining("failed 5 times") }]);
});

test.each([1, 2, 4])("polling in a cycle of %d turns is stopped too, below 50 requests", async (length) => {
	const cycle = Array.from({ length }, (_, n) => n);
	const run = await play(times(60, ...cycle), () => ({ text: "pending" }), { callMs: limits.pollMs });
	expect(run.over).toMatchObject([{ limit: "loop" }]);
	expect(run.requests).toBeLessThan(50);
	expect(run.requests).toBeGreaterThanOrEqual(40);
});

describe("it does not stop", () => {
	test("polling whose results differ", async () => {
		const run = await play(times(40, 1), (_args, calls) => ({ text: `${calls} % done` }));
		expect(run).toMatchObject({ over: [], requests: 41, reminders: 0 });
	});

	test("a model that waits in each call for something that takes its time", async () => {
		const callMs = limits.pollMs;
		const run = await play(times(30, 1), () => ({ text: "pending" }), { callMs });
		expect(run).toMatchObject({ over: [], requests: 31, reminders: 1 });
		const failing = await play(times(20, 1), () => ({ text: "refused", isError: true }), { callMs });
		expect(failing).toMatchObject({ over: [], requests: 21 });
	});

	test("different calls with the same result", async () => {
		const many = Array.from({ length: 40 }, (_, n) => n);
		const run = await play(many, () => ({ text: "No matches." }));
		expect(run).toMatchObject({ over: [], requests: 41, reminders: 0 });
	});

	test("a model that changes course after the reminder", async () => {
		const calls = [...times(limits.cyclesToRemind, 1), 2, ...times(3, 1)];
		const run = await play(calls, () => ({ text: "same" }));
		expect(run).toMatchObject({ over: [], reminders: 1, last: { stopReason: "stop" } });
	});

	test("anything while it is disabled", async () => {
		const run = await play(times(40, 1), () => ({ text: "same" }), { isEnabled: false });
		expect(run).toMatchObject({ over: [], requests: 41, reminders: 0 });
	});
});
