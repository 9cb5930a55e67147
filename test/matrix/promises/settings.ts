/** Promise 6: a setting that is changed while the session is open takes effect in it. */
import { expect } from "bun:test";

import type { Client, ClientSession, Lane } from "../client.ts";
import { call, logEntries, openHome, release, untilWaiting, waitsFor, conversationIn } from "../home.ts";
import { steers, type Row } from "../row.ts";

async function checkCompaction(client: Client): Promise<void> {
	expect(await compacts(client, async () => {})).toBe(true);
	expect(await compacts(client, (session) => session.setSetting("compaction.enabled", false))).toBe(false);
}

/** The second answer fills the context: a summary is requested before the third prompt, if compaction is on. */
async function compacts(client: Client, change: (session: ClientSession) => Promise<void>): Promise<boolean> {
	const long = { blocks: [{ text: "some words ".repeat(2_000) }], usage: { input: 10, output: 10 } };
	const full = { blocks: [{ text: "Two." }], usage: { input: 9_500, output: 10 } };
	await using home = await openHome({
		contextWindow: 10_000,
		settings: "compaction:\n  keepRecentTokens: 1\n",
		steps: [{ answer: long }, { answer: full }],
	});
	await using session = await client.open(home);
	await session.prompt("one");
	await change(session);
	await session.prompt("two");
	await session.prompt("three");
	return logEntries(await session.file()).some(({ type }) => type === "compaction");
}

function checkRetry(path: string, value: number | boolean): (client: Client) => Promise<void> {
	return async (client) => {
		await using home = await openHome({
			settings: "retry:\n  baseDelayMs: 1\n",
			steps: ["One.", { fault: { http: 529 } }],
		});
		await using session = await client.open(home);
		await session.prompt("one");
		await session.setSetting(path, value);
		await session.prompt("two");
		await session.prompt("three");
		const said = home.played.requests.map((request) => conversationIn(request).includes("three"));
		expect(said).toEqual([false, false, true]);
	};
}

async function checkBudget(client: Client): Promise<void> {
	const step = { ...call("bash", { command: "true" }), times: 3 };
	await using home = await openHome({ steps: ["One.", step] });
	await using session = await client.open(home);
	await session.prompt("one");
	await session.setSetting("budget.maxTurns", 2);
	await session.prompt("two");
	await session.idle();
	expect(home.played.requests).toHaveLength(2);
}

function checkQueueMode(path: string, lane: Lane): (client: Client) => Promise<void> {
	return async (client) => {
		await using home = await openHome({
			steps: ["Zero.", call("bash", { command: waitsFor("go") })],
		});
		await using session = await client.open(home);
		await session.prompt("zero");
		await session.setSetting(path, "all");
		await session.submit("begin");
		await untilWaiting(home, "go");
		await session.queue("turn left", lane);
		await session.queue("turn right", lane);
		release(home, "go");
		const delivery = lane === "steer" ? 3 : 4;
		const said = conversationIn(await home.played.waitForEnd(delivery));
		await session.idle();
		expect([said.includes("turn left"), said.includes("turn right")]).toEqual([true, true]);
	};
}

const needs = ["settings"] as const;

export const settings: readonly Row[] = [
	{
		id: "settings/compaction",
		title: "compaction that is switched off at runtime stays away",
		needs,
		check: checkCompaction,
	},
	{
		id: "settings/max-retries",
		title: "no turn is retried after retry.maxRetries was set to 0 at runtime",
		needs,
		check: checkRetry("retry.maxRetries", 0),
	},
	{
		id: "settings/retry",
		title: "no turn is retried after retry.enabled was switched off at runtime",
		needs,
		check: checkRetry("retry.enabled", false),
	},
	{
		id: "settings/budget",
		title: "a budget that is set at runtime ends the run",
		needs,
		check: checkBudget,
	},
	{
		id: "settings/steering-mode",
		title: "steering messages are delivered together after steeringMode was changed at runtime",
		needs: ["settings", "queue"],
		check: checkQueueMode("steeringMode", "steer"),
	},
	{
		id: "settings/follow-up-mode",
		title: "follow-ups are delivered together after followUpMode was changed at runtime",
		needs: ["settings", "queue"],
		notFor: { acp: steers },
		check: checkQueueMode("followUpMode", "followUp"),
	},
];
