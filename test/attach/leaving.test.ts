/** Leaving a terminal whose session continues: /detach, a closed window, and the question about other clients. */
import { expect, test } from "bun:test";

import { openTau, OpenTau } from "../interactive/driver.ts";
import { isRunning, untilEnded } from "../support/processes.ts";
import { attach, launchLocal, ps, untilRow } from "./local.ts";

test("/detach frees the terminal, and attach comes back to the session", async () => {
	await using home = await launchLocal({ steps: ["First.", "Second."] });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First.");
	tau.type("/detach\r");
	expect(await tau.exited).toBe(0);
	const [, id = ""] = /tau attach (\S+)/.exec(tau.scrollback()) ?? [];
	expect(await ps(home)).toMatchObject([{ detached: true, title: "hello", clients: 0 }]);
	await using client = attach(home, id);
	await client.until("First.");
	client.send("more");
	await client.until("Second.");
});

test("/detach waits for a running turn, and says why an empty session cannot be detached", async () => {
	const slow = { answer: { blocks: [{ text: "slow answer", chunks: 5 }], delayMs: 200 } };
	await using home = await launchLocal({ steps: [slow as never] });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/detach\r");
	await tau.until("Send a prompt first.");
	tau.type("hello\r");
	await untilRow(home, ({ phase }) => phase === "running");
	tau.type("/detach\r");
	await tau.until("Detaches when the model is done.");
	expect(await tau.exited).toBe(0);
	await using client = attach(home);
	await client.until("slow answer");
});

test("closing the window ends the session, unless the setting keeps it", async () => {
	await using home = await launchLocal({ steps: ["First.", "Second.", "Third."] });
	const first = await openTau({ steps: [] }, { home });
	await first.until("played-1");
	first.type("hello\r");
	await first.until("First.");
	first.closeWindow();
	await untilEnded(first.pid);
	await first[Symbol.asyncDispose]();
	expect(await ps(home)).toEqual([]);
	await using tau = await openTau({ steps: [] }, { home, settings: "session:\n  onHangup: detach\n" });
	await tau.until("played-1");
	tau.type("again\r");
	await tau.until("Second.");
	tau.closeWindow();
	const row = await untilRow(home, ({ detached }) => detached);
	expect(row).toMatchObject({ pid: tau.pid, clients: 0, title: "again" });
	await using client = attach(home);
	await client.until("Second.");
	client.send("and more");
	await client.until("Third.");
	await home.run(["daemon", "stop"]);
	await untilEnded(tau.pid);
});

test("a turn that runs when the window is closed is finished, and its question waits", async () => {
	const call = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "node -e 1" } } }] } };
	await using home = await launchLocal({ steps: [call, "All done."] });
	await using tau = await openTau(
		{ steps: [] },
		{ home, settings: "session:\n  onHangup: detach\n", args: ["--approval-mode", "ask"] },
	);
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Allow bash?");
	tau.closeWindow();
	await untilRow(home, ({ detached, waiting }) => detached && waiting === 1);
	expect(isRunning(tau.pid)).toBe(true);
	await using client = attach(home);
	await client.until("? Allow bash?");
	client.send("1");
	await client.until("All done.");
});

test("a terminal that ends with others attached asks, and they stay with the session", async () => {
	await using home = await launchLocal({ steps: ["First.", "Second."] });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First.");
	await using client = attach(home);
	await client.until("First.");
	await using screen = new OpenTau(home, { home, anyModel: true, args: ["attach"] });
	await screen.until("First.");
	tau.type("/exit\r");
	await tau.until("2 other clients are attached.");
	tau.press("enter");
	expect(await tau.exited).toBe(0);
	expect(tau.scrollback()).toContain("runs in the background");
	await client.until("the connection is back");
	await screen.until("is back");
	client.send("still there?");
	await client.until("Second.");
	await screen.until("Second.");
});

test("a client follows a session that has moved to another one and is then detached", async () => {
	await using home = await launchLocal({ steps: ["First.", "In the new one.", "Still here."] });
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First.");
	await using client = attach(home);
	await client.until("First.");
	tau.type("/new\r");
	await tau.untilGone("First.");
	tau.type("another\r");
	await client.until("In the new one.");
	await tau.until("In the new one.");
	await untilRow(home, ({ phase }) => phase === "idle");
	tau.type("/detach\r");
	expect(await tau.exited).toBe(0);
	await client.until("the connection is back");
	client.send("still there?");
	await client.until("Still here.");
});
