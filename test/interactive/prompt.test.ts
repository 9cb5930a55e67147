/** A person talks to Tau at a terminal. */
import { expect, test } from "bun:test";

import { openTau } from "./driver.ts";

test("a prompt is answered, its tools are a line each, and leaving gives the terminal back", async () => {
	await using tau = await openTau({
		steps: [
			{
				answer: {
					blocks: [{ text: "Let me look." }, { toolCall: { name: "bash", arguments: { command: "echo from-the-tool" } } }],
				},
			},
			{ answer: "It says **hello** there." },
		],
	});
	await tau.until("played-1");
	tau.type("what does it say");
	tau.press("enter");
	await tau.until("It says hello there.");
	expect(tau.screen()).toContain("what does it say");
	expect(tau.screen()).toContain("✓ bash $ echo from-the-tool");
	expect(tau.screen()).not.toContain("\n   from-the-tool");
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
	expect(tau.scrollback()).toContain("It says hello there.");
	expect(tau.bytes()).toContain("\x1b[?2004l");
});
