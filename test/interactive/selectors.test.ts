/** A user selects from lists: models, sessions, points of a conversation, settings. */
import { expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

test("/model: another model is used from the next turn on", async () => {
	await using home = await launch({ steps: ["From the first.", "From the second."] });
	appendFileSync(join(home.agentDir, "models.yml"), "      - id: played-2\n        name: The other one\n");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("From the first.");
	tau.type("/model\r");
	await tau.until("── Model");
	tau.type("other one");
	await tau.until(/❯ .*played-2/);
	tau.press("enter");
	await tau.untilGone("── Model");
	await tau.until("played-2");
	tau.type("again\r");
	await tau.until("From the second.");
	const asked = home.played.requests.map(({ body }) => JSON.stringify(body).includes('"played-2"'));
	expect(asked).toEqual([false, true]);
});

test("/resume: after kill -9 the whole conversation is found again, by its text", async () => {
	await using home = await launch({ steps: ["The pump is broken.", "It was the pump."] });
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("what is wrong with the engine\r");
		await tau.until("The pump is broken.");
		// What is finished is kept; an answer is shown before.
		await tau.untilGone("answering");
		tau.kill("SIGKILL");
		await tau.exited;
	}
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	expect(tau.screen()).not.toContain("pump");
	tau.type("/resume\r");
	await tau.until("what is wrong with the engine");
	await tau.until("Model: The pump is broken.");
	tau.type("engine");
	await tau.until("> engine");
	tau.press("enter");
	await tau.untilGone("── Sessions");
	await tau.until("The pump is broken.");
	tau.type("so what was it\r");
	await tau.until("It was the pump.");
	expect(JSON.stringify(home.played.requests.at(-1)?.body)).toContain("what is wrong with the engine");
});

test("/tree: the conversation continues from an earlier message, and the other branch is still there", async () => {
	await using tau = await openTau({ steps: ["A is red.", "B is blue.", "C is green."] });
	await tau.until("played-1");
	tau.type("tell me of A\r");
	await tau.until("A is red.");
	tau.type("tell me of B\r");
	await tau.until("B is blue.");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up");
	await tau.until("❯ • user: tell me of B");
	tau.press("enter");
	await tau.untilGone("── Tree");
	// Its text is in the editor, and the answer is gone from the screen.
	await tau.untilGone("B is blue.");
	await tau.until("tell me of B");
	tau.type("\x15tell me of C\r");
	await tau.until("C is green.");
	const sent = JSON.stringify(tau.home.played.requests.at(-1)?.body);
	expect([sent.includes("tell me of A"), sent.includes("tell me of B")]).toEqual([true, false]);
	tau.type("/tree\r");
	await tau.until("├─ user: tell me of B");
	expect(tau.screen()).toContain("└─ • user: tell me of C");
	tau.press("escape");
	await tau.untilGone("── Tree");
});

test("/tree: the abandoned branch is summarized for the next one on request", async () => {
	await using tau = await openTau(
		{ steps: ["A is red.", "B is blue.", "The user asked about B; it is blue.", "C is green."] },
		{ settings: "branchSummary:\n  enabled: true\n" },
	);
	await tau.until("played-1");
	tau.type("tell me of A\r");
	await tau.until("A is red.");
	tau.type("tell me of B\r");
	await tau.until("B is blue.");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up", "enter");
	await tau.until("Summarize with custom prompt");
	tau.press("escape");
	// Cancelling returns to the tree.
	await tau.until("❯ • user: tell me of B");
	tau.press("enter");
	await tau.until("Summarize with custom prompt");
	tau.press("down", "enter");
	await tau.untilGone("Summing up");
	await tau.untilGone("B is blue.");
	tau.type("\x15tell me of C\r");
	await tau.until("C is green.");
	const sent = JSON.stringify(tau.home.played.requests.at(-1)?.body);
	expect(sent).toContain("The user asked about B; it is blue.");
});

test("/settings: a change takes effect at once and is in the file", async () => {
	await using tau = await openTau({ steps: [] }, { cols: 60, rows: 20 });
	await tau.until("played-1");
	tau.type("/settings\r");
	await tau.until("── Settings");
	tau.type("footer.seg");
	await tau.until("❯ Parts of the footer");
	expect(tau.screen()).toContain("footer.segments · from the default");
	tau.press("enter");
	await tau.until("Parts of the footer: a list of strings");
	tau.type("cwd\r");
	await tau.until("Set footer.segments to cwd in your settings.");
	// The footer shows only the directory now.
	await tau.untilGone("played-1");
	expect(readFileSync(join(tau.home.agentDir, "config.yml"), "utf8")).toContain("segments:");
	tau.press("escape", "escape");
	await tau.untilGone("── Settings");
});

test("/tools: a disabled tool is not offered to the model, also after a move in the tree", async () => {
	await using tau = await openTau({ steps: ["One.", "Two.", "Three."] });
	await tau.until("played-1");
	tau.type("/tools\r");
	await tau.until("── Tools");
	tau.type("bash");
	await tau.until("❯ ● bash");
	tau.press("enter");
	await tau.until("❯ ○ bash");
	tau.press("escape", "escape");
	await tau.untilGone("── Tools");
	tau.type("first\r");
	await tau.until("One.");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up", "enter");
	await tau.untilGone("── Tree");
	tau.type("\x15second\r");
	await tau.until("Two.");
	const offered = tau.home.played.requests.map(({ body }) => JSON.stringify(body).includes('"name":"bash"'));
	expect(offered).toEqual([false, false]);
});

test("/todo: tasks of the user are on the screen and sent to the model", async () => {
	await using tau = await openTau({ steps: ["I see the list."] });
	await tau.until("played-1");
	tau.type("/todo add Paint the door\r");
	await tau.until("1 ▸ Paint the door");
	tau.type("/todo edit\r");
	await tau.until("ctrl+s save");
	tau.type("- [ ] Oil the hinge\x13");
	await tau.until("2 ☐ Oil the hinge");
	tau.type("go\r");
	await tau.until("I see the list.");
	const sent = JSON.stringify(tau.home.played.requests.at(-1)?.body);
	expect(sent).toContain("The user has edited the todo list.");
	expect(sent).toContain("Oil the hinge");
	tau.type("/todo done 1\r");
	await tau.until("1 ☑ Paint the door");
});

test("/login: a key is stored without being shown, and its models are available at once", async () => {
	await using tau = await openTau({ steps: [] }, { env: { TAU_OFFLINE: "1" } });
	await tau.until("played-1");
	tau.type("/login groq\r");
	await tau.until("❯ Groq: API key");
	tau.press("enter");
	await tau.until("API key (hidden)");
	tau.type("gsk_verysecret");
	await tau.until("••••");
	tau.press("enter");
	await tau.until("Saved the Groq API key to");
	// Its models are offered at once.
	await tau.until("groq is available");
	expect(tau.bytes).not.toContain("verysecret");
	tau.press("escape");
	await tau.untilGone("── Model");
	tau.type("/logout groq\r");
	await tau.until("Removed the Groq credentials.");
});

test("/fork and /branch: the conversation continues in a copy, and the session itself stays unchanged", async () => {
	await using tau = await openTau(
		{ steps: ["A is red.", "B is blue.", "C is green."] },
		{ settings: "doubleEscape: branch\n" },
	);
	await tau.until("played-1");
	tau.type("tell me of A\r");
	await tau.until("A is red.");
	tau.type("/label first stop\r");
	await tau.until('Labeled "first stop".');
	tau.type("tell me of B\r");
	await tau.until("B is blue.");
	tau.type("/branch\r");
	await tau.until(/── Branch from[^]*❯ tell me of B/);
	tau.press("enter");
	await tau.untilGone("B is blue.");
	await tau.until("tell me of B");
	tau.type("\x15tell me of C\r");
	await tau.until("C is green.");
	tau.type("/fork\r");
	await tau.until("❯ The whole session");
	tau.press("enter");
	await tau.until("Forked. The original session is unchanged");
	tau.type("/resume\r");
	await tau.until("── Sessions");
	await tau.until(/1\/3/);
	tau.press("escape");
	await tau.untilGone("── Sessions");
	tau.type("/tree\r");
	await tau.until("[first stop] assistant: A is red.");
});

test("/diff, /export, /context and /cost show the results of a session", async () => {
	const write = { name: "write", arguments: { path: "hello.txt", content: "one\ntwo\n" } };
	await using tau = await openTau(
		{ steps: [{ answer: { blocks: [{ toolCall: write }] } }, "It is written."] },
		{ rows: 40 },
	);
	await tau.until("played-1");
	tau.type("write it\r");
	await tau.until("It is written.");
	tau.type("/diff\r");
	await tau.until(/❯ hello\.txt\s+\+2\s+-0/);
	tau.press("enter");
	await tau.until(/── hello\.txt ─[^]*\+ ?two/);
	tau.press("escape");
	await tau.until("── Changed files");
	tau.press("escape");
	await tau.untilGone("── Changed files");
	tau.type("/context\r");
	await tau.until("Tool results");
	tau.press("escape");
	await tau.untilGone("Tool results");
	tau.type("/context print\r");
	await tau.until(/Tool results +\d+/);
	tau.type("/cost\r");
	await tau.until("played/played-1 ×2");
	tau.type("/export out.md\r");
	await tau.until("out.md.");
	expect(readFileSync(join(tau.home.project, "out.md"), "utf8")).toContain("It is written.");
	tau.type("/export out.md\r");
	await tau.until("out.md already exists");
});

test("/compact: the reason why a conversation cannot be summarized is shown once", async () => {
	await using tau = await openTau({ steps: ["Hello.", "Still here."] });
	await tau.until("played-1");
	tau.type("hi\r");
	await tau.until("Hello.");
	tau.type("/compact\r");
	await tau.until("Nothing to compact");
	// Shown once, and the session continues.
	tau.type("again\r");
	await tau.until("Still here.");
	expect(tau.scrollback().split("Nothing to compact").length).toBe(2);
});

test("/compact: a message that is too large to be compacted is named, with its size and a remedy", async () => {
	await using tau = await openTau({ steps: ["Read it.", "Fine."] }, { cols: 120 });
	await tau.until("played-1");
	tau.type("The whole log:");
	tau.type(`\x1b[200~${"a line of the log\n".repeat(6000)}\x1b[201~`);
	tau.press("enter");
	await tau.until("Read it.");
	tau.type("thanks\r");
	await tau.until("Fine.");
	tau.type("/compact\r");
	await tau.until(
		/Nothing to compact: your message "The whole log:a line of the log[^"]*…" has about 2\d,\d{3}/,
	);
	await tau.until("Use /rewind to go back before it");
});
