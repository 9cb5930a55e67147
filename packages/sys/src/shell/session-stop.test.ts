/** An abort ends a command with all of its processes, the session continues, and its end leaves nothing behind. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { ownRoom } from "./pipe-room.ts";
import { alive, shellFixture, until } from "./testing/shell-fixture.ts";

describe("an abort", () => {
	test("before the start starts nothing", async () => {
		await using fixture = shellFixture();
		const { outcome } = await fixture.run("touch started", { signal: AbortSignal.abort() });
		expect(outcome).toEqual({ stopped: "abort", durationMs: 0, cwd: fixture.cwd });
		expect(existsSync(join(fixture.cwd, "started"))).toBe(false);
	});

	const long: [what: string, command: string][] = [
		["a program", "sleep 100"],
		["a builtin that waits", "sleep 100 & wait"],
		["a loop without a program", "while :; do :; done"],
		["a loop of programs", "for i in 1 2 3; do sleep 100; done"],
		["a pipeline", "sleep 100 | cat | sleep 100"],
		["a deaf pipeline", "(trap '' TERM; exec sleep 100) | cat | (trap '' TERM; exec sleep 100)"],
		["a subshell", "(sleep 100; sleep 100)"],
		["a substitution", 'x=$(sleep 100; echo no); echo "no$x"'],
	];
	test.each(long)("of %s skips the rest, and the same shell continues", async (_what, command) => {
		await using fixture = shellFixture();
		await fixture.run("id=$$; f() { echo kept; }");
		const { text, outcome } = await fixture.abortWhenReady(
			`cd /; y=1; echo ready; ${command}; echo not reached`,
		);
		expect(text).toBe("ready\n");
		expect(outcome).toMatchObject({ killedBy: "SIGTERM", stopped: "abort", cwd: "/" });
		expect((await fixture.run('[ $id = $$ ] && f; echo "$y"; pwd')).text).toBe("kept\n1\n/\n");
	});

	test("is sent again where bash has lost the signal, and its complaint is not shown", async () => {
		await using fixture = shellFixture();
		await fixture.run("id=$$");
		const complaint = "bash: trap: line 2: unexpected EOF while looking for matching \\`)'";
		const lost = `f=$(trap -p URG); trap 'echo "$complaint" >&2; eval "$f"' URG`;
		const { text, outcome } = await fixture.abortWhenReady(
			`complaint="${complaint}"; ${lost}; echo ready; while :; do :; done; echo not reached`,
		);
		expect(text).toBe("ready\n");
		expect(outcome).toMatchObject({ killedBy: "SIGTERM", stopped: "abort" });
		expect((await fixture.run("[ $id = $$ ] && echo same")).text).toBe("same\n");
	});

	const fatal: [what: string, command: string][] = [
		["a function", "g() { echo ready; sleep 100; echo not reached; }; g"],
		["a program that replaced the shell", "echo ready; exec sleep 100"],
		["a command that ignores signals", "trap '' URG; echo ready; while :; do sleep 0.01; done"],
		["a command that waits for input that never arrives", "mkfifo p; echo ready; read x <p"],
	];
	test.each(fatal)("of %s costs the shell, not the session", async (_what, command) => {
		await using fixture = shellFixture();
		await fixture.run("f() { echo kept; }; cd /");
		const { text, outcome } = await fixture.abortWhenReady(`cd ${fixture.cwd}; ${command}`);
		expect(text).toBe("ready\n");
		expect(outcome).toMatchObject({ stopped: "abort" });
		expect(outcome).not.toHaveProperty("exitCode");
		expect((await fixture.run("f")).text).toBe("kept\n");
	});

	const stubborn: [who: string, command: string, count: number][] = [
		["children and grandchildren", "sleep 100 & echo $!; sh -c 'sleep 100 & echo $!; echo ready; wait'", 2],
		["those that ignore SIGTERM", "(trap '' TERM; sleep 100 & echo $! $BASHPID ready; wait)", 2],
		["those in a group of their own", "set -m; sleep 100 & echo $!; echo ready; wait", 1],
		["those without an environment", "env -i sleep 100 & echo $!; echo ready; wait", 1],
		["stopped ones", "sleep 100 & kill -STOP $!; echo $!; echo ready; wait", 1],
		["the background, when the command has ended", "sleep 100 & echo $!; echo ready", 1],
	];
	test.each(stubborn)("ends %s", async (_who, command, count) => {
		await using fixture = shellFixture();
		const { outcome, pids } = await fixture.abortWhenReady(command);
		expect(outcome.stopped).toBe("abort");
		expect(pids).toHaveLength(count);
		expect(alive(pids)).toEqual([]);
	});

	needs("setsid")("ends daemons: a session of their own, deaf, and their parent gone", async () => {
		await using fixture = shellFixture();
		const daemon = `(trap '' TERM; setsid sh -c 'echo $$ ready; sleep 100; sleep 100' &)`;
		const { pids } = await fixture.abortWhenReady(`${daemon}; sleep 100`);
		expect(pids).toHaveLength(1);
		expect(alive(pids)).toEqual([]);
	});

	test("of a command does not affect a concurrent one", async () => {
		await using fixture = shellFixture();
		const first = fixture.run("until [ -e go ]; do sleep 0.01; done; echo first");
		const second = await fixture.abortWhenReady("sleep 100 & echo $! ready; wait");
		expect(alive(second.pids)).toEqual([]);
		writeFileSync(join(fixture.cwd, "go"), "");
		expect((await first).text).toBe("first\n");
	});

	test("spares background processes of earlier commands", async () => {
		await using fixture = shellFixture();
		const servers = await fixture.run(
			"sleep 100 & echo $!; env -i sleep 100 & echo $!; (while :; do sleep 0.1; done) & echo $!; nohup sleep 100 >/dev/null 2>&1 & echo $!",
		);
		const pids = servers.text.trim().split("\n").map(Number);
		// A process that started in the same hundredth of a second as the command counts as its own.
		await fixture.run("sleep 0.02");
		await fixture.abortWhenReady("g() { echo ready; sleep 100; }; g");
		await fixture.abortWhenReady("echo ready; sleep 100");
		expect(alive(pids)).toEqual(pids);
		await fixture.session[Symbol.asyncDispose]();
		expect(alive(pids)).toEqual([]);
	});

	test("by a listener that fails reports the failure, and the session continues", async () => {
		await using fixture = shellFixture();
		const failing = fixture.run("echo hello; sleep 100", {
			onOutput: () => {
				throw new Error("the listener failed");
			},
		});
		await expect(failing).rejects.toThrow("the listener failed");
		expect((await fixture.run("echo on")).text).toBe("on\n");
	});
});

describe("a timeout", () => {
	test("ends the command and reports it", async () => {
		await using fixture = shellFixture();
		const { outcome } = await fixture.run("sleep 100", { timeoutMs: 50 });
		expect(outcome).toMatchObject({ killedBy: "SIGTERM", stopped: "timeout" });
		expect((await fixture.run("echo on")).text).toBe("on\n");
	});
});

describe("a child in the background", () => {
	test("does not hold the call open, keeps running, and ends with the session", async () => {
		await using fixture = shellFixture();
		const { text, outcome } = await fixture.run("sleep 100 & echo $!");
		expect(outcome.exitCode).toBe(0);
		const pid = Number(text);
		await fixture.run("true");
		expect(alive([pid])).toEqual([pid]);
		await fixture.session[Symbol.asyncDispose]();
		expect(alive([pid])).toEqual([]);
	});

	test("may print after the call without being killed, and the next command does not get its output", async () => {
		await using fixture = shellFixture();
		await fixture.run(
			"(until [ -e go ]; do sleep 0.01; done; echo talking; echo alive > proof) & echo started",
		);
		writeFileSync(join(fixture.cwd, "go"), "");
		const { text } = await fixture.run("until [ -e proof ]; do sleep 0.01; done; echo next");
		expect(text).toBe("next\n");
	});

	test("outlives the shell that started it", async () => {
		await using fixture = shellFixture();
		const pid = Number((await fixture.run("sleep 100 & echo $!; exit")).text);
		await fixture.run("kill -9 $$");
		expect(alive([pid])).toEqual([pid]);
	});
});

describe("the end of the session", () => {
	needs("setsid")("ends daemons of all commands, also of those beside", async () => {
		await using fixture = shellFixture();
		const daemon = "setsid sh -c 'echo $$; exec sleep 100' & sleep 0.01";
		const both = await Promise.all([fixture.run(daemon), fixture.run(`(${daemon})`)]);
		const pids = both.map(({ text }) => Number(text));
		expect(alive(pids)).toEqual(pids);
		await fixture.session[Symbol.asyncDispose]();
		expect(alive(pids)).toEqual([]);
	});

	test("ends the running commands", async () => {
		await using fixture = shellFixture();
		const running = Promise.all([fixture.run("echo 1; sleep 100"), fixture.run("echo 2; sleep 100")]);
		await fixture.session[Symbol.asyncDispose]();
		for (const { outcome } of await running) expect(outcome).toMatchObject({ stopped: "abort" });
	});

	test("does not wait for the shell to count to ten thousand", async () => {
		await using fixture = shellFixture();
		await fixture.run(`trap 'echo "$__tau_outer $__tau_inner" > ${fixture.cwd}/count' EXIT`);
		await fixture.session[Symbol.asyncDispose]();
		await until("the shell has exited", () => existsSync(join(fixture.cwd, "count")));
		expect(readFileSync(join(fixture.cwd, "count"), "utf8")).toBe("1 2\n");
	});

	test("lets the shell clean up", async () => {
		await using fixture = shellFixture();
		await fixture.run(`trap 'echo cleaned > ${fixture.cwd}/proof' EXIT`);
		await fixture.session[Symbol.asyncDispose]();
		await until("the shell has cleaned up", () => existsSync(join(fixture.cwd, "proof")));
	});
});

test("a shell keeps its state in the same few files, however many commands it runs", async () => {
	await using fixture = shellFixture();
	for (let n = 0; n < 6; n++) await fixture.run(`n=${n}`);
	expect((await fixture.run("echo $n; exit 0")).text).toBe("5\n");
	expect((await fixture.run("echo $n")).text).toBe("5\n");
	const written = readdirSync(ownRoom.states).filter((name) => name.endsWith(".state"));
	expect(written.map((name) => Number(/-(\d+)\.state$/.exec(name)?.[1]) <= 3)).not.toContain(false);
	expect(written.length).toBeGreaterThan(0);
});
