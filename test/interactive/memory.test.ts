/** What is remembered is on the screen: shown, explained, edited and deleted; AGENTS.md gets a line only after a yes. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const quotes = ["We use pnpm here, never npm", "releases are cut from the branch stable"];
const texts = [
	"Dependencies are installed with pnpm, never with npm.",
	"Releases are cut from the branch stable, and never from main.",
];
const facts = {
	facts: texts.map((text, at) => ({
		kind: "constraint",
		subject: "",
		text,
		n: 0,
		quote: quotes[at],
		scope: "project",
	})),
	synopsis: "",
};

const steps: Step[] = [
	{ when: { bodyContains: "Extract the durable facts" }, answer: JSON.stringify(facts), times: "always" },
	{ when: { bodyContains: "Consolidate these facts" }, answer: "{}", times: "always" },
	{ answer: "All right.", times: "always" },
];

const settings = "memories:\n  enabled: true\n  minRolloutIdleHours: 0\n";

test("/memory shows, explains, deletes, undoes and edits what the background found", async () => {
	await using home = await launch({ steps });
	await home.run(["-p", `${quotes.join(", and ")}.`]);
	await using tau = await openTau({ steps }, { home, settings });
	await tau.until("/memory undo takes it back");
	tau.type("/memory\r");
	await tau.until(/A new session gets this[^]*Memory Guidance[^]*\[1\] Dependencies are installed/);
	tau.type("/memory why 2\r");
	await tau.until(`“${quotes[1]}”`);
	tau.type("/memory delete 2\r");
	await tau.until(/No\s+rebuild\s+brings it back; undo does\./);
	tau.type("/memory undo\r");
	await tau.until("Undone: deleted: Releases are cut");
	tau.type("/memory list stable\r");
	await tau.until(/\[2\] Releases are cut from the branch stable[^]*\(constraint,\s+\d{4}-\d\d-\d\d/);
	tau.type("/memory private\r");
	await tau.until("This session is private");
	tau.type("/memory clear\r");
	await tau.until("Forget everything about this project?");
	tau.press("escape");
	await tau.until("Nothing was cleared.");
	tau.type("/memory nonsense\r");
	await tau.until('Unknown action "nonsense"');
});

test("with memories.confirm nothing is remembered before a yes", async () => {
	await using home = await launch({ steps });
	await home.run(["-p", `${quotes.join(", and ")}.`]);
	await using tau = await openTau({ steps }, { home, settings: `${settings}  confirm: true\n` });
	await tau.until("/memory review asks you.");
	tau.type("/memory review\r");
	await tau.until("Remember this?");
	tau.press("enter");
	await tau.until("Done.");
	tau.type("/memory list\r");
	await tau.until("[2] Releases are cut");
});

test("/remember proposes a line for AGENTS.md as a diff, and writes it after a yes", async () => {
	await using tau = await openTau({ steps: [] });
	const path = join(tau.home.project, "AGENTS.md");
	writeFileSync(path, "# Rules\n\n- Use tabs.");
	await tau.until("played-1");
	tau.type("/remember Run the linter before you commit.\r");
	await tau.until(/\+- Run the linter before you commit\.[^]*Add this line to/);
	expect(readFileSync(path, "utf8")).toBe("# Rules\n\n- Use tabs.");
	tau.press("escape");
	await tau.until("Nothing was written.");
	tau.type("/remember Run the linter first.\r");
	await tau.until(/\+- Run the linter first\.[^]*Add this line to/);
	tau.press("enter");
	await tau.until("Added to ");
	expect(readFileSync(path, "utf8")).toBe("# Rules\n\n- Use tabs.\n- Run the linter first.\n");
	tau.type("/remember For all projects.\r");
	await tau.until(/\+- For all projects\.[^]*Add this line to/);
	tau.press("down", "down", "enter");
	await tau.until("Add this line to ~/.tau/agent/AGENTS.md?");
	tau.press("enter");
	await tau.until("Added to ~/.tau/agent/AGENTS.md");
	expect(existsSync(join(tau.home.agentDir, "AGENTS.md"))).toBe(true);
});
