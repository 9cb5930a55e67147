/** The screen itself: sizes, results, redraws, colors, and exits. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const tool = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

test("a user's command runs here, is shown while it runs, and its output reaches the model", async () => {
	await using tau = await openTau({ steps: ["Read it."] });
	await tau.until("played-1");
	tau.type("!echo one; until [ -e go ]; do sleep 0.05; done; echo two\r");
	await tau.until("   one");
	expect(tau.screen()).not.toContain("   two");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("   two");
	tau.type("!!echo for-my-eyes\r");
	await tau.until("   for-my-eyes");
	tau.type("what was printed\r");
	await tau.until("Read it.");
	const [request] = tau.home.played.requests;
	expect(JSON.stringify(request)).toContain("two");
	expect(JSON.stringify(request)).not.toContain("for-my-eyes");
});

test("Escape aborts a user's command", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("!echo begun; sleep 1000\r");
	await tau.until("   begun");
	tau.press("escape");
	await tau.until("stopped");
});

test("! changes the color of the editor's rules, and escape clears the command", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	const rule = "─".repeat(70);
	const usual = tau.colorOf(rule);
	tau.type("!echo secret");
	await tau.until("!echo secret");
	await tau.untilDrawn(() => tau.colorOf(rule) !== usual, "changed the color");
	tau.press("escape");
	await tau.untilGone("!echo secret");
	await tau.untilDrawn(() => tau.colorOf(rule) === usual, "restored the color");
});

test("the list of completions has as many rows as the settings say", async () => {
	await using tau = await openTau({ steps: [] }, { settings: "autocompleteMaxVisible: 9\n", rows: 40 });
	await tau.until("played-1");
	tau.type("/");
	await tau.until(/\(1\/\d+\)/);
	const rows = tau.screen().split("\n");
	const last = rows.findIndex((row) => /\(1\/\d+\)/.test(row));
	expect(last - rows.findIndex((row) => /❯ help/.test(row))).toBe(9);
});

test("ctrl+o shows the tool output, and hides it again", async () => {
	await using tau = await openTau({ steps: [tool("seq 3 | sed s/^/result-/"), "Seen."] });
	await tau.until("played-1");
	tau.type("count\r");
	await tau.until("Seen.");
	expect(tau.screen()).not.toContain("result-2");
	tau.press("ctrlO");
	await tau.until("result-2");
	tau.press("ctrlO");
	await tau.untilGone("result-2");
	expect(tau.screen()).toContain("Seen.");
});

test("an edit shows its diff, and a new file its start", async () => {
	await using tau = await openTau({
		steps: [
			{
				answer: {
					blocks: [
						{
							toolCall: { name: "write", arguments: { path: "new.ts", content: "export const one = 1;\n" } },
						},
					],
				},
			},
			"Written.",
		],
	});
	await tau.until("played-1");
	tau.type("write\r");
	await tau.until("Written.");
	expect(tau.screen()).toContain("export const one = 1;");
	expect(readFileSync(join(tau.home.project, "new.ts"), "utf8")).toBe("export const one = 1;\n");
});

test("a streaming answer survives a resize", async () => {
	const text = Array.from({ length: 120 }, (_, at) => `Line ${at + 1} of the answer, with some words.`).join(
		"\n\n",
	);
	await using tau = await openTau({ steps: [{ answer: { blocks: [{ text, chunks: 240 }], delayMs: 4 } }] });
	await tau.until("played-1");
	tau.type("go\r");
	// Frames may leave rows out: any later row will do.
	await tau.until(/Line (?:[2-9]\d|1\d\d) of/);
	tau.resize({ cols: 50, rows: 20 });
	await tau.until(/Line (?:[6-9]\d|1\d\d) of/);
	tau.resize({ cols: 100, rows: 30 });
	await tau.until("Line 120 of");
	await tau.untilGone("answering");
	const all = tau.scrollback();
	for (const line of [1, 20, 60, 119, 120]) expect(all).toContain(`Line ${line} of the answer`);
	// Once each: nothing is torn or repeated.
	expect(all.split("Line 90 of the answer").length - 1).toBe(1);
});

test("everything works at forty columns", async () => {
	await using tau = await openTau(
		{
			steps: [tool("echo a rather long command line that does not fit the screen at all"), "A short answer."],
		},
		{ cols: 40, rows: 16 },
	);
	await tau.until("played-1");
	tau.type("hello there, this is a prompt that is longer than the screen is wide\r");
	await tau.until("A short answer.");
	for (const row of tau.screen().split("\n")) expect(row.length).toBeLessThanOrEqual(40);
	expect(tau.screen()).toContain("✓ bash");
});

test("NO_COLOR draws without colors, and animations can be disabled", async () => {
	await using tau = await openTau(
		{ steps: [{ fault: { silent: true } }] },
		{ env: { NO_COLOR: "1" }, settings: "ui:\n  motion: off\n" },
	);
	await tau.until("played-1");
	tau.type("wait\r");
	await tau.until("● waiting for the model");
	expect(tau.bytes).not.toMatch(/\x1b\[(?:3[0-9]|38;|48;|4[0-7]|9[0-7])/);
});

test("an unknown command suggests the nearest and keeps the typed text", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("/hlep\r");
	await tau.until("Did you mean /help");
	expect(tau.screen()).toContain("/hlep");
	tau.press("ctrlC");
	tau.type("/help\r");
	await tau.until("── Commands");
	tau.type("handoff");
	await tau.until("/handoff [instructions]");
	tau.press("enter");
	await tau.untilGone("── Commands");
	expect(tau.screen()).toContain("/handoff");
});

test("@ offers the files of the project", async () => {
	await using tau = await openTau({ steps: [] });
	writeFileSync(join(tau.home.project, "needle.txt"), "x");
	await tau.until("played-1");
	tau.type("look at @need");
	await tau.until("needle.txt");
	tau.press("tab");
	await tau.until("look at @needle.txt");
});

test("@ offers files of dependencies after those of the project", async () => {
	await using tau = await openTau({ steps: [] });
	mkdirSync(join(tau.home.project, "node_modules/leftpad"), { recursive: true });
	writeFileSync(join(tau.home.project, "node_modules/leftpad/zindex.js"), "x");
	await tau.until("played-1");
	tau.type("look at @zind");
	await tau.until("zindex.js");
	tau.press("tab");
	await tau.until("look at @node_modules/leftpad/zindex.js");
});

test("/new starts a new session, and the old one is kept", async () => {
	await using tau = await openTau({ steps: ["First answer.", "Second answer."] });
	await tau.until("played-1");
	tau.type("first\r");
	await tau.until("First answer.");
	tau.type("/new\r");
	await tau.until("Started a new session.");
	await tau.untilGone("First answer.");
	tau.type("second\r");
	await tau.until("Second answer.");
	const requests = tau.home.played.requests;
	expect(JSON.stringify(requests.at(-1))).not.toContain("First answer.");
});

test("the conversation and the draft survive kill -9", async () => {
	await using first = await openTau({ steps: ["Remember the milk.", "Still here."] });
	await first.until("played-1");
	first.type("note this\r");
	await first.until("Remember the milk.");
	await first.untilGone("answering");
	first.type("half a thou");
	await first.until("half a thou");
	await first.untilDraft("half a thou");
	first.kill("SIGKILL");
	await first.exited;
	await using second = await openTau({ steps: [] }, { home: first.home, args: ["-c"] });
	await second.until("Remember the milk.");
	await second.until("half a thou");
	second.type("ght\r");
	await second.until("Still here.");
	expect(second.screen()).toContain("half a thought");
});

test.each(["SIGTERM", "SIGHUP"] as const)(
	"%s restores the terminal and ends all children",
	async (signal) => {
		await using tau = await openTau({ steps: [tool("echo $$ > pid; echo begun; sleep 1000")] });
		await tau.until("played-1");
		tau.type("go\r");
		await tau.until("   begun");
		const pid = Number(readFileSync(join(tau.home.project, "pid"), "utf8"));
		tau.kill(signal);
		expect(await tau.exited).toBe(128 + (signal === "SIGTERM" ? 15 : 1));
		expect(tau.bytes).toContain("\x1b[?2004l");
		expect(existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "").toBe(
			false,
		);
	},
);

test("the title shows the directory, and that something runs", async () => {
	await using tau = await openTau({ steps: [{ fault: { silent: true } }] });
	await tau.until("played-1");
	expect(tau.title).toBe("τ project");
	tau.type("go\r");
	await tau.untilDrawn(() => tau.title === "● τ project", "showed in the title that something runs");
	await tau.until("waiting for the model");
	tau.press("escape");
	await tau.until("Interrupted.");
	await tau.untilDrawn(() => tau.title === "τ project", "showed in the title that nothing runs");
});

const trapped = [
	process.execPath,
	"--preload",
	join(import.meta.dir, "trap.ts"),
	join(root, "packages/coding-agent/src/cli/main.ts"),
];

test("a failure in the background is reported, and the conversation continues", async () => {
	await using tau = await openTau({ steps: ["Still here."] }, { command: trapped });
	await tau.until("played-1");
	tau.kill("SIGURG");
	await tau.until("A background task failed: a lost promise.");
	tau.type("are you there\r");
	await tau.until("Still here.");
});

test("an uncaught error restores the terminal and names the log", async () => {
	await using tau = await openTau({ steps: ["Kept."] }, { command: trapped });
	await tau.until("played-1");
	tau.type("say it\r");
	await tau.until("Kept.");
	await tau.untilGone("answering");
	tau.kill("SIGUSR2");
	expect(await tau.exited).toBe(1);
	const said = (): string => tau.scrollback().replaceAll("\n", "");
	// The terminal may still be reading what was written before the end.
	await tau.untilFiles(() => /Tau crashed: a trap\. The session is saved.*\.tau\/logs/.test(said()));
	expect(tau.bytes).toContain("\x1b[?2004l");
	expect(said()).toContain("Kept.");
});
