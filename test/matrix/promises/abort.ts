/** Promise 13: an abort ends everything that runs within a second. */
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

import { expect } from "bun:test";

import type { Client, ClientSession } from "../client.ts";
import { call, openHome, projectFile, until, type Home } from "../home.ts";
import { limits } from "../limits.ts";
import type { Row } from "../row.ts";

const silent = { fault: { silent: true as const } };
/** Starts a process that would outlive the test, and reports its id. */
const longCommand = "sleep 300 & echo $! > pid; wait";

async function checkRun(client: Client): Promise<void> {
	await using home = await openHome({ steps: [silent] });
	await using session = await client.open(home);
	await session.submit("one");
	await home.played.waitForRequest(1);
	await abortInTime(session);
	expect((await home.played.waitForEnd(1)).aborted).toBe(true);
}

async function checkTool(client: Client): Promise<void> {
	await using home = await openHome({ steps: [call("bash", { command: longCommand })] });
	await using session = await client.open(home);
	await session.submit("one");
	const pid = await started(home);
	await abortInTime(session, () => isGone(pid));
	expect(home.played.requests).toHaveLength(1);
}

async function checkUserCommand(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("one");
	const running = session.shell(longCommand);
	const pid = await Promise.race([started(home), running.then(() => NaN)]);
	await abortInTime(session, () => isGone(pid));
	await running.catch(() => {});
}

async function checkRetryWait(client: Client): Promise<void> {
	await using home = await openHome({
		settings: "retry:\n  baseDelayMs: 60000\n",
		steps: [{ fault: { http: 529 } }],
	});
	await using session = await client.open(home);
	await session.submit("one");
	await home.played.waitForEnd(1);
	// Print mode keeps quiet about it; an interrupt ends the process either way.
	if (client.name !== "print")
		await until("the retry is announced", () =>
			/auto_retry_start|\bin \d+s|Trying again/.test(session.shownText()),
		);
	await abortInTime(session);
	await session.prompt("two");
	expect(home.played.requests).toHaveLength(2);
}

async function checkCompaction(client: Client): Promise<void> {
	await using home = await openHome({
		settings: "compaction:\n  keepRecentTokens: 1\n",
		steps: ["One.", "Two.", { ...silent, times: "always" }],
	});
	await using session = await client.open(home);
	await session.prompt("one");
	await session.prompt("two");
	await session.compact();
	await home.played.waitForRequest(3);
	await abortInTime(session);
	expect((await home.played.waitForEnd(3)).aborted).toBe(true);
}

class SlowAbort extends Error {}

async function abortInTime(session: ClientSession, isOver: () => boolean = () => true): Promise<void> {
	const start = performance.now();
	await session.abort();
	await until("everything has ended", isOver);
	const ms = Math.round(performance.now() - start);
	// With five programs for each core, a second of work takes five.
	const busy = Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());
	if (ms > limits.abortMs * busy) throw new SlowAbort(`The abort took ${ms} ms.`);
}

/** A slow abort is a defect if it is slow each time. */
function timely(check: Row["check"]): Row["check"] {
	return async (client) => {
		for (let left = limits.abortTries; ; left--)
			try {
				return await check(client);
			} catch (error) {
				if (!(error instanceof SlowAbort) || left <= 1) throw error;
			}
	};
}

async function started(home: Home): Promise<number> {
	await until("the command runs", () => projectFile(home, "pid").endsWith("\n"));
	return Number(projectFile(home, "pid"));
}

/** A zombie is still listed, and counts as ended. */
function isGone(pid: number): boolean {
	try {
		return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
}

export const abort: readonly Row[] = [
	{ id: "abort/run", title: "an abort ends a run within a second", check: timely(checkRun) },
	{
		id: "abort/tool",
		title: "an abort ends the model's command and its children within a second",
		check: timely(checkTool),
	},
	{
		id: "abort/retry",
		title: "an abort ends the wait for a retry within a second",
		check: timely(checkRetryWait),
	},
	{
		id: "abort/compaction",
		title: "an abort ends a compaction within a second",
		needs: ["compact"],
		check: timely(checkCompaction),
	},
	{
		id: "abort/user-command",
		title: "an abort ends the user's command and its children within a second",
		needs: ["shell"],
		check: timely(checkUserCommand),
	},
];
