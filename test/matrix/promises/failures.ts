/** Promise 15: a run that fails or is aborted is never reported as a success. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, openHome, until } from "../home.ts";
import type { Row } from "../row.ts";

async function checkEmpty(client: Client): Promise<void> {
	const empty = { answer: { blocks: [{ thinking: "hm" }] } };
	await using home = await openHome({
		settings: "retry:\n  baseDelayMs: 0\n",
		steps: [empty, empty, empty, "Well."],
	});
	await using session = await client.open(home);
	await session.submit("one");
	await home.played.waitForEnd(3);
	await session.idle();
	const shownText = (): boolean => session.shownText().includes("The model's answer is empty");
	await until("the user reads that the answer is empty", shownText);
	expect(home.played.requests).toHaveLength(3);
	await session.prompt("two");
	expect(home.played.requests).toHaveLength(4);
}

async function checkLoop(client: Client): Promise<void> {
	await using home = await openHome({ steps: [{ ...call("bash", { command: "true" }), times: "always" }] });
	await using session = await client.open(home);
	await session.submit("one");
	const shownText = (): boolean => session.shownText().includes("stuck in a loop");
	await until("the user reads that the run was stopped", shownText);
	await session.idle();
	expect(home.played.requests.length).toBeLessThan(20);
}

async function checkTime(client: Client): Promise<void> {
	await using home = await openHome({
		settings: "budget:\n  maxSeconds: 1\n",
		steps: [{ fault: { silent: true } }],
	});
	await using session = await client.open(home);
	await session.submit("one");
	await until("the user reads why", () => session.shownText().includes("The time limit of 1 s is used up"));
	await session.idle();
	expect((await home.played.waitForEnd(1)).aborted).toBe(true);
}

export const failures: readonly Row[] = [
	{ id: "failures/empty", title: "an empty answer is retried, then a failure", check: checkEmpty },
	{ id: "failures/loop", title: "a run that repeats itself is stopped", check: checkLoop },
	{ id: "failures/time", title: "a run ends when its time is up", check: checkTime },
];
