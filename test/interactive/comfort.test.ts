/** What makes daily work easier: a stashed draft, a footer by command, screen readers, colors for the color-blind. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
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

test("a stashed draft survives a crash, and its pastes come back in their places", async () => {
	const home = await launch({ steps: [] });
	await using _home = home;
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("before ");
		tau.type(`\x1b[200~${"pasted line\n".repeat(40)}\x1b[201~`);
		tau.type(" behind");
		await tau.until(/before \[paste #1[^\]]*\] behind/);
		tau.type("\x13");
		await tau.untilGone("behind");
		tau.type("\x13");
		await tau.until(/before \[paste #1[^\]]*\] behind/);
		tau.type("\x13");
		await tau.untilGone("behind");
		tau.kill("SIGKILL");
		await tau.exited;
	}
	await using next = await openTau({ steps: [] }, { home });
	await next.until("behind");
});

const footer = (command: string): string => `footer:\n  command: ${JSON.stringify(command)}\n`;

test("footer.command gets no keys of providers, and its control sequences are not drawn", async () => {
	const shown = 'key:"$ANTHROPIC_API_KEY"none';
	const command = String.raw`printf '\033]0;evil\007\033[2J%s\n' ${shown}`;
	const env = { ANTHROPIC_API_KEY: "sk-ant-secret" };
	await using tau = await openTau({ steps: [] }, { settings: footer(command), cols: 120, env });
	await tau.until("key:none");
	expect(tau.bytes).not.toContain("evil");
	expect(tau.bytes).not.toContain("\x1b[2Jkey");
});

test("a footer.command that prints forever is ended with everything that it started", async () => {
	const command = "(echo $BASHPID > pid; exec yes) | cat";
	const settings = footer(`exec bash -c '${command}'`);
	await using tau = await openTau({ steps: [] }, { settings, cols: 120 });
	await tau.until(/· y\b/);
	const pid = Number(readFileSync(join(tau.home.project, "pid"), "utf8"));
	expect(pid).toBeGreaterThan(0);
	// Its number may be that of another program by then, or stay until somebody takes note of its end.
	await tau.untilFiles(() => !isRunning(pid, "yes"));
});

function isRunning(pid: number, program: string): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(program);
	} catch {
		return false;
	}
}

test("a project cannot set footer.command", async () => {
	const home = await launch({ steps: [] });
	await using _home = home;
	mkdirSync(join(home.project, ".tau"));
	writeFileSync(join(home.project, ".tau/config.yml"), footer("touch ran"));
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
	await tau.until("because it runs a command");
	tau.type("/status\r");
	await tau.until("directory");
	expect(existsSync(join(home.project, "ran"))).toBe(false);
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

test("up brings a large paste back as its marker, is sent in full again, and also after a restart", async () => {
	const pasted = Array.from({ length: 40 }, (_, at) => `pasted line ${at + 1}`).join("\n");
	const home = await launch({ steps: ["One.", "Two.", "Three."] });
	await using _home = home;
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("look: ");
		tau.type(`\x1b[200~${pasted}\n\x1b[201~`);
		await tau.until("look: [paste #1 +40 lines]");
		tau.press("enter");
		await tau.until("One.");
		tau.press("up");
		await tau.until("look: [paste #1 +40 lines]");
		tau.type("\x1b[200~second\n".concat("x\n".repeat(30), "\x1b[201~"));
		await tau.until("[paste #1 +40 lines][paste #2 +31 lines]");
		tau.press("enter");
		await tau.until("Two.");
	}
	expect(home.played.requests[1]?.rawBody).toContain(JSON.stringify(`look: ${pasted}second\nx`).slice(1, -1));
	await using tau = await openTau({ steps: [] }, { home, args: ["-c"] });
	await tau.until("Two.");
	tau.press("up");
	await tau.until("look: [paste #1 +40 lines][paste #2 +31 lines]");
	tau.press("up");
	await tau.untilGone("[paste #2");
	await tau.until("look: [paste #1 +40 lines]");
	tau.press("enter");
	await tau.until("Three.");
	expect(home.played.requests[2]?.rawBody.split("pasted line 40").length).toBe(4);
	// The search finds it as well.
	tau.type("\x12");
	await tau.until("Earlier prompts");
	tau.press("enter");
	await tau.untilGone("Earlier prompts");
	await tau.until("look: [paste #1 +40 lines]");
});

test("a queued message with a large paste comes back with its marker, beside what was written since", async () => {
	const pasted = Array.from({ length: 40 }, (_, at) => `pasted line ${at + 1}`).join("\n");
	await using tau = await openTau({ steps: [{ fault: { silent: true } }, "Read."] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("waiting for the model");
	tau.type("look: ");
	tau.type(`\x1b[200~${pasted}\x1b[201~`);
	await tau.until("look: [paste #1 +40 lines]");
	tau.press("enter");
	await tau.until("Enter steers");
	tau.type("and ");
	tau.type(`\x1b[200~${pasted.replaceAll("pasted", "other")}\x1b[201~`);
	await tau.until("and [paste #1 +40 lines]");
	tau.press("escape");
	await tau.until("look: [paste #1 +40 lines]");
	await tau.until("and [paste #2 +40 lines]");
	tau.press("enter");
	await tau.until("Read.");
	expect(tau.home.played.requests.at(-1)?.rawBody).toMatch(/look: pasted line 1\\n.*and other line 1\\n/);
});
