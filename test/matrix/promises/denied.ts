/** Promise 2: a prompt that a hook denies reaches neither the model nor the log, and the user reads why. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import type { Client, ClientSession, Lane } from "../client.ts";
import {
	call,
	openHome,
	release,
	until,
	untilWaiting,
	waitsFor,
	type Home,
	type Setup,
	conversationIn,
} from "../home.ts";
import { steers, type Row } from "../row.ts";

const reason = "not-on-this-ship";

const guarded: Setup = {
	hooks: {
		UserPromptSubmit: `touch "$CLAUDE_PROJECT_DIR/hook-ran"
			if grep -q forbidden; then echo "${reason}" >&2; exit 2; fi; echo`,
	},
};

async function checkPrompt(client: Client): Promise<void> {
	await using home = await openHome(guarded);
	await using session = await client.open(home);
	await session.submit("the forbidden question");
	await until("the hook runs", () => {
		expect(home.played.requests).toHaveLength(0);
		return existsSync(join(home.project, "hook-ran"));
	});
	await session.idle();
	await until("the user reads why", () => session.shownText().includes(reason));
	await session.prompt("an allowed question");
	await expectUnsaid(home, session);
}

function checkQueued(lane: Lane): (client: Client) => Promise<void> {
	return async (client) => {
		await using home = await openHome({ ...guarded, steps: [call("bash", { command: waitsFor("go") })] });
		await using session = await client.open(home);
		await session.submit("begin");
		await untilWaiting(home, "go");
		await session.queue("the forbidden question", lane, reason);
		release(home, "go");
		await home.played.waitForEnd(2);
		await session.idle();
		await session.prompt("an allowed question");
		await expectUnsaid(home, session);
		expect(session.shownText()).toContain(reason);
	};
}

async function checkAgent(client: Client): Promise<void> {
	const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });
	const steps = [delegate, call("bash", { command: waitsFor("go") })];
	await using home = await openHome({ ...guarded, steps });
	await using session = await client.open(home);
	await session.submit("begin");
	await untilWaiting(home, "go");
	await session.promptAgent("Guard", "the forbidden question", reason);
	release(home, "go");
	await home.played.waitForEnd(4);
	await session.idle();
	for (const request of home.played.requests) expect(conversationIn(request)).not.toContain("forbidden");
	expect(session.shownText()).toContain(reason);
}

async function expectUnsaid({ played }: Home, session: ClientSession): Promise<void> {
	for (const request of played.requests) expect(conversationIn(request)).not.toContain("forbidden");
	expect(conversationIn(played.requests.at(-1))).toContain("an allowed question");
	expect(readFileSync(await session.file(), "utf8")).not.toContain("forbidden");
}

export const denied: readonly Row[] = [
	{ id: "denied/prompt", title: "a denied prompt is not sent, and the user reads why", check: checkPrompt },
	{
		id: "denied/steer",
		title: "a denied steering message is not sent, and the user reads why",
		needs: ["queue"],
		check: checkQueued("steer"),
	},
	{
		id: "denied/follow-up",
		title: "a denied follow-up is not sent, and the user reads why",
		needs: ["queue"],
		notFor: { acp: steers },
		check: checkQueued("followUp"),
	},
	{
		id: "denied/agent",
		title: "a denied message to an agent is not sent, and the user reads why",
		needs: ["agents"],
		check: checkAgent,
	},
];
