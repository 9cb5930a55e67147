/** The todo list stays complete, whatever happens to the conversation around it. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const ops = [
	{ op: "init", list: [{ phase: "Build", items: ["dig", "pour", "wall", "roof"] }] },
	{ op: "done", task: "dig" },
	{ op: "done", task: "pour" },
];
const view: Step = {
	answer: { blocks: [{ toolCall: { name: "todo", arguments: { ops: [{ op: "view" }] } } }] },
};

test("/reload, a compaction and a resume keep closed and open tasks", async () => {
	await using home = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "todo", arguments: { ops } } }] } },
			"Planned.",
			"A summary.",
			view,
			"Seen.",
			view,
			"Seen again.",
		],
	});
	const settings = "compaction:\n  keepRecentTokens: 1\nsessionTitle: false\n";
	{
		await using tau = await openTau({ steps: [] }, { home, settings });
		await tau.until("played-1");
		tau.type("plan it\r");
		await tau.until("Planned.");
		await tau.until("2/4");
		tau.type("/reload\r");
		await tau.until("Reloaded settings");
		await tau.until("2/4");
		tau.type("/compact\r");
		await home.played.waitForEnd(3);
		await tau.until(/ompacted/);
		await tau.until("2/4");
		tau.type("what is left?\r");
		await tau.until("Seen.");
		const { rawBody } = await home.played.waitForRequest(5);
		expect(rawBody).toMatch(/dig[\s\S]*pour[\s\S]*wall[\s\S]*roof/);
		expect(rawBody).not.toContain("Todo list is empty");
	}
	await using tau = await openTau({ steps: [] }, { home, args: ["-c"] });
	await tau.until("2/4");
	tau.type("and now?\r");
	await tau.until("Seen again.");
	const { rawBody } = await home.played.waitForRequest(7);
	expect(rawBody).not.toContain("Todo list is empty");
});

test("/todo during a run prints the list once: its panel shrinks to one row until the list changes", async () => {
	const call = (name: string, args: Record<string, unknown>): Step => ({
		answer: { blocks: [{ toolCall: { name, arguments: args } }] },
	});
	const wait = call("bash", { command: "until [ -e go ]; do sleep 0.02; done; rm go" });
	await using tau = await openTau(
		{
			steps: [
				call("todo", { ops }),
				wait,
				call("todo", { ops: [{ op: "done", task: "wall" }] }),
				wait,
				"Done.",
			],
		},
		{ rows: 40 },
	);
	const shown = (task: string): number => tau.screen().split(task).length - 1;
	await tau.until("played-1");
	tau.type("build\r");
	await tau.until("▸ wall");
	expect(shown("☐ roof")).toBe(1);
	for (const times of [1, 2]) {
		tau.type("/todo\r");
		await tau.untilDrawn(() => shown("4 ☐ roof") === times, "printed the list");
		// In the panel there is only the next task.
		await tau.until("☐ 2/4 wall");
		expect(shown("☐ roof")).toBe(times);
	}
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("▸ roof");
	expect(tau.screen()).toContain("Build 3/4");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Done.");
});
