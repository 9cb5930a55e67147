/** A command runs as a user would expect, and an abort leaves none of its processes behind. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "../limits.ts";
import { listProcesses, readProcess, startedWith } from "../process/table.ts";
import { OutputTail } from "./output-tail.ts";
import { runShell, type ShellCommand, type ShellOutcome } from "./run.ts";
import { until } from "./testing/shell-fixture.ts";

/** In the environment of every process of this file, so that none can be missed. */
const suite = `suite-${crypto.randomUUID()}`;
const env = { PATH: process.env.PATH ?? "", TAU_TEST_SUITE: suite };

let cwd = "";
beforeEach(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-run-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));
afterAll(async () => {
	// A killed process, and the reader of its last output, may take a moment to exit.
	await until("all processes of this file are gone", () => left().length === 0);
});

function left(): number[] {
	return listProcesses()
		.map((entry) => entry.pid)
		.filter((pid) => startedWith(pid, suite));
}

interface Ran {
	outcome: ShellOutcome;
	text: string;
	output: OutputTail;
}

async function run(command: string, more: Partial<ShellCommand> = {}): Promise<Ran> {
	const output = new OutputTail();
	const outcome = await runShell({
		command,
		cwd,
		env,
		timeoutMs: 20_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => output.push(chunk),
		...more,
	});
	return { outcome, text: output.text(), output };
}

/** Aborts as soon as the command has printed `ready`; the numbers that it printed are its pids. */
async function abortWhenReady(command: string): Promise<Ran & { pids: number[] }> {
	const abort = new AbortController();
	const output = new OutputTail();
	const onOutput = (chunk: Uint8Array): void => {
		output.push(chunk);
		if (output.text().includes("ready")) abort.abort();
	};
	const { outcome } = await run(command, { signal: abort.signal, onOutput });
	const text = output.text();
	const pids = [...text.matchAll(/\d+/g)].map(Number);
	return { outcome, text, output, pids };
}

function alive(pids: readonly number[]): number[] {
	return pids.filter((pid) => readProcess(pid) !== undefined);
}

/** Ends a process that a test left in the background on purpose. */
async function end(pid: number): Promise<void> {
	process.kill(pid, "SIGKILL");
	await until(`${pid} is gone`, () => alive([pid]).length === 0);
}

describe("a command", () => {
	const cases: [promise: string, command: string, expected: { text: string | RegExp; exitCode: number }][] = [
		["returns its output and its exit code", "echo hello; exit 7", { text: "hello\n", exitCode: 7 }],
		["may print nothing", "true", { text: "", exitCode: 0 }],
		["mixes standard error in, in order", "echo 1; echo 2 >&2; echo 3", { text: "1\n2\n3\n", exitCode: 0 }],
		["may hide standard error", "echo 1 2>/dev/null; ls nope 2>/dev/null", { text: "1\n", exitCode: 2 }],
		["shows a syntax error", "if then", { text: /syntax error/, exitCode: 2 }],
		["shows an unclosed quote", 'echo "open', { text: /unexpected EOF/, exitCode: 2 }],
		["reports a missing program", "tau-no-such-program", { text: /not found/, exitCode: 127 }],
		["gets an end of input at once", "cat; read line; echo $?", { text: "1\n", exitCode: 0 }],
		["may replace its shell", "exec sh -c 'echo replaced; exit 5'", { text: "replaced\n", exitCode: 5 }],
		["may close its output and continue", "exec >&- 2>&-; sleep 0.05; exit 4", { text: "", exitCode: 4 }],
		["may have many lines", "cat <<'END'\na\n\nb\nEND\necho c\n", { text: "a\n\nb\nc\n", exitCode: 0 }],
		["has no terminal", "test -t 0 || test -t 1 || test -t 2; echo $?", { text: "1\n", exitCode: 0 }],
		[
			"passes a NUL on and marks a byte that is no text",
			"printf 'a\\0b\\377c'",
			{ text: "a\0b\ufffdc", exitCode: 0 },
		],
	];
	test.each(cases)("%s", async (_promise, command, expected) => {
		const { outcome, text } = await run(command);
		if (typeof expected.text === "string") expect(text).toBe(expected.text);
		else expect(text).toMatch(expected.text);
		expect(outcome).toEqual({ exitCode: expected.exitCode, durationMs: expect.any(Number) });
	});

	test("runs in the given directory, with the given environment and no other", async () => {
		process.env.TAU_TEST_LEAK = "leaked";
		const { text } = await run('pwd; echo "$GIVEN$TAU_TEST_LEAK"', { env: { ...env, GIVEN: "given" } });
		delete process.env.TAU_TEST_LEAK;
		expect(text).toBe(`${cwd}\ngiven\n`);
	});

	test("runs in a session of its own, without the terminal", async () => {
		const { text } = await run(
			"read -r pid name state parent group session rest </proc/$$/stat; echo $((session - $$))",
		);
		expect(text).toBe("0\n");
	});

	test("that kills its own shell is reported with the signal", async () => {
		const { outcome, text } = await run("echo before; kill -9 $$; echo after");
		expect(text).toBe("before\n");
		expect(outcome).toEqual({ killedBy: "SIGKILL", durationMs: expect.any(Number) });
	});

	test("that prints many megabytes keeps its end and its count", async () => {
		const { outcome, text, output } = await run("yes 'a line of output' | head -n 2000000; echo the end");
		expect(outcome.exitCode).toBe(0);
		expect(output.totalLines).toBe(2_000_001);
		expect(output.totalBytes).toBe(2_000_000 * 17 + 8);
		expect(text.length).toBeLessThanOrEqual(limits.outputTailBytes);
		expect(text).toEndWith("a line of output\nthe end\n");
	});

	test("runs in sh if there is no bash", async () => {
		const sh = join(cwd, "sh");
		symlinkSync("/bin/sh", sh);
		const { text, outcome } = await run("echo $0", { env: { ...env, PATH: cwd } });
		expect(text).toBe(`${sh}\n`);
		expect(outcome.exitCode).toBe(0);
	});

	test("whose listener fails is ended, and the failure is reported", async () => {
		const failing = run("echo hello; sleep 100", {
			onOutput: () => {
				throw new Error("the listener failed");
			},
		});
		await expect(failing).rejects.toThrow("the listener failed");
		expect(left()).toEqual([]);
	});
});

describe("a command that cannot be started", () => {
	const file = import.meta.path;
	const cases: [why: string, command: string, more: Partial<ShellCommand>, message: string][] = [
		["a missing directory", "true", { cwd: "/tau/none" }, "Working directory does not exist: /tau/none"],
		["a file as directory", "true", { cwd: file }, `Working directory is not a directory: ${file}`],
		["no shell", "true", { env: { PATH: "/tau/none" } }, "No bash or sh on PATH"],
		["too much text", `: ${"x".repeat(200_000)}`, {}, "too long for the system (200002 characters)"],
		["a NUL in it", "echo a\0b", {}, "without null bytes"],
	];
	test.each(cases)("reports why: %s", async (_why, command, more, message) => {
		await expect(run(command, more)).rejects.toThrow(message);
	});
});

describe("an abort", () => {
	test("before the start starts nothing", async () => {
		const { outcome } = await run("touch started", { signal: AbortSignal.abort() });
		expect(outcome).toEqual({ stopped: "abort", durationMs: 0 });
		expect(existsSync(join(cwd, "started"))).toBe(false);
	});

	test("keeps the output so far, and names the signal", async () => {
		const { outcome, text } = await abortWhenReady("echo ready; sleep 100");
		expect(text).toBe("ready\n");
		expect(outcome).toEqual({ killedBy: "SIGTERM", stopped: "abort", durationMs: expect.any(Number) });
		expect(left()).toEqual([]);
	});

	test("lets a command clean up", async () => {
		const { outcome } = await abortWhenReady(
			"trap 'echo cleaned > proof; exit 3' TERM; echo ready; while :; do sleep 0.01; done",
		);
		expect(readFileSync(join(cwd, "proof"), "utf8")).toBe("cleaned\n");
		expect(outcome).toMatchObject({ exitCode: 3, stopped: "abort" });
	});

	test("signals each process once, because many programs exit without cleaning up on the second signal", async () => {
		const trap = "trap 'echo asked >> log' TERM";
		const forever = "while :; do sleep 0.01; done";
		const inOtherGroup = `set -m; (${trap}; touch trapped; ${forever}) & set +m`;
		const wait = "until [ -e trapped ]; do sleep 0.01; done";
		await abortWhenReady(`${inOtherGroup}; ${wait}; ${trap}; echo ready; ${forever}`);
		expect(readFileSync(join(cwd, "log"), "utf8")).toBe("asked\nasked\n");
	});

	const stubborn: [who: string, command: string, count: number][] = [
		["children and grandchildren", "sleep 100 & echo $!; sh -c 'sleep 100 & echo $!; echo ready; wait'", 2],
		["those that ignore SIGTERM", "trap '' TERM; sleep 100 & echo $! $$; echo ready; wait", 2],
		["those in a group of their own", "set -m; sleep 100 & echo $!; echo ready; wait", 1],
		[
			"those that are deaf and silent",
			"(trap '' TERM; echo $BASHPID ready; exec sleep 100 >/dev/null 2>&1) & wait",
			1,
		],
		["orphans without an environment", "(set -m; env -i sleep 100 & echo $!; echo ready); sleep 100", 1],
		["those without an environment", "env -i sleep 100 & echo $!; echo ready; wait", 1],
		[
			"those that are started while it kills",
			"trap 'sleep 100 & echo $!' TERM; echo ready; while :; do sleep 0.01; done",
			1,
		],
		["stopped ones", "sleep 100 & kill -STOP $!; echo $!; echo ready; wait", 1],
		["the background, when the shell has ended", "sleep 100 & echo $!; echo ready", 1],
	];
	test.each(stubborn)("ends %s", async (_who, command, count) => {
		let { outcome, pids } = await abortWhenReady(command);
		// On a busy machine a shell may be killed before its trap has run: then there was nothing to show.
		for (let tries = 9; pids.length < count && tries > 0; tries--)
			({ outcome, pids } = await abortWhenReady(command));
		expect(outcome.stopped).toBe("abort");
		expect(pids).toHaveLength(count);
		expect(alive(pids)).toEqual([]);
		expect(left()).toEqual([]);
	});

	needs("setsid")("ends those that made a session of their own", async () => {
		const { pids } = await abortWhenReady("setsid sh -c 'echo $$ ready; exec sleep 100' & wait");
		expect(pids).toHaveLength(1);
		expect(alive(pids)).toEqual([]);
	});

	needs("setsid")("ends daemons: a session of their own, deaf, and their parent gone", async () => {
		const daemon = `(trap '' TERM; setsid sh -c 'echo $$ ready; sleep 100; sleep 100' &)`;
		const { pids } = await abortWhenReady(`${daemon}; sleep 100`);
		expect(pids).toHaveLength(1);
		expect(alive(pids)).toEqual([]);
		expect(left()).toEqual([]);
	});

	needs("setsid")("ends the daemons of a Tau that it ran", async () => {
		const module = JSON.stringify(join(import.meta.dir, "run.ts"));
		const inner = JSON.stringify("(setsid sh -c 'echo $$ ready; exec sleep 100' &) ; sleep 100");
		const script = `
			import { runShell } from ${module};
			await runShell({ command: ${inner}, cwd: ".", env: process.env, timeoutMs: 20_000,
				signal: new AbortController().signal, onOutput: (chunk) => process.stdout.write(chunk) });`;
		writeFileSync(join(cwd, "inner.ts"), script);
		const { pids } = await abortWhenReady(`${process.execPath} inner.ts`);
		expect(pids).toHaveLength(1);
		expect(alive(pids)).toEqual([]);
		expect(left()).toEqual([]);
	});

	test("is done within 300 ms even if all processes ignore SIGTERM", () => {
		expect(limits.killGraceMs + 2 * limits.killWaitMs).toBeLessThan(300);
	});
});

describe("a timeout", () => {
	test("ends the command with its children and reports it", async () => {
		const { outcome } = await run("trap '' TERM; sleep 100 & sleep 100", { timeoutMs: 1000 });
		// By SIGTERM if a busy machine has not come to the trap.
		expect(outcome).toEqual({
			killedBy: expect.stringMatching(/^SIG(KILL|TERM)$/),
			stopped: "timeout",
			durationMs: expect.any(Number),
		});
		expect(left()).toEqual([]);
	});

	test("that is not reached has no effect", async () => {
		const { outcome } = await run("true", { timeoutMs: 20_000 });
		expect(outcome).not.toHaveProperty("stopped");
	});
});

describe("a child in the background", () => {
	test("does not hold the call open and keeps running", async () => {
		const { outcome, text } = await run("sleep 100 & echo $!");
		expect(outcome).toEqual({ exitCode: 0, durationMs: expect.any(Number) });
		expect(alive([Number(text)])).toEqual([Number(text)]);
		await end(Number(text));
	});

	test("may print after the call without being killed, and its output is discarded", async () => {
		const output: string[] = [];
		await run("(until [ -e go ]; do sleep 0.01; done; echo talking; echo alive > proof) & echo started", {
			onOutput: (chunk) => output.push(new TextDecoder().decode(chunk)),
		});
		writeFileSync(join(cwd, "go"), "");
		await until("the child has talked and gone on", () => existsSync(join(cwd, "proof")));
		await until("the child is gone", () => left().length === 0);
		expect(output.join("")).toBe("started\n");
	});

	test("is still read when it prints right after the shell has exited", async () => {
		const { text } = await run("(while kill -0 $$; do :; done 2>/dev/null; echo late) & echo early");
		expect(text).toBe("early\nlate\n");
	});

	test("that never stops printing does not hold the call open", async () => {
		const { outcome, text } = await run("(while :; do echo talk; sleep 0.01; done) & echo $!");
		expect(outcome.exitCode).toBe(0);
		// The child may have printed before its pid.
		await end(Number(/\d+/.exec(text)?.[0]));
		await until("its last sleep is gone", () => left().length === 0);
	});

	test("does not keep the program that ran it alive", async () => {
		const module = JSON.stringify(join(import.meta.dir, "run.ts"));
		const script = `
			import { runShell } from ${module};
			await runShell({ command: "sleep 100 & echo $!", cwd: ".", env: process.env, timeoutMs: 20_000,
				signal: new AbortController().signal, onOutput: (chunk) => process.stdout.write(chunk) });`;
		writeFileSync(join(cwd, "program.ts"), script);
		const program = Bun.spawn([process.execPath, "program.ts"], {
			cwd,
			env,
			stdout: "pipe",
			timeout: 60_000,
		});
		const first = await program.stdout.getReader().read();
		expect(await program.exited).toBe(0);
		const pid = Number(new TextDecoder().decode(first.value));
		expect(pid).toBeGreaterThan(1);
		// The program's watcher ends it.
		await until("the child is gone", () => alive([pid]).length === 0);
	});
});
