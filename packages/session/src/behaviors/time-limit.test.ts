/** A run ends when its time is up, whatever it is doing. */
import { expect, test } from "bun:test";

import { playModel, type Step } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { autoRetry } from "./auto-retry.ts";
import { timeLimit } from "./time-limit.ts";

async function run(step: Step, budget: { maxSeconds?: number } = { maxSeconds: 0.05 }) {
	await using played = await playModel({ steps: [step, "Done."] });
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [timeLimit(budget), autoRetry({ maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 })],
		tools: [
			{
				name: "hang",
				label: "Hang",
				description: "Waits.",
				parameters: { type: "object" },
				concurrency: "shared",
				approval: "read",
				validate: (value) => ({ ok: true, value }),
				execute: (_id, _args, signal) => {
					const { promise, reject } = Promise.withResolvers<never>();
					signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
					return promise;
				},
			},
		],
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => void events.push(event));
	await session.prompt({ text: "go" });
	return { over: events.filter((event) => event.type === "budget_exhausted"), phase: session.phase };
}

test.each<[string, Step]>([
	["a silent server", { fault: { silent: true } }],
	["a tool that never ends", { answer: { blocks: [{ toolCall: { name: "hang", arguments: {} } }] } }],
	["the wait for a retry", { fault: { http: 529 } }],
])("%s does not keep a run alive", async (_what, step) => {
	const { over, phase } = await run(step);
	expect(over).toMatchObject([{ limit: "time", message: "The time limit of 0.05 s is used up." }]);
	expect(phase).toBe("idle");
});

test("a run within its time limit, or without one, is not interrupted", async () => {
	expect((await run({ answer: { blocks: [{ text: "hi" }] } }, { maxSeconds: 600 })).over).toEqual([]);
	expect((await run({ answer: { blocks: [{ text: "hi" }] } }, {})).over).toEqual([]);
});
