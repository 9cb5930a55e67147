/** Other user actions in the terminal: suspending, external editing, pasting, answering, expanding. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau } from "./driver.ts";

const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("Ctrl+Z suspends it, and it resumes with the draft", async () => {
	await using tau = await openTau({ steps: ["Back again."] });
	await tau.until("played-1");
	tau.type("wait for me");
	await tau.until("wait for me");
	tau.press("ctrlZ");
	const state = (): string =>
		readFileSync(`/proc/${tau.pid}/stat`, "utf8")
			.replace(/^.*\) /, "")
			.slice(0, 1);
	await tau.untilFiles(() => state() === "T");
	// The shell has its terminal back, until Tau takes it again.
	const isOurs = (): boolean => tau.bytes.lastIndexOf("\x1b[?2004h") > tau.bytes.lastIndexOf("\x1b[?2004l");
	await tau.untilFiles(() => !isOurs());
	tau.kill("SIGCONT");
	await tau.untilFiles(isOurs);
	tau.press("enter");
	await tau.until("Back again.");
});

test("the directory of drafts is private to its owner, also if it was not before", async () => {
	await using home = await launch({ steps: [] });
	const state = join(home.home, ".tau/state");
	mkdirSync(state);
	chmodSync(state, 0o755);
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("half a thought");
	await tau.untilDraft("half a thought");
	expect(statSync(state).mode & 0o777).toBe(0o700);
	expect(statSync(join(state, "drafts")).mode & 0o777).toBe(0o700);
});

test("Ctrl+G opens the user's own editor, and the screen is restored", async () => {
	const lines = Array.from({ length: 40 }, (_, at) => `Line ${at}.`);
	await using tau = await openTau(
		{ steps: [lines.join("\n\n"), "Got it."] },
		{ env: { VISUAL: "sh ./edit.sh", GROQ_API_KEY: "gsk-0123456789" } },
	);
	writeFileSync(
		join(tau.home.project, "edit.sh"),
		'echo hello from the editor; printf "%s and more%s" "$(cat "$1")" "$GROQ_API_KEY" > "$1.new"; mv "$1.new" "$1"',
	);
	await tau.until("played-1");
	tau.type("count\r");
	await tau.until("Line 39.");
	await tau.untilGone("esc to interrupt");
	tau.type("a start");
	await tau.until("a start");
	tau.press("ctrlG");
	await tau.until("a start and more");
	tau.press("enter");
	await tau.until("Got it.");
	expect([...(tau.scrollback().match(/Line \d+\./g) ?? [])]).toEqual(lines);
	expect(tau.scrollback()).not.toContain("hello from the editor");
	const request = JSON.stringify(tau.home.played.requests.at(-1));
	expect(request).toContain("a start and more");
	// The editor may run for hours, and commands of the model can read its environment.
	expect(request).not.toContain("gsk-0123456789");
});

test("an image that is dropped on the window is attached", async () => {
	await using tau = await openTau({ steps: ["One pixel."] });
	writeFileSync(
		join(tau.home.agentDir, "models.yml"),
		readFileSync(join(tau.home.agentDir, "models.yml"), "utf8").replace("[text]", "[text, image]"),
	);
	await tau.until("played-1");
	const path = join(tau.home.project, "dot.png");
	writeFileSync(path, Buffer.from(png, "base64"));
	await using seeing = await openTau({ steps: [] }, { home: tau.home });
	await seeing.until("played-1");
	seeing.type(`what is \x1b[200~${path}\x1b[201~`);
	await seeing.until("[dot.png]");
	seeing.press("enter");
	await seeing.until("One pixel.");
	expect(JSON.stringify(tau.home.played.requests.at(-1))).toContain(png);
});

test("questions of the model are answered in place of the editor, and the user can go back to an earlier one", async () => {
	const questions = [
		{ question: "Which color?", options: [{ label: "red" }, { label: "blue" }] },
		{ question: "Which sizes?", options: [{ label: "small" }, { label: "large" }], multiple: true },
	];
	await using tau = await openTau({
		steps: [{ answer: { blocks: [{ toolCall: { name: "ask", arguments: { questions } } }] } }, "Blue it is."],
	});
	await tau.until("played-1");
	tau.type("ask me\r");
	await tau.until("Which color?");
	// The Enter that sent the prompt may be too recent for the dialog to take keys at once.
	tau.press("ctrlX");
	await tau.until("❯ 1. red");
	tau.press("down");
	await tau.until("❯ 2. blue");
	tau.press("enter");
	await tau.until("Which sizes? (2 of 2)");
	await tau.until("← previous question");
	tau.press("left");
	await tau.until("1-3 or enter to select");
	await tau.until("❯ 2. blue");
	tau.press("enter");
	await tau.until("space to select");
	tau.press("enter");
	await tau.until("nothing is selected");
	tau.type("2");
	await tau.until("[✓] large");
	tau.press("enter");
	await tau.until("Blue it is.");
	expect(JSON.stringify(tau.home.played.requests.at(-1))).toContain("> blue");
	expect(tau.screen()).toMatch(/ask Which color\? · Which sizes\?.*\n +→ blue\n +→ large/);
});

test("a dialog that opens while a message is being typed is not answered by it", async () => {
	const questions = [{ question: "What now?", options: [{ label: "Delete all" }, { label: "Stop" }] }];
	const until = "until [ -e go ]; do sleep 0.02; done";
	await using tau = await openTau({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: until } } }] } },
			{ answer: { blocks: [{ toolCall: { name: "ask", arguments: { questions } } }] } },
			"Stopped.",
		],
	});
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("bash $ until");
	tau.type("I have 1 more");
	await tau.until("I have 1 more");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("ctrl+x to answer");
	tau.type(" thing\r");
	await tau.until("Steering:  I have 1 more thing");
	tau.type("2 drafts");
	await tau.until("2 drafts");
	expect(tau.screen()).toContain("ctrl+x to answer");
	tau.press("ctrlX");
	await tau.until("1-3 or enter to select");
	tau.type("2");
	await tau.until("Stopped.");
	expect(tau.screen()).toContain("→ Stop");
	expect(tau.screen()).toContain("2 drafts");
	expect(JSON.stringify(tau.home.played.requests.at(-1))).toContain("> Stop");
});

test("thinking is folded, and Ctrl+T shows it", async () => {
	await using tau = await openTau({
		steps: [
			{ answer: { blocks: [{ thinking: "I weigh the options.", signature: "s" }, { text: "Decided." }] } },
		],
	});
	await tau.until("played-1");
	tau.type("decide\r");
	await tau.until("Decided.");
	expect(tau.screen()).toContain("∴ thought");
	expect(tau.screen()).not.toContain("I weigh");
	tau.press("ctrlT");
	await tau.until("I weigh the options.");
});

test("Ctrl+O and Ctrl+T expand the last turn, and do not change the scrollback", async () => {
	const lines = (word: string): string[] => Array.from({ length: 40 }, (_, at) => `${word} ${at}.`);
	const call = { toolCall: { name: "bash", arguments: { command: "echo from the shell" } } };
	const thinking = { thinking: "I weigh the options.", signature: "s" };
	await using tau = await openTau({
		steps: [
			lines("First").join("\n\n"),
			{ answer: { blocks: [thinking, call] } },
			lines("Second").join("\n\n"),
		],
	});
	await tau.until("played-1");
	tau.type("one\r");
	await tau.until("First 39.");
	tau.type("two\r");
	await tau.until("Second 39.");
	await tau.untilGone("esc to interrupt");
	tau.press("ctrlO");
	await tau.untilDrawn(() => /^ +from the shell$/m.test(tau.scrollback()), "showed the output");
	tau.press("ctrlT");
	await tau.untilDrawn(() => tau.scrollback().includes("I weigh the options."), "showed the thinking");
	tau.press("ctrlT", "ctrlO");
	tau.type("done");
	await tau.until("done");
	expect(tau.bytes).not.toContain("\x1b[3J");
	expect([...(tau.scrollback().match(/First \d+\./g) ?? [])]).toEqual(lines("First"));
	const seconds: readonly string[] = tau.scrollback().match(/Second \d+\./g) ?? [];
	expect([...new Set(seconds)]).toEqual(lines("Second"));
});

test("a streaming answer survives a change of theme, a redraw and expanded tools", async () => {
	const text = Array.from({ length: 60 }, (_, at) => `Line ${at + 1} of it.`).join("\n\n");
	await using tau = await openTau({ steps: [{ answer: { blocks: [{ text, chunks: 120 }], delayMs: 5 } }] });
	await tau.until("played-1");
	// A busy machine may draw several screens at once, so that a line is never on the screen when it is looked at.
	const written = (line: number): Promise<void> =>
		tau.untilDrawn(() => tau.scrollback().includes(`Line ${line} of it.`), `wrote line ${line}`);
	tau.type("go\r");
	await written(10);
	tau.type("/theme light\r");
	await written(20);
	tau.press("ctrlO");
	await written(30);
	tau.press("ctrlL");
	await tau.until("Line 60 of it.");
	await tau.untilGone("answering");
	const all = tau.scrollback();
	for (let line = 1; line <= 60; line++) expect(all.split(`Line ${line} of it.`).length - 1).toBe(1);
});

test("a session continues after its window was closed during an answer", async () => {
	await using tau = await openTau({ steps: ["The first answer.", { fault: { silent: true } }] });
	await tau.until("played-1");
	tau.type("first\r");
	await tau.until("The first answer.");
	tau.type("second\r");
	await tau.until("waiting for the model");
	tau.closeWindow();
	await tau.exited;
	await using again = await openTau({ steps: [] }, { home: tau.home, args: ["-c"] });
	await again.until("The first answer.");
	expect(again.screen()).toContain("second");
});

test("a prompt that is sent before the model is ready is sent when it is", async () => {
	// A key of a slow command.
	await using tau = await openTau({ steps: ["Worth the wait."] });
	await tau.until("played-1");
	const path = join(tau.home.agentDir, "models.yml");
	const slow = `!until [ -e ${tau.home.project}/go ]; do sleep 0.05; done; echo key`;
	writeFileSync(path, readFileSync(path, "utf8").replace("auth: none", `apiKey: "${slow}"`));
	await using waiting = await openTau({ steps: [] }, { home: tau.home });
	await waiting.until("τ tau");
	waiting.type("are you there\r");
	await waiting.until(/Follow-up:\s+are you there/);
	writeFileSync(join(tau.home.project, "go"), "");
	await waiting.until("Worth the wait.");
});

test("Ctrl+D in an empty editor also exits before the model is ready", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	const path = join(tau.home.agentDir, "models.yml");
	writeFileSync(path, readFileSync(path, "utf8").replace("auth: none", 'apiKey: "!sleep 1000"'));
	await using waiting = await openTau({ steps: [] }, { home: tau.home });
	await waiting.until("τ tau");
	waiting.press("ctrlD");
	expect(await waiting.exited).toBe(0);
});

test("the output of a user's command is counted in the footer at once", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until(/~1\.\d% of 200k/);
	tau.type("!seq 1 20000\r");
	await tau.until("20000");
	await tau.until(/~(?:[5-9]\.\d|\d\d)% of 200k/);
});

needs("python3")(
	"$ before code runs it in the session's Python, and $$ hides it from the model",
	async () => {
		await using tau = await openTau({ steps: ["I see."] });
		await tau.until("played-1");
		tau.type("$total = 6 * 7\r");
		await tau.until("$ total = 6 * 7");
		tau.type("$total + 1\r");
		await tau.until("43");
		tau.type("$ for i in range(3): print('row', i)\r");
		await tau.until("row 2");
		tau.type("$$print('hidden', total + 2)\r");
		await tau.until("hidden 44");
		tau.type("$1 / 0\r");
		await tau.until("ZeroDivisionError");
		expect(tau.home.played.requests).toHaveLength(0);
		tau.type("what was that\r");
		await tau.until("I see.");
		const [request] = tau.home.played.requests;
		expect(request?.rawBody).toContain("43");
		expect(request?.rawBody).not.toContain("hidden 44");
	},
);

test("a text after $ that is no Python is asked about, and nothing is sent before the answer", async () => {
	await using tau = await openTau({ steps: ["Five."] });
	await tau.until("played-1");
	tau.type("$ echo copied line\r");
	await tau.until("This does not look like Python");
	await tau.until("❯ 1. Run the command: !echo copied line");
	tau.type("1");
	await tau.until(/^ +copied line$/m);
	tau.type("$5 is too much\r");
	await tau.until("❯ 1. Send it to the model");
	tau.press("escape");
	await tau.until(/^ \$5 is too much/m);
	expect(tau.home.played.requests).toHaveLength(0);
	tau.press("enter");
	await tau.until("❯ 1. Send it to the model");
	tau.press("enter");
	await tau.until("Five.");
	expect(tau.home.played.requests[0]?.rawBody).toContain("$5 is too much");
});

test("Ctrl+O opens the viewer where the last turn has nothing more to show", async () => {
	const call = { toolCall: { name: "bash", arguments: { command: "echo from the shell" } } };
	await using tau = await openTau({ steps: [{ answer: { blocks: [call] } }, "Ran it.", "Nothing to run."] });
	await tau.until("played-1");
	tau.press("ctrlO");
	await tau.until("tool output: shown");
	tau.press("ctrlO");
	await tau.until("tool output: condensed");
	tau.type("one\r");
	await tau.until("Ran it.");
	tau.type("two\r");
	await tau.until("Nothing to run.");
	await tau.untilGone("esc to interrupt");
	tau.press("ctrlO");
	await tau.until("Tool results");
	tau.press("enter");
	await tau.until(/^ *from the shell$/m);
});
