/** The lists of slash commands in a terminal that has joined a session: the same as where it runs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { OpenTau, openTau } from "../interactive/driver.ts";
import { needs } from "../support/needs.ts";

function joined(tau: OpenTau, cols = 80): OpenTau {
	return new OpenTau(tau.home, { home: tau.home, anyModel: true, args: ["attach"], cols, rows: 30 });
}

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** Two terminals on a session with an answer. */
async function both(steps: (Step | string)[]): Promise<{ one: OpenTau; two: OpenTau } & AsyncDisposable> {
	const one = await openTau({ steps: ["First answer.", ...steps] }, { cols: 80, rows: 30 });
	await one.until("played-1");
	one.type("hello\r");
	await one.until("First answer.");
	const two = joined(one);
	await two.until("First answer.");
	return {
		one,
		two,
		async [Symbol.asyncDispose]() {
			await two[Symbol.asyncDispose]();
			await one[Symbol.asyncDispose]();
		},
	};
}

/** The list alone: what is above it and the footer differ. */
function listOn(tau: OpenTau, title: string): string {
	const rows = tau.screen().split("\n");
	const from = rows.findIndex((row) => row.includes(`── ${title}`));
	return rows
		.slice(
			from,
			rows.findLastIndex((row) => row.includes("esc")),
		)
		.join("\n");
}

describe("both terminals show the same list", () => {
	let shared: Awaited<ReturnType<typeof both>>;
	beforeAll(async () => {
		shared = await both([]);
	}, 180_000);
	afterAll(() => shared[Symbol.asyncDispose]());

	test.each([
		["/settings", "Settings", "from the default"],
		["/tools", "Tools:", "bash"],
		["/context", "Context:", "System prompt"],
		["/model", "Model", "played-1"],
		["/agents types", "Agents", "explore"],
		["/tree", "Tree:", "hello"],
		["/scoped-models", "Models to cycle through", "played-1"],
		["/resume", "Sessions", "hello"],
		["/rewind", "Rewind", "hello"],
		["/fork", "Fork the session", "The whole session"],
		["/find", "Find", "hello"],
	])(
		"%s",
		async (command, title, text) => {
			const { one, two } = shared;
			for (const each of [one, two]) {
				each.type(`${command}\r`);
				await each.until(new RegExp(`── ${title}[^]*${text}[^]*esc`));
			}
			// Ages count on; everything else is equal.
			const shown = (each: OpenTau): string =>
				listOn(each, title).replaceAll(/\b(\d+s|now|just now)\b/g, "age");
			// What is read of a session may come later in one of them.
			await two.untilFiles(() => shown(two) === shown(one));
			for (const each of [one, two]) {
				each.press("escape");
				await each.untilGone(`── ${title}`);
			}
		},
		180_000,
	);
});

test("a tool is switched off and a setting is changed in the list of the other terminal", async () => {
	await using tau = await both([]);
	const { one, two } = tau;
	two.type("/tools\r");
	await two.until("── Tools:");
	two.type("bash");
	await two.until("● bash");
	two.press("enter");
	await two.until("○ bash");
	two.press("escape", "escape");
	await two.untilGone("── Tools:");
	one.type("/tools\r");
	await one.until("○ bash");
	one.press("escape");
	two.type("/settings retry.maxRetries\r");
	await two.until(/Retries of a turn +\d/);
	two.press("enter");
	two.type("\u007f7\r");
	await two.until("Set retry.maxRetries to 7 in your settings.");
	two.press("escape", "escape");
	one.type("/settings get retry.maxRetries\r");
	await one.until("retry.maxRetries: 7");
});

test("jobs are listed with their output, and ended, in the other terminal", async () => {
	const command = "echo it serves; while :; do sleep 0.05; done";
	await using tau = await both([call("bash", { command, async: true }), "It runs."]);
	const { one, two } = tau;
	one.type("serve\r");
	for (const each of [one, two]) await each.until("It runs.");
	two.type("/jobs\r");
	await two.until(/── Background jobs[^]*running[^]*it serves/);
	two.type("\u0004");
	await two.until("Kill job");
	two.type("y");
	await two.until(/killed/);
	two.press("escape");
	one.type("/jobs\r");
	await one.until(/── Background jobs[^]*killed/);
});

test("an agent is watched, steered and stopped from the other terminal", async () => {
	const gate = "touch waits; until [ -e gate ]; do sleep 0.02; done; echo open";
	const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });
	await using tau = await both([
		delegate,
		call("bash", { command: gate }),
		"The gate was opened.",
		"All done.",
	]);
	const { one, two } = tau;
	one.type("go\r");
	await one.untilFiles(() => existsSync(join(one.home.project, "waits")));
	two.type("/agents\r");
	await two.until(/── Agents[^]*Guard \(task\).*bash.*running/);
	two.press("enter");
	await two.until(/Guard running ·[^]*guard the gate/);
	two.type("\u0013");
	await two.until("Message to Guard");
	two.type("close it again\r");
	await two.untilGone("Message to Guard");
	writeFileSync(join(one.home.project, "gate"), "");
	await two.until("close it again");
	await two.until("The gate was opened.");
	two.press("escape");
	await two.until(/Guard \(task\).*completed/);
	two.press("escape");
	for (const each of [one, two]) await each.until("All done.");
});

test("the other terminal copies an answer to its own clipboard, and edits the todo list", async () => {
	await using tau = await both([]);
	const { one, two } = tau;
	two.type("/copy\r");
	await two.until(/Copied the last answer|clipboard/);
	two.type("/todo add write the page\r");
	await two.until("write the page");
	two.type("/todo edit\r");
	await two.until("Todo list [ ] to do");
	two.press("escape");
	one.type("/todo\r");
	await one.until("write the page");
});

test("an answer beside the conversation is shown as it is written, where it was asked for", async () => {
	const text = `Half of the way is done${", and more".repeat(2000)}`;
	const slow = { answer: { blocks: [{ text, chunks: 2000 }], delayMs: 20 } };
	await using tau = await both([slow, "Whole."]);
	const { one, two } = tau;
	two.type("/btw how far?\r");
	await two.until("Half of the way is done");
	expect(one.screen()).not.toContain("Half of the way");
	two.press("escape");
	await two.untilGone("By the way");
	two.type("/btw and now?\r");
	await two.until(/and now\?[^]*Whole\./);
	expect(two.screen().split("Whole.").length).toBe(2);
});

needs("git")(
	"Escape stops a command that runs in the other process, and its own Escape is not reported",
	async () => {
		const silent = { fault: { silent: true } };
		await using tau = await both([silent as never, silent as never]);
		const { one, two } = tau;
		writeFileSync(join(one.home.project, "new.txt"), "one\n");
		for (const args of [
			["init", "-q"],
			["add", "-A"],
		])
			expect(Bun.spawnSync(["git", ...args], { cwd: one.home.project }).exitCode).toBe(0);
		two.type("/review\r");
		await two.until("Yes, run git for this command");
		two.type("1");
		await two.until(/Reviewing.*…/);
		await one.home.played.waitForRequest(2);
		two.press("escape");
		await two.until("The review was stopped.");
		two.type("for long\r");
		await one.until("for long");
		await two.until("esc to interrupt");
		two.press("escape");
		await one.until(/terminal .* interrupted the run\./);
		expect(two.scrollback()).not.toContain("interrupted the run.");
	},
);
