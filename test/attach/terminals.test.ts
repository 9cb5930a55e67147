/** Several terminals on one session that runs in one of them. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { attach, ps, untilRow } from "./local.ts";

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
}, 60_000);

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
}, 60_000);

test("a session that was switched off cannot be joined, and leaves no file", async () => {
	await using tau = await openTau({ steps: ["Hello."] }, { settings: "session:\n  attach: false\n" });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("Hello.");
	expect(await ps(tau.home)).toEqual([]);
	expect(existsSync(join(tau.home.home, ".tau/state/run"))).toBe(false);
}, 60_000);
