/** Commands and jobs of the model in the real program: the shell persists, and nothing outlives the run. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

const step = (name: string, args: object) => ({
	answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] },
});
const bash = (command: string, more: object = {}) => step("bash", { command, ...more });

function isAlive(pid: number): boolean {
	try {
		return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
	} catch {
		// No such process.
		return false;
	}
}

function pids(tau: Launched): number[] {
	return readFileSync(join(tau.project, "pids"), "utf8").trim().split("\n").map(Number);
}

const body = (tau: Launched, at: number): string => JSON.stringify(tau.played.requests[at]?.body);

test("variables of a command are visible to the next one, and long output can be read back", async () => {
	await using tau = await launch({
		steps: [
			bash("cd /; export WORD=kept; seq 100000"),
			bash('pwd; echo "$WORD"'),
			step("read", { path: "artifact://0", offset: 50_000, limit: 1 }),
			"Done.",
		],
	});
	expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(body(tau, 1)).toMatch(/omitted: read artifact:\/\/0 with offset and limit/);
	expect(body(tau, 2)).toContain("/\\nkept");
	expect(body(tau, 3)).toContain("50000");
});

describe("nothing keeps running", () => {
	const started =
		"sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids; nohup sleep 300 >/dev/null 2>&1 & echo $! >> pids";

	test("of commands or jobs after the run", async () => {
		await using tau = await launch({
			steps: [
				bash(started),
				bash(`${started}; touch ready; sleep 300`, { async: true }),
				bash("until [ -e ready ]; do sleep 0.01; done"),
				"Done.",
			],
		});
		expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(pids(tau)).toHaveLength(6);
		expect(pids(tau).filter(isAlive)).toEqual([]);
	});

	test("after the user aborts it", async () => {
		const deaf = `trap '' TERM; ${started}; (trap '' TERM; echo $BASHPID >> pids; touch ready; while :; do sleep 1; done)`;
		await using tau = await launch({ steps: [bash("sleep 300", { async: true }), bash(deaf)] });
		const running = tau.start(["-p", "go", ...model]);
		while (!existsSync(join(tau.project, "ready"))) await Bun.sleep(5);
		running.process.kill("SIGINT");
		expect((await running.finished).code).toBe(130);
		expect(pids(tau)).toHaveLength(4);
		expect(pids(tau).filter(isAlive)).toEqual([]);
	});

	test("after it is killed, of what the shell itself has started", async () => {
		await using tau = await launch({
			steps: [bash("sleep 300 & echo $! > pids"), { fault: { silent: true } }],
		});
		const running = tau.start(["-p", "go", ...model]);
		await tau.played.waitForRequest(2);
		running.process.kill("SIGKILL");
		await running.finished;
		while (pids(tau).some(isAlive)) await Bun.sleep(5);
	});
});

test("a job has events, and its end reaches the model that polls", async () => {
	await using tau = await launch({
		steps: [
			bash("echo from the job", { async: true }),
			step("job", { action: "poll", id: "1", wait: 20 }),
			"Done.",
		],
	});
	const { out, code } = await tau.run(["-p", "--mode", "json", "go", ...model]);
	expect(code).toBe(0);
	const events = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { type: string; state?: string });
	expect(events.filter(({ type }) => type === "job_update").map(({ state }) => state)).toEqual([
		"running",
		"done",
	]);
	expect(body(tau, 2)).toContain("from the job");
});
