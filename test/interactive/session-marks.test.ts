/** What `/resume` shows of each session: pins, archives and outcomes. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const model = ["--model", "played/played-1"];

test("a pinned session comes first, and an archived one is only in its own tab", async () => {
	await using home = await launch({ steps: [], fallback: "Fine." });
	for (const prompt of ["oldest topic", "middle topic", "newest topic"])
		await home.run(["-p", prompt, ...model]);
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("/resume\r");
		await tau.until(/newest topic[^]*middle topic[^]*oldest topic/);
		tau.type("oldest");
		await tau.until(/❯[^\n]*oldest topic/);
		tau.type("\x1bp");
		await tau.until("★ oldest topic");
		tau.press("escape");
		await tau.until(/★ oldest topic[^]*newest topic/);
		tau.type("middle");
		await tau.until(/❯[^\n]*middle topic/);
		tau.type("\x1ba");
		await tau.until('No session matches "middle"');
		// The list changes at once, the file a moment later.
		const marks = join(home.agentDir, "session-marks.json");
		await tau.untilFiles(() => existsSync(marks) && /"archived":\["/.test(readFileSync(marks, "utf8")));
	}
	await using next = await openTau({ steps: [] }, { home });
	await next.until("played-1");
	next.type("/resume\r");
	await next.until(/★ oldest topic[^]*newest topic/);
	expect(next.screen()).not.toContain("middle topic");
	next.press("shiftTab");
	await next.until("middle topic");
	expect(next.screen()).not.toContain("newest topic");
});

test("the list shows how each session ended: done, failed, interrupted, or waiting for an answer", async () => {
	const questions = [{ question: "Which color?", options: [{ label: "Red" }, { label: "Blue" }] }];
	const scenario: Scenario = {
		steps: [
			"Fine.",
			{ fault: { http: 401 } },
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "sleep 600" } } }] } },
			{ answer: { blocks: [{ toolCall: { name: "ask", arguments: { questions } } }] } },
		],
	};
	await using home = await launch(scenario);
	await home.run(["-p", "first topic", ...model]);
	await home.run(["-p", "second topic", ...model]);
	for (const [topic, shown] of [
		["third topic", "sleep 600"],
		// The words of the question are shown already while the call arrives.
		["fourth topic", /enter to select|ctrl\+x to answer/],
	] as const) {
		await using tau = await openTau(scenario, { home });
		await tau.until("played-1");
		tau.type(`${topic}\r`);
		await tau.until(shown);
		tau.kill("SIGKILL");
		await tau.exited;
	}
	await using tau = await openTau(scenario, { home });
	await tau.until("played-1");
	tau.type("/resume\r");
	await tau.until(/first topic .* done\b/);
	await tau.until(/second topic .* failed\b/);
	await tau.until(/third topic .* interrupted\b/);
	await tau.until(/fourth topic .* waiting\b/);
	tau.type("waiting");
	await tau.untilGone("first topic");
	expect(tau.screen()).toContain("fourth topic");
});
