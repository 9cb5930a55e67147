/** The terminals of commands, and the diffs of a restore, on terminals that have joined a session. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau, type OpenTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { joined, say } from "./drawn.ts";
import { detach, launchLocal, untilRow } from "./local.ts";

const ctrlBracket = "\x1d";

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

const asks = call("bash", {
	command: "read -p 'who? ' x; read -p 'and? ' y; echo got $x $y; stty size",
	pty: true,
});

/** A terminal that opens soon after a key does not take the next one. */
async function takeKeys(tau: OpenTau): Promise<void> {
	await tau.until(/keys go to the program|ctrl\+x to type into it/);
	if (tau.screen().includes("ctrl+x to type into it")) tau.press("ctrlX");
	await tau.until("keys go to the program");
}

function lastResult({ home }: OpenTau): string {
	const body = JSON.stringify(home.played.requests.at(-1)?.body);
	const messages = body.slice(0, body.indexOf('"tools":'));
	return messages.slice(messages.lastIndexOf('"tool_result"'));
}

test("a command's terminal is on every screen, has the size of the smallest, and takes the keys of each", async () => {
	const scenario = { steps: ["Hello.", asks, "Asked."] };
	await using home = await launch(scenario);
	await using owner = await openTau(scenario, { home, cols: 90, rows: 30 });
	await owner.until("played-1");
	owner.type("hello\r");
	await owner.until("Hello.");
	await using client = joined(home, { cols: 70, rows: 40 });
	await client.until("Hello.");
	say(owner, "go");
	await takeKeys(client);
	await client.until(/^who\?/m);
	client.type("elsewhere\r");
	await client.until(/^and\?/m);
	await owner.until("who? elsewhere");
	// Who leaves it writes prompts again, and sees what it shows above the editor.
	client.type(ctrlBracket);
	await client.until("ctrl+x to type into it");
	await client.until("who? elsewhere");
	await takeKeys(owner);
	owner.type("here\r");
	await client.until("Asked.");
	await owner.until("Asked.");
	expect(lastResult(owner)).toContain("got elsewhere here\\n22 70");
	expect(client.screen()).not.toContain("to type into it");
});

test("whoever joins while a command waits in its terminal types into it, also without a terminal of the session", async () => {
	await using home = await launchLocal({ steps: ["Hello.", asks, "Asked."] });
	await detach(home, "hello");
	await using one = joined(home, { cols: 80, rows: 24 });
	await one.until("Hello.");
	say(one, "go");
	await takeKeys(one);
	await one.until(/^who\?/m);
	await using two = joined(home, { cols: 60, rows: 24 });
	await takeKeys(two);
	await two.until(/^who\?/m);
	one.kill("SIGKILL");
	await one.exited;
	two.type("late\r");
	await two.until(/^and\?/m);
	two.type("joiner\r");
	await two.until("Asked.");
	expect(lastResult(two)).toContain("got late joiner\\n16 60");
});

test("what a restore would do is shown as diffs on the terminal that asked for it", async () => {
	const scenario = {
		steps: [call("write", { path: "notes.txt", content: "one\ntwo changed\nthree\n" }), "Written."],
	};
	await using home = await launch(scenario);
	writeFileSync(join(home.project, "notes.txt"), "one\ntwo\nthree\n");
	await using owner = await openTau(scenario, { home });
	await owner.until("played-1");
	// It can be joined a moment after its first frame.
	await untilRow(home, () => true);
	await using client = joined(home, { cols: 100, rows: 30 });
	await client.until("played-1");
	say(client, "change it");
	await client.until("Written.");
	say(client, "/rewind");
	await client.until("Rewind to before a message");
	client.press("enter");
	await client.until("What should be restored?");
	client.type("4");
	await client.until("What restoring the files would do");
	await client.until(/notes\.txt\s+change/);
	expect(owner.screen()).not.toContain("What restoring the files would do");
	client.press("enter");
	// The transcript has the change itself: there the lines have the other signs.
	await client.until(/-\s*two changed\s*\n.*\+\s*two\s*$/m);
	client.press("escape");
	await client.until("What restoring the files would do");
	client.press("escape");
	await client.until("What should be restored?");
	client.press("enter");
	await client.until("Restored 1 file");
	expect(await Bun.file(join(home.project, "notes.txt")).text()).toBe("one\ntwo\nthree\n");
});
