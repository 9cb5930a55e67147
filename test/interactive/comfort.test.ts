/** What makes daily work easier: a stashed draft, a footer by command, screen readers, colors for the color-blind. */
import { expect, test } from "bun:test";

import { openTau } from "./driver.ts";

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

test("Ctrl+S stashes a draft and restores it, also after another prompt", async () => {
	await using tau = await openTau({ steps: ["Quick answer."] });
	await tau.until("played-1");
	tau.type("a long thought");
	await tau.until("a long thought");
	tau.type("\x13");
	await tau.until("draft stashed");
	await tau.untilGone("a long thought");
	tau.type("quick question\r");
	await tau.until("Quick answer.");
	tau.type("\x13");
	await tau.until("a long thought");
	await tau.until("draft restored");
});

test("footer.command shows its first line, computed from the state that it reads", async () => {
	const command = `grep -o '"id":"played-1"'; echo second`;
	const settings = `footer:\n  command: ${JSON.stringify(command)}\n`;
	await using tau = await openTau({ steps: [] }, { settings, cols: 120 });
	await tau.until('"id":"played-1"');
	expect(tau.screen()).not.toContain("second");
});

test("a screen reader gets no lines, no spinner and no counter, and a cursor to follow", async () => {
	const steps = [call("bash", { command: "sleep 1.2" }), "Done."];
	await using tau = await openTau({ steps }, { args: ["--screen-reader"] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Done.");
	expect(tau.bytes).not.toMatch(/[\u2500-\u259F]/);
	expect(tau.bytes).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
	// The cursor is never hidden.
	expect(tau.bytes).not.toContain("\x1b[?25l");
});

test("additions are blue and removals orange for the color-blind", async () => {
	const edits = [{ oldText: "before", newText: "after" }];
	const steps = [
		call("write", { path: "a.txt", content: "before\n" }),
		call("edit", { path: "a.txt", edits }),
		"Done.",
	];
	const settings = "ui:\n  colorBlind: true\n";
	await using tau = await openTau({ steps }, { settings, env: { COLORTERM: "truecolor" } });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Done.");
	// #7fb2ff and #ffb454
	expect(tau.bytes).toContain("38;2;127;178;255");
	expect(tau.bytes).toContain("38;2;255;180;84");
});
