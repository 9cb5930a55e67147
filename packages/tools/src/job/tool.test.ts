/** Background jobs can be inspected, end with their session, and their end is reported once. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { limits } from "../bash/limits.ts";
import { bash } from "../bash/tool.ts";
import { job } from "./tool.ts";

let home = "";
let env: TestToolEnv;
beforeAll(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-jobs-")));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(async () => {
	env = await testToolEnv({ cwd: realpathSync(mkdtempSync(join(home, "work-"))) });
});
afterEach(() => env[Symbol.asyncDispose]());

type Result = AgentToolResult & { text: string };

async function call(tool: typeof bash, args: Record<string, unknown>, signal?: AbortSignal): Promise<Result> {
	const result = await callTool(tool.bind(env), args, signal);
	return { ...result, text: textOf(result) };
}

const start = (command: string, more: object = {}): Promise<Result> =>
	call(bash, { command, async: true, ...more });
const jobs = (action: string, more: object = {}, signal?: AbortSignal): Promise<Result> =>
	call(job, { action, ...more }, signal);

async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(5);
	}
}

async function outputUntil(id: string, pattern: RegExp): Promise<string> {
	for (;;) {
		const { text } = await jobs("output", { id });
		if (pattern.test(text)) return text;
		await Bun.sleep(5);
	}
}

function isAlive(pid: number): boolean {
	try {
		return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
	} catch {
		// No such process.
		return false;
	}
}

const go = (): void => writeFileSync(join(env.cwd, "go"), "");
const waiting = "until [ -e go ]; do sleep 0.01; done";

describe("a job", () => {
	test("starts at once, and each look shows its new output", async () => {
		const begun = await start(`echo one; ${waiting}; echo two; exit 3`);
		expect(begun.text).toBe("Job 1 is running. You will be notified when it ends; use job to inspect it.");
		expect(begun.details).toMatchObject({ jobId: "1" });
		let first: Result;
		do first = await jobs("poll", { id: "1", wait: 0.05 });
		while (first.useless);
		expect(first.text).toMatch(/^\[job 1 is running, \d+ s\] echo one; until .*\none$/);
		const nothing = await jobs("poll", { id: "1", wait: 0 });
		expect(nothing).toMatchObject({ useless: true, text: expect.stringContaining("(nothing new)") });
		go();
		const last = await jobs("poll", { id: "1", wait: 40 });
		expect(last.text).toMatch(/^\[job 1 failed: exit code 3, \d+ s\] .*\ntwo$/);
		expect(last.details).toEqual({ jobs: [{ id: "1", label: expect.any(String), state: "failed" }] });
		expect((await jobs("output", { id: "1" })).text).toEndWith("\none\ntwo");
	});

	test("leaves the shell free, and has the shell's state", async () => {
		await call(bash, { command: "export WORD=known; cd /" });
		await start(`cd ${env.cwd}; ${waiting}; echo $WORD`);
		expect((await call(bash, { command: "pwd; WORD=other" })).text).toBe("/");
		go();
		expect((await jobs("poll", { id: "1", wait: 40 })).text).toEndWith("\nknown");
		expect((await call(bash, { command: "echo $WORD" })).text).toBe("other");
	});

	test("may run longer than other commands, but not longer than the model says", async () => {
		await start("sleep 100", { timeout: 1 });
		expect((await jobs("poll", { id: "1", wait: 40 })).text).toContain("timed out after 1 s");
	});

	test("that cannot start says why", async () => {
		expect((await start("true", { cwd: "none" })).text).toContain("Working directory does not exist");
		await start("true", { env: { "a b": "" } });
		expect((await jobs("poll", { id: "1" })).text).toContain("could not start: Not a valid variable name");
	});

	test("that does not exist is named, with the existing ones", async () => {
		expect(await jobs("poll", { id: "7" })).toMatchObject({
			isError: true,
			text: "Job 7 not found. No jobs.",
		});
		await start("true");
		expect((await jobs("kill", { id: "7" })).text).toBe("Job 7 not found. Jobs: 1.");
		expect((await jobs("output")).text).toBe("id is required. Jobs: 1.");
	});

	test("can be killed with its children, without a message to the model that did it", async () => {
		await start("sleep 100 & echo $!; sleep 100");
		const pid = Number((await outputUntil("1", /^\d+$/m)).split("\n")[1]);
		expect((await jobs("kill", { id: "1" })).text).toContain("[job 1 was killed, ");
		expect(isAlive(pid)).toBe(false);
		expect((await jobs("kill", { id: "1" })).text).toContain("[job 1 was killed, ");
		expect(env.delivered).toEqual([]);
	});

	test("with a terminal accepts input, others do not", async () => {
		await start("read -p 'name? ' x; echo hello $x; read y", { pty: true });
		await outputUntil("1", /name\?/);
		await jobs("input", { id: "1", input: "tau\n" });
		await outputUntil("1", /hello tau/);
		await jobs("kill", { id: "1" });
		expect((await jobs("input", { id: "1", input: "x" })).text).toBe("Job 1 was killed.");
		expect((await jobs("input", { id: "1" })).text).toBe("input: set the text to type.");
		await start("cat");
		expect((await jobs("input", { id: "2", input: "x" })).text).toBe(
			"Job 2 has no terminal. Start it with pty: true.",
		);
	});

	needs("less")("with a full-screen program shows its screen, and a line of a prompt once", async () => {
		await start("seq 100 > n; less -f n; read -p 'more? ' x; echo got $x; read y", { pty: true });
		expect(await outputUntil("1", /\n22\n23\n/)).toContain("\n1\n2\n3\n");
		await jobs("input", { id: "1", input: "G" });
		const end = await outputUntil("1", /\n99\n100\n\(END\)$/);
		expect(end).not.toContain("\n1\n2\n");
		expect(end).not.toContain("\x1b");
		expect(await jobs("poll", { id: "1", wait: 0 })).toMatchObject({ useless: true });
		await jobs("input", { id: "1", input: "q" });
		await outputUntil("1", /\nmore\?$/);
		expect(await jobs("poll", { id: "1", wait: 0 })).toMatchObject({ useless: true });
		await jobs("input", { id: "1", input: "yes\n" });
		expect(await outputUntil("1", /\nmore\? yes\ngot yes$/)).not.toContain("\n99\n");
		await jobs("kill", { id: "1" });
		expect((await jobs("output", { id: "1" })).text).toEndWith("\nmore? yes\ngot yes");
	});

	test("that clears its terminal shows what comes then", async () => {
		const command = "echo one; echo two; read x; printf '\\e[H\\e[2J\\e[3J'; echo three; read y";
		await start(command, { pty: true });
		await outputUntil("1", /\none\ntwo$/);
		let { text } = await jobs("input", { id: "1", input: "\n" });
		while (!text.endsWith("\nthree")) ({ text } = await jobs("poll", { id: "1", wait: 0.05 }));
		await jobs("kill", { id: "1" });
	});

	test("with much output has an artifact", async () => {
		await start("seq 100000");
		await jobs("poll", { id: "1", wait: 40 });
		const { text, details } = await jobs("output", { id: "1" });
		expect(text).toMatch(/omitted: read artifact:\/\/0 with/);
		expect(details).toMatchObject({ id: "1", totalLines: 100_000, artifactId: "0" });
	});
});

describe("all jobs", () => {
	test("are listed with their states", async () => {
		expect(await jobs("list")).toMatchObject({ useless: true, text: "No jobs." });
		await start("true");
		await start(waiting);
		await jobs("poll", { id: "1" });
		expect((await jobs("list")).text).toMatch(
			/^\[job 1 finished: exit code 0, \d+ s\] true\n\[job 2 is running, \d+ s\] until/,
		);
	});

	test("are polled together: the first that ends is reported, and none is reported twice", async () => {
		await start("sleep 100");
		await start(`${waiting}; echo second`);
		const polling = jobs("poll", { wait: 40 });
		go();
		expect((await polling).text).toMatch(/^\[job 2 finished: exit code 0, .*\nsecond$/);
		const again = await jobs("poll", { wait: 0 });
		expect(again.text).toStartWith("[job 1 is running");
		expect(env.delivered).toEqual([]);
	});

	test("are limited in number", async () => {
		for (let count = 0; count < limits.runningJobs; count++) await start(waiting);
		expect(await start("true")).toMatchObject({
			isError: true,
			text: "Too many jobs are running. End one with job kill first.",
		});
		go();
	});

	test("can be disabled by a setting", async () => {
		await env.settings.set("async.enabled", false, "session");
		expect(await start("true")).toMatchObject({
			isError: true,
			text: expect.stringContaining("async.enabled"),
		});
	});

	test("end with the session, and the model gets no more messages", async () => {
		await start("sleep 100 & echo $! > pid; sleep 100");
		await until(
			"the job runs",
			() => existsSync(join(env.cwd, "pid")) && readFileSync(join(env.cwd, "pid"), "utf8") !== "",
		);
		const pid = Number(readFileSync(join(env.cwd, "pid"), "utf8"));
		await env[Symbol.asyncDispose]();
		expect(isAlive(pid)).toBe(false);
		expect(env.delivered).toEqual([]);
	});
});

describe("the end of a job", () => {
	test("is reported to the model once, with the end of its output, if it does not wait for it", async () => {
		await start("seq 30; exit 2");
		await until("the model was told", () => env.delivered.length > 0);
		expect(env.delivered).toHaveLength(1);
		expect(env.delivered[0]).toStartWith(
			"job 1 failed: exit code 2 (seq 30; exit 2)\n[the last 20 lines; job output 1 has more]\n11\n",
		);
		expect(env.delivered[0]).toEndWith("\n30");
		expect((await jobs("poll", { wait: 0 })).text).toContain("[job 1 failed");
		expect(env.delivered).toHaveLength(1);
	});

	test("is visible to the user: each change is an event", async () => {
		await start("true");
		await jobs("poll", { id: "1" });
		const about = { type: "job_update" as const, id: "1", label: "true" };
		expect(env.events).toEqual([
			{ ...about, state: "running" },
			{ ...about, state: "done" },
		]);
	});

	test("is not waited for after an abort, and is then reported", async () => {
		await start(waiting);
		const abort = new AbortController();
		const polling = jobs("poll", { id: "1", wait: 100 }, abort.signal);
		abort.abort();
		await expect(polling).rejects.toThrow();
		go();
		await until("the model was told", () => env.delivered.length > 0);
	});
});

describe("a long-running command", () => {
	test("becomes a job if the user enables that, and the shell is free", async () => {
		await call(bash, { command: "x=1" });
		await env.settings.set("bash.autoBackground.enabled", true, "session");
		await env.settings.set("bash.autoBackground.thresholdMs", 1000, "session");
		const { text, details, isError } = await call(bash, { command: `x=2; echo begun; ${waiting}; echo $x` });
		expect(isError).toBeUndefined();
		expect(text).toBe(
			"begun\n\n[still running as job 1. You will be notified when it ends; use job to inspect it.]",
		);
		expect(details).toMatchObject({ jobId: "1" });
		// On a busy machine short commands take longer than the threshold, too.
		await env.settings.set("bash.autoBackground.enabled", false, "session");
		expect((await call(bash, { command: "echo $x; x=3; touch go" })).text).toBe("1");
		expect((await jobs("poll", { id: "1", wait: 40 })).text).toEndWith("\n2");
		expect((await call(bash, { command: "echo $x" })).text).toBe("3");
	});

	test("runs for its judge until the command itself has ended", async () => {
		await env.settings.set("bash.autoBackground.enabled", true, "session");
		await env.settings.set("bash.autoBackground.thresholdMs", 100, "session");
		const started: Promise<unknown>[] = [];
		const judged = {
			realPath: (path: string) => path,
			allows: () => true,
			accepts: () => true,
			changed() {},
			runs: (ended: Promise<unknown>) => void started.push(ended),
		};
		const { signal } = new AbortController();
		const args = { command: `${waiting}; touch gone` };
		const moved = await bash.bind(env).execute("call-1", args, signal, () => {}, judged);
		expect(textOf(moved)).toContain("still running as job 1");
		expect(started).toHaveLength(1);
		expect(Bun.peek.status(started[0])).toBe("pending");
		writeFileSync(join(env.cwd, "go"), "");
		await started[0];
		expect(existsSync(join(env.cwd, "gone"))).toBe(true);
	});

	test("has the timeout of a job, not the rest of its own", async () => {
		await env.settings.set("bash.autoBackground.enabled", true, "session");
		await env.settings.set("bash.autoBackground.thresholdMs", 100, "session");
		const { text } = await call(bash, { command: "sleep 2.6; echo over", timeout: 2 });
		expect(text).toContain("still running as job 1");
		expect((await jobs("poll", { id: "1", wait: 40 })).text).toMatch(/finished: exit code 0[^]*over/);
	});
});

test("a user sees the action", () => {
	expect(job.describeCall({ action: "poll", id: "3" })).toBe("job poll 3");
	expect(job.describeCall({})).toBe("job …");
});
