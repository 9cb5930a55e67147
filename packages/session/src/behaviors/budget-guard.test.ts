/** A run does not exceed its budget. */
import { expect, test } from "bun:test";

import { playModel, type Step } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { budgetGuard, type Budget } from "./budget-guard.ts";

/** Called forever. */
const busyWork: Step = {
	answer: {
		blocks: [{ toolCall: { name: "nothing", arguments: { a: 1 } } }],
		usage: { input: 900, output: 100 },
	},
	times: "always",
};

/** A model that calls the same tool forever. */
async function spend(budget: Budget) {
	let calls = 0;
	await using played = await playModel({ steps: [busyWork] });
	const cost = { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 };
	using session = testSession(testModel({ baseUrl: played.anthropicUrl, cost }), {
		behaviors: [budgetGuard(budget)],
		tools: [
			{
				name: "nothing",
				label: "Nothing",
				description: "Does nothing.",
				parameters: { type: "object" },
				concurrency: "shared",
				approval: "read",
				validate: (value) => ({ ok: true, value }),
				execute: async () => ({ content: [{ type: "text", text: String(calls++) }], isError: false }),
			},
		],
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => void events.push(event));
	await session.prompt({ text: "go" });
	const over = events.filter((event) => event.type === "budget_exhausted");
	return {
		over,
		turns: events.filter((event) => event.type === "turn_end").length,
		last: events.at(-1)?.type,
	};
}

test.each([
	["turns", { maxTurns: 3 }, 3],
	["tokens", { maxTokens: 2500 }, 3],
	["cost", { maxCost: 1.5 }, 2],
] as const)("a budget of %s ends the run, with the reason", async (limit, budget, turns) => {
	const spent = await spend(budget);
	expect(spent).toMatchObject({ turns, last: "agent_end" });
	expect(spent.over).toMatchObject([{ limit, message: expect.stringContaining("budget") }]);
});
