/** Ctrl+C ends a run promptly, with everything that it had started. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, type Running } from "../support/launch.ts";
import { isRunning } from "../support/processes.ts";

const model = ["--model", "played/played-1"];

/** The promise is 300 ms; the limit of the test is loose, because the machine may be busy. */
async function interrupted(tau: Running, signal: "SIGINT" | "SIGTERM" = "SIGINT"): Promise<number> {
	tau.process.kill(signal);
	return (await tau.finished).code;
}

test("during a stream: exit code 130, and the connection is closed", async () => {
	const answer = { blocks: [{ text: "a very long answer", chunks: 18 }] };
	await using tau = await launch({ steps: [{ answer, fault: { pauseMs: 60_000, afterChunks: 4 } }] });
	const running = tau.start(["-p", "hi", ...model]);
	await tau.played.waitForRequest(1);
	expect(await interrupted(running)).toBe(130);
	await tau.played.waitForEnd(1);
	expect(tau.played.requests[0]?.aborted).toBe(true);
});

test("before the server responds: exit code 130", async () => {
	await using tau = await launch({ steps: [{ fault: { silent: true } }] });
	const running = tau.start(["-p", "hi", ...model]);
	await tau.played.waitForRequest(1);
	expect(await interrupted(running)).toBe(130);
});

test("while a command runs: its children are gone, also those that ignore signals", async () => {
	const command = `
		trap '' TERM
		bash -c 'trap "" TERM; while :; do sleep 1; done' &
		echo $! > pids
		setsid sleep 300 &
		echo $! >> pids
		echo $$ >> pids
		touch ready
		wait`;
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } }],
	});
	const running = tau.start(["-p", "--mode", "json", "go", ...model]);
	await running.until(({ out }) => out.includes("tool_execution_start"));
	while (!(await Bun.file(join(tau.project, "ready")).exists())) await Bun.sleep(5);
	const pids = readFileSync(join(tau.project, "pids"), "utf8").trim().split("\n").map(Number);
	expect(pids.every(isRunning)).toBe(true);
	expect(await interrupted(running)).toBe(130);
	expect(pids.filter(isRunning)).toEqual([]);
});

test("SIGTERM ends it as well, with the code that shells expect", async () => {
	await using tau = await launch({ steps: [{ fault: { silent: true } }] });
	const running = tau.start(["-p", "hi", ...model]);
	await tau.played.waitForRequest(1);
	expect(await interrupted(running, "SIGTERM")).toBe(143);
});
