/** A user talks to Tau in a terminal. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "./driver.ts";

/** A command that runs until the test releases it. */
const waits = { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done; echo let-go" } };

test("a prompt is answered, its tools are a line each, and leaving restores the terminal", async () => {
	await using tau = await openTau({
		steps: [
			{
				answer: {
					blocks: [
						{ text: "Let me look." },
						{ toolCall: { name: "bash", arguments: { command: "echo from-the-tool" } } },
					],
				},
			},
			{ answer: "It says **hello** there." },
		],
	});
	await tau.until("played-1");
	expect(tau.screen()).toContain("τ tau");
	tau.type("what does it say");
	tau.press("enter");
	await tau.until("It says hello there.");
	expect(tau.screen()).toContain("what does it say");
	expect(tau.screen()).toContain("✓ bash $ echo from-the-tool");
	expect(tau.screen()).not.toContain("\n   from-the-tool");
	// One row is left of the welcome.
	expect(tau.screen()).toContain("τ tau");
	expect(tau.screen()).not.toContain("without asking");
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
	expect(tau.scrollback()).toContain("It says hello there.");
	// The cursor is visible again, pastes are plain, and the shell's prompt is on its own line.
	expect(tau.bytes).toContain("\x1b[?2004l");
	expect(tau.bytes.lastIndexOf("\x1b[?25h")).toBeGreaterThan(tau.bytes.lastIndexOf("\x1b[?25l"));
});

test("a prompt on the command line is sent as soon as the screen is ready", async () => {
	await using tau = await openTau({ steps: ["An answer to that."] }, { args: ["tell me"] });
	await tau.until("An answer to that.");
	expect(tau.screen()).toContain("tell me");
});

test("bare words on the command line are one prompt", async () => {
	await using tau = await openTau({ steps: ["Fixed."] }, { args: ["fix", "the", "tests"] });
	await tau.until("Fixed.");
	expect(tau.screen()).toContain("fix the tests");
	expect(tau.home.played.requests).toHaveLength(1);
});

test("text that is typed before the model is ready is not lost", async () => {
	await using tau = await openTau({ steps: ["Heard you."] });
	tau.type("early words");
	await tau.until("early words");
	await tau.until("played-1");
	tau.press("enter");
	await tau.until("Heard you.");
});

test("a prompt that is typed and entered before anything is drawn is sent; lines that are pasted then stay text", async () => {
	await using tau = await openTau({ steps: ["Answered."] });
	tau.type("hello\r");
	await tau.until("Answered.");
	await using other = await openTau({ steps: [] });
	other.type("one\rtwo\rthree");
	await other.until(/^ one\n two\n three/m);
	await other.until("played-1");
	expect(other.home.played.requests).toEqual([]);
});

test("Enter steers a running answer, Alt+Enter waits for its end, and both are shown as queued", async () => {
	await using tau = await openTau({
		steps: [{ answer: { blocks: [{ toolCall: waits }] } }, "Steered.", "Followed."],
	});
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("running bash");
	tau.type("turn left\r");
	await tau.until(/Steering:\s+turn left/);
	tau.type("and then home");
	tau.press("altEnter");
	await tau.until(/Follow-up:\s+and then home/);
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Followed.");
	const shown = tau.screen();
	expect(shown.indexOf("turn left")).toBeLessThan(shown.indexOf("Steered."));
	expect(shown.indexOf("Steered.")).toBeLessThan(shown.indexOf("and then home"));
	expect(shown.indexOf("and then home")).toBeLessThan(shown.indexOf("Followed."));
	expect(shown).not.toMatch(/Steering:\s+turn left/);
});

test("Alt+Up moves a queued message back into the editor", async () => {
	await using tau = await openTau({ steps: [{ answer: { blocks: [{ toolCall: waits }] } }, "Done."] });
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("running bash");
	tau.type("not this\r");
	await tau.until(/Steering:\s+not this/);
	tau.press("altUp");
	await tau.untilGone(/Steering:\s+not this/);
	expect(tau.screen()).toContain("not this");
	tau.press("ctrlC");
	await tau.untilGone("not this");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Done.");
});

test("Escape aborts the answer and restores queued messages", async () => {
	await using tau = await openTau({ steps: [{ fault: { silent: true } }, "Second try."] });
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("waiting for the model");
	tau.type("my next thought\r");
	await tau.until(/Steering:\s+my next thought/);
	// The screen says that it waits before the request has left: the next one would be met by silence.
	await tau.untilFiles(() => tau.home.played.requests.length === 1);
	tau.press("escape");
	await tau.until("Interrupted.");
	expect(tau.screen()).not.toMatch(/Steering:\s+my next thought/);
	expect(tau.screen()).toContain("my next thought");
	tau.press("enter");
	await tau.until("Second try.");
});

test("Escape aborts a tool and its child processes", async () => {
	await using tau = await openTau({
		steps: [
			{
				answer: {
					blocks: [
						{ toolCall: { name: "bash", arguments: { command: "echo $$ > pid; echo begun; sleep 1000" } } },
					],
				},
			},
		],
		fallback: "unexpected",
	});
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("   begun");
	tau.press("escape");
	await tau.until(/✗ bash/);
	expect(tau.screen()).not.toContain("running bash");
});

test("Ctrl+C clears the editor, and twice ends the program", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("never mind");
	await tau.until("never mind");
	tau.press("ctrlC");
	await tau.untilGone("never mind");
	tau.press("ctrlC");
	expect(await tau.exited).toBe(0);
});

test("a failure says what helps, and the conversation continues", async () => {
	await using tau = await openTau(
		{ steps: [{ fault: { http: 401 } }, "Better now."] },
		{ settings: "retry:\n  enabled: false\n" },
	);
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("/login");
	tau.type("again\r");
	await tau.until("Better now.");
});

test("a retry counts down, and its success is the answer", async () => {
	await using tau = await openTau(
		{ steps: [{ fault: { http: 529 } }, "After all."] },
		{ settings: "retry:\n  baseDelayMs: 1500\n" },
	);
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until(/Retrying in \ds \(attempt 1 of \d+\)/);
	await tau.until("After all.");
	expect(tau.screen()).not.toContain("Trying again");
});

test("leaving removes the editor from the screen and says how to resume", async () => {
	await using tau = await openTau({ steps: ["Hello."] });
	await tau.until("played-1");
	tau.type("hi\r");
	await tau.until("Hello.");
	tau.press("ctrlD");
	await tau.exited;
	const [, id = ""] = /Resume with: tau --session ([\w-]+)/.exec(tau.screen()) ?? [];
	expect(id).not.toBe("");
	expect(tau.screen()).not.toContain("Ask anything");
	await using again = await openTau({ steps: [] }, { home: tau.home, args: ["--session", id] });
	await again.until("Hello.");
});

test("? in an empty editor shows the shortcuts, Tab searches all keys, and any other key closes them", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("Ask anything");
	tau.type("?");
	await tau.until("key closes this");
	tau.press("escape");
	await tau.until("Ask anything");
	tau.type("?");
	await tau.until("tab to search");
	tau.press("tab");
	await tau.until("── Keys");
	tau.type("external");
	await tau.until(/Edit the prompt in \$VISUAL or \$EDITOR +ctrl\+g/);
	tau.press("escape", "escape");
	await tau.until("Ask anything");
	tau.type("?? really");
	await tau.until("? really");
});

test("a model that says nothing after its tool calls is asked again twice, and /retry continues without repeating the work", async () => {
	const call = { toolCall: { name: "bash", arguments: { command: "echo ran >> runs" } } };
	await using tau = await openTau(
		{ steps: [{ answer: { blocks: [call] } }, { answer: { blocks: [] }, times: 3 }, "It is done."] },
		{ settings: "retry:\n  baseDelayMs: 10\n" },
	);
	await tau.until("played-1");
	tau.type("go\r");
	// The errors of the two attempts before are shown until they are repeated.
	await tau.home.played.waitForEnd(4);
	await tau.until("Ask anything");
	await tau.until(/The model's answer is empty\. Run \/retry to ask again from\s+here/);
	tau.type("/retry\r");
	await tau.until("It is done.");
	expect(readFileSync(join(tau.home.project, "runs"), "utf8")).toBe("ran\n");
	expect(tau.home.played.requests).toHaveLength(5);
});
