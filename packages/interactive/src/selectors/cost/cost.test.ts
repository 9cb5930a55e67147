/** The usage and cost of a session are shown by model and by turn. */
import { expect, test } from "bun:test";

import type { Usage } from "@tau/ai";

import { frame, testScreen } from "../../testing/frames.ts";
import { report } from "../kit/report.ts";
import { limits } from "../limits.ts";
import type { CostData } from "@tau/session-commands/rows";
import { drawCost } from "./draw-cost.ts";

function usage(input: number, output: number, total: number): Usage {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
	return { input, output, cacheRead: input * 9, cacheWrite: 0, totalTokens: input * 10 + output, cost };
}

const facts: CostData = {
	totals: usage(1500, 300, 1.25),
	byModel: [
		{ provider: "fast", model: "swift", answers: 2, usage: usage(500, 100, 0.25) },
		{ provider: "deep", model: "thinker", answers: 1, usage: usage(1000, 200, 1) },
	],
	byTurn: [
		{
			provider: "fast",
			model: "swift",
			stopReason: "stop",
			timestamp: new Date(2026, 0, 1, 9, 5).getTime(),
			usage: usage(250, 50, 0.125),
		},
		{
			provider: "deep",
			model: "thinker",
			stopReason: "error",
			timestamp: new Date(2026, 0, 1, 9, 6).getTime(),
			usage: usage(1000, 200, 1),
		},
	],
};

function block(from: CostData) {
	return report(testScreen().theme, (width, theme) => drawCost(from, width, theme));
}

test("the most expensive model comes first, then the turns in order", () => {
	expect(frame(block(facts), 80)).toMatchInlineSnapshot(`
	  "

	   $1.25 for 15.3k tokens
	   model                     cost       in      out   cached  written
	   deep/thinker ×1          $1.00       1k      200       9k        0
	   fast/swift ×2           $0.250      500      100     4.5k        0

	   turns                     cost       in      out   cached  written
	   09:05 swift             $0.125      250       50     2.3k        0
	   09:06 thinker failed     $1.00       1k      200       9k        0
	  "
	`);
	expect(frame(block(facts), 40)).toMatchInlineSnapshot(`
	  "

	   $1.25 for 15.3k tokens
	   model                    cost       in
	   deep/thinker ×1         $1.00       1k
	   fast/swift ×2          $0.250      500

	   turns                    cost       in
	   09:05 swift            $0.125      250
	   09:06 thinker fail…     $1.00       1k
	  "
	`);
});

test("the last of many turns are shown, and the rest is counted", () => {
	const [turn] = facts.byTurn;
	const byTurn = Array.from({ length: limits.costTurns + 3 }, () => turn).flatMap((each) => each ?? []);
	const shown = frame(block({ ...facts, byTurn }), 80);
	expect(shown).toContain("… 3 earlier turns");
	expect(shown.match(/09:05/g)?.length).toBe(limits.costTurns);
});

test("before the first request it says so", () => {
	expect(frame(block({ ...facts, byModel: [], byTurn: [] }), 60)).toContain("No requests yet");
});
