/** Several terminals on one session that runs in one of them. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { OpenTau, openTau } from "../interactive/driver.ts";
import { attach, detach, launchLocal, ps, untilRow } from "./local.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

test("what happens in a terminal is seen by whoever joins, and a prompt of either is answered in both", async () => {
	await using tau = await openTau({ steps: ["First answer.", "Second answer."] });
	await tau.until("played-1");
	tau.type("from the terminal\r");
	await tau.until("First answer.");
	await using client = attach(tau.home);
	await client.until("> from the terminal");
	await client.until("First answer.");
	client.send("from elsewhere");
	await client.until("Second answer.");
	await tau.until("from elsewhere");
	await tau.until("Second answer.");
	expect(await client.leave()).toBe(0);
	await untilRow(tau.home, ({ clients, detached }) => clients === 1 && !detached);
});

test("a question of the terminal is answered elsewhere, and Escape elsewhere stops the run", async () => {
	const long = {
		answer: { blocks: [{ text: "and so on ".repeat(30), chunks: 30 }] },
		fault: { silent: true },
	};
	await using tau = await openTau(
		{ steps: [bash("node -e 1; touch made"), "Made it.", long as never] },
		{ args: ["--approval-mode", "ask"] },
	);
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Allow bash?");
	await using client = attach(tau.home);
	await client.until("? Allow bash?");
	client.send("1");
	await tau.until("Made it.");
	await client.until("Made it.");
	expect(existsSync(join(tau.home.project, "made"))).toBe(true);
	tau.type("long\r");
	await client.until("> long");
	client.mark();
	client.send("\u001b");
	await client.until("(done)");
	await untilRow(tau.home, ({ phase }) => phase === "idle");
});

test("a session that was switched off cannot be joined, and leaves no file", async () => {
	await using tau = await openTau({ steps: ["Hello."] }, { settings: "session:\n  attach: false\n" });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("Hello.");
	expect(await ps(tau.home)).toEqual([]);
	expect(existsSync(join(tau.home.home, ".tau/state/run"))).toBe(false);
});

/** A second terminal on the session of the first. */
function second(tau: OpenTau, size: { cols: number; rows: number }): OpenTau {
	return new OpenTau(tau.home, { home: tau.home, anyModel: true, args: ["attach"], ...size });
}

test("two screens of different size draw one session: prompts, answers and Escape of either", async () => {
	const long = {
		answer: { blocks: [{ text: "and so on ".repeat(30), chunks: 30 }] },
		fault: { silent: true },
	};
	await using one = await openTau({ steps: ["First answer.", "Second answer.", long as never] });
	await one.until("played-1");
	one.type("from the first\r");
	await one.until("First answer.");
	await using two = second(one, { cols: 50, rows: 16 });
	await two.until("First answer.");
	expect(two.screen()).toContain("from the first");
	two.type("from the second\r");
	for (const each of [one, two]) await each.until("Second answer.");
	await one.until("from the second");
	one.type("for long\r");
	await two.until("for long");
	await untilRow(one.home, ({ phase }) => phase === "running");
	two.press("escape");
	await untilRow(one.home, ({ phase }) => phase === "idle");
	two.type("/exit\r");
	expect(await two.exited).toBe(0);
	expect(two.scrollback()).toContain("Left the session, which continues.");
	await untilRow(one.home, ({ clients }) => clients === 1);
});

test("a question is answered on the other screen, and gone from both", async () => {
	await using one = await openTau(
		{ steps: [bash("node -e 1; touch made"), "Made it."] },
		{ args: ["--approval-mode", "ask"] },
	);
	await one.until("played-1");
	await one.until(" ask ");
	one.type("go\r");
	await one.until("Allow bash?");
	await using two = second(one, { cols: 100, rows: 30 });
	await two.until("Allow bash?");
	two.press("ctrlX");
	await two.until("to decline");
	two.type("1");
	for (const each of [one, two]) await each.until("Made it.");
	for (const each of [one, two]) expect(each.screen()).not.toContain("Allow bash?");
	expect(existsSync(join(one.home.project, "made"))).toBe(true);
});

test("whoever joins in the middle of an answer sees what is there, and the rest", async () => {
	const steps = [
		{ answer: { blocks: [{ text: `Begin ${"word ".repeat(40)}end.`, chunks: 8 }], delayMs: 100 } },
	];
	await using one = await openTau({ steps: steps as never });
	await one.until("played-1");
	one.type("tell\r");
	await one.until("Begin");
	await using two = second(one, { cols: 80, rows: 24 });
	await two.until("Begin");
	for (const each of [one, two]) await each.until("end.");
});

test("a screen whose session ends says so and leaves the terminal as it was", async () => {
	await using one = await openTau({ steps: ["Hello."] });
	await one.until("played-1");
	one.type("hello\r");
	await one.until("Hello.");
	await using two = second(one, { cols: 80, rows: 24 });
	await two.until("Hello.");
	one.kill("SIGKILL");
	expect(await two.exited).toBe(1);
	expect(two.scrollback()).toContain("The session has ended.");
});

test("a client that leaves while a question is open does not decline it", async () => {
	await using one = await openTau(
		{ steps: [bash("node -e 1; touch made"), "Made it."] },
		{ args: ["--approval-mode", "ask"] },
	);
	await one.until("played-1");
	await one.until(" ask ");
	one.type("go\r");
	await one.until("Allow bash?");
	await using two = second(one, { cols: 80, rows: 24 });
	await two.until("Allow bash?");
	two.kill("SIGTERM");
	await two.exited;
	await untilRow(one.home, ({ clients, waiting }) => clients === 1 && waiting === 1);
});

test("commands of the user run in a detached session, for the screen that has joined it", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello");
	await using tau = new OpenTau(home, { home, anyModel: true, args: ["attach"] });
	await tau.until("Hello.");
	expect(tau.screen()).not.toContain("from tau");
	tau.type("/name the parser\r");
	await untilRow(home, ({ title }) => title === "the parser");
	tau.type("!echo from the shell\r");
	await tau.until("from the shell");
});
