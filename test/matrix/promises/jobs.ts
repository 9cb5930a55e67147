/** Promise 15: a command can be moved to the background, and the end of a job reaches the model. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import {
	call,
	lastRequest,
	openHome,
	release,
	conversationIn,
	until,
	untilWaiting,
	waitsFor,
} from "../home.ts";
import type { Row } from "../row.ts";

async function checkModelCommand(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: `echo begun; ${waitsFor("gate")}; echo over` })],
	});
	await using session = await client.open(home);
	await session.submit("go");
	await untilWaiting(home, "gate");
	await session.background();
	await session.idle();
	expect(conversationIn(lastRequest(home))).toContain("still running as job 1");
	expect(existsSync(join(home.project, "gate"))).toBe(false);
	release(home, "gate");
	await until("the model reads of the end", () =>
		conversationIn(lastRequest(home)).includes("job 1 finished"),
	);
	await session.idle();
}

async function checkUserCommand(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("one");
	const running = session.shell(waitsFor("gate"));
	await untilWaiting(home, "gate");
	await session.background();
	await running;
	await session.prompt("two");
	expect(conversationIn(lastRequest(home))).toContain("still running in the background as job 1");
	// The user's own command does not wake the model.
	release(home, "gate");
	await until("the user sees it", () => session.shownText().includes("job 1 finished"));
	expect(home.played.requests).toHaveLength(2);
	await session.prompt("three");
	expect(conversationIn(lastRequest(home))).toContain("job 1 finished: exit code 0");
}

async function checkWake(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: `${waitsFor("gate")}; echo built`, async: true }), "Waiting.", "Built."],
	});
	await using session = await client.open(home);
	await session.prompt("build it");
	await untilWaiting(home, "gate");
	expect(home.played.requests).toHaveLength(2);
	release(home, "gate");
	await until("the model is woken", () => home.played.requests.length === 3);
	await session.idle();
	expect(conversationIn(lastRequest(home))).toContain("job 1 finished: exit code 0");
}

async function checkNoWake(client: Client): Promise<void> {
	await using home = await openHome({
		settings: "async:\n  wake: false\n",
		steps: [call("bash", { command: `${waitsFor("gate")}; echo built`, async: true }), "Waiting."],
	});
	await using session = await client.open(home);
	await session.prompt("build it");
	await untilWaiting(home, "gate");
	release(home, "gate");
	await until("the user sees it", () => session.shownText().includes("job 1 finished"));
	expect(home.played.requests).toHaveLength(2);
	await session.prompt("and?");
	expect(conversationIn(lastRequest(home))).toContain("built");
}

export const jobs: readonly Row[] = [
	{
		id: "jobs/model-command",
		title: "a command of the model continues in the background, and the run without it",
		needs: ["background"],
		check: checkModelCommand,
	},
	{
		id: "jobs/user-command",
		title: "a command of the user continues in the background; its end waits for the next prompt",
		needs: ["background", "shell"],
		check: checkUserCommand,
	},
	{
		id: "jobs/wake",
		title: "the end of a background job wakes the model",
		needs: ["staysOpen"],
		check: checkWake,
	},
	{
		id: "jobs/no-wake",
		title: "without `async.wake` the end of a background job waits for the next prompt",
		needs: ["staysOpen"],
		check: checkNoWake,
	},
];
