/** A user looks into the context, drops items from it, and asks questions beside the conversation. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const printing = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});
const aside = { bodyContains: "a question beside the conversation" };
const consulted = { bodyContains: "asks you for a second opinion" };

describe("/context", () => {
	test("an item is inspected, dropped with a key, stays dropped after a resume, and comes back", async () => {
		const noise = printing("for i in $(seq 200); do echo NOISE-$i; done");
		await using home = await launch({ steps: [noise, "One.", "Two.", "Three.", "Four."] });
		const sent = (): boolean => home.played.requests.at(-1)?.rawBody.includes("NOISE-150") ?? false;
		{
			await using tau = await openTau({ steps: [] }, { home, rows: 40 });
			await tau.until("played-1");
			tau.type("make noise\r");
			await tau.until("One.");
			expect(sent()).toBe(true);
			tau.type("/context\r");
			await tau.until("── Context:");
			tau.type("seq");
			await tau.until(/bash for i in/);
			tau.press("down");
			await tau.until(/❯ +bash for i in[^]*ctrl\+d drop/);
			tau.press("enter");
			await tau.until(/── Tool results: bash for i in[^]*NOISE-3\b/);
			tau.press("escape");
			await tau.until("ctrl+d drop");
			tau.type("\x04");
			await tau.until(/✗ bash for i in/);
			tau.press("escape");
			tau.press("escape");
			await tau.untilGone("── Context:");
			tau.type("two\r");
			await tau.until("Two.");
			expect(sent()).toBe(false);
		}
		await using tau = await openTau({ steps: [] }, { home, rows: 40, args: ["-c"] });
		await tau.until("Two.");
		tau.type("three\r");
		await tau.until("Three.");
		expect(sent()).toBe(false);
		expect(home.played.requests.at(-1)?.rawBody).toContain("The user removed this result from the context");
		tau.type("/context\r");
		await tau.until("── Context:");
		tau.type("seq");
		await tau.until(/✗ bash for i in/);
		tau.press("down", "down", "down");
		await tau.until(/❯ +✗ bash for i in/);
		tau.type("\x04");
		await tau.until("Back in the context.");
		tau.press("escape");
		tau.press("escape");
		await tau.untilGone("── Context:");
		tau.type("four\r");
		await tau.until("Four.");
		expect(sent()).toBe(true);
	});
});

describe("/btw", () => {
	test("is answered while a tool runs, can be dismissed, and leaves no trace", async () => {
		await using home = await launch({
			steps: [
				{ when: aside, answer: "It is a **side** answer." },
				printing("until [ -e go ]; do sleep 0.01; done"),
				"The work is done.",
				"Next.",
			],
		});
		await using tau = await openTau({ steps: [] }, { home, rows: 40 });
		await tau.until("played-1");
		tau.type("work\r");
		await tau.until(/until \[ -e go/);
		tau.type("/btw what is this?\r");
		await tau.until(/── By the way ─[^]*what is this\?[^]*It is a side answer\.[^]*esc close/);
		tau.press("escape");
		await tau.untilGone("By the way");
		writeFileSync(join(home.project, "go"), "");
		await tau.until("The work is done.");
		tau.type("next\r");
		await tau.until("Next.");
		expect(home.played.requests.at(-1)?.rawBody).not.toContain("side answer");
		expect(tau.scrollback()).not.toContain("side answer");
		tau.type("/export out.json\r");
		await tau.until("out.json.");
		expect(existsSync(join(home.project, "out.json"))).toBe(true);
		expect(readFileSync(join(home.project, "out.json"), "utf8")).not.toContain("side answer");
	});

	test("is cancelled with Escape", async () => {
		await using tau = await openTau({ steps: [{ when: aside, fault: { silent: true } }, "Fine."] });
		await tau.until("played-1");
		tau.type("/btw are you there?\r");
		await tau.until(/Waiting for the answer…[^]*esc cancel/);
		tau.press("escape");
		await tau.untilGone("By the way");
		tau.type("hello\r");
		await tau.until("Fine.");
	});
});

test("/ask: another model's answer comes into the conversation with its name", async () => {
	await using home = await launch({
		steps: [{ when: consulted, answer: "Use a queue." }, "Hello.", "A queue it is."],
	});
	appendFileSync(join(home.agentDir, "models.yml"), "      - id: played-2\n        name: The other one\n");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("Hello.");
	tau.type("/ask played-2 what would you use?\r");
	await tau.until(/played\/played-2 answered[^]*Use a queue\./);
	expect(home.played.requests.at(-1)?.rawBody).toContain('"model":"played-2"');
	tau.type("do that\r");
	await tau.until("A queue it is.");
	expect(home.played.requests.at(-1)?.rawBody).toContain("Use a queue.");
});
