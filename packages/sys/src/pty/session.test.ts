/** A program in a pseudo-terminal can be typed to, resized and ended, and sees an interactive terminal. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ShellOutcome } from "../shell/run.ts";
import { alive } from "../shell/testing/shell-fixture.ts";
import { PtySession, type PtyCommand } from "./session.ts";

let cwd = "";
beforeEach(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-pty-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Ran {
	text: string;
	outcome: ShellOutcome;
}

type Answers = [received: string, act: (pty: PtySession) => void][];

/** Runs a command and sends each answer as soon as the command has printed the text that the answer waits for. */
async function run(command: string, answers: Answers = [], more: Partial<PtyCommand> = {}): Promise<Ran> {
	const pty = new PtySession();
	const waiting = [...answers];
	let text = "";
	const outcome = await pty.start({
		command,
		cwd,
		env: { PATH: process.env.PATH ?? "", TERM: "dumb" },
		timeoutMs: 20_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => {
			text += Buffer.from(chunk).toString();
			while (waiting[0] && text.includes(waiting[0][0])) waiting.shift()?.[1](pty);
		},
		...more,
	});
	expect(pty.running).toBe(false);
	return { text: text.replaceAll("\r\n", "\n"), outcome };
}

describe("a command", () => {
	test("has a named terminal of 80 by 24, and returns its exit code", async () => {
		const { text, outcome } = await run(
			"test -t 0 && test -t 1 && test -t 2 && stty size; echo $TERM; exit 3",
		);
		expect(text).toBe("24 80\nxterm-256color\n");
		expect(outcome).toEqual({ exitCode: 3, durationMs: expect.any(Number) });
	});

	test("may ask, and gets the typed input", async () => {
		const { text } = await run("read -p 'name? ' x; echo hello $x", [
			["name? ", (pty) => pty.write("tau\n")],
		]);
		expect(text).toBe("name? tau\nhello tau\n");
	});

	test("gets bytes unchanged, and the end of input", async () => {
		const { text } = await run("stty -echo; echo ready; cat", [
			["ready", (pty) => pty.write(new TextEncoder().encode("ünï\n\x04"))],
		]);
		expect(text).toBe("ready\nünï\n");
	});

	test("is interrupted by Ctrl+C", async () => {
		const { text, outcome } = await run(
			"trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.01; done",
			[["ready", (pty) => pty.write("\x03")]],
		);
		expect(text).toMatch(/^ready\n\^Ccaught\n$/);
		expect(outcome.exitCode).toBe(5);
	});

	test("is notified of a new size, within the bounds that programs are built for", async () => {
		const { text } = await run(
			"trap 'stty size; exit' WINCH; stty size; echo ready; while :; do sleep 0.01; done",
			[["ready", (pty) => pty.resize(100_000, 1)]],
			{ columns: 100, rows: 30 },
		);
		expect(text).toBe("30 100\nready\n5 400\n");
	});

	test("that is killed by itself returns the signal", async () => {
		expect((await run("kill -9 $$")).outcome).toMatchObject({ killedBy: "SIGKILL" });
	});

	test("may print much, and all of it arrives", async () => {
		const { text } = await run("seq 100000");
		expect(text).toEndWith("99999\n100000\n");
		expect(text.split("\n")).toHaveLength(100_001);
	});

	test("that cannot be started reports why", async () => {
		await expect(run("true", [], { cwd: "/tau/none" })).rejects.toThrow("Working directory does not exist");
		await expect(run("true", [], { env: { PATH: "/tau/none" } })).rejects.toThrow("No bash or sh on PATH");
	});

	test("whose listener fails is ended, and the failure is reported", async () => {
		const pids: number[] = [];
		const failing = run("echo $$; sleep 100", [], {
			onOutput: (chunk) => {
				pids.push(Number.parseInt(Buffer.from(chunk).toString(), 10));
				throw new Error("the listener failed");
			},
		});
		await expect(failing).rejects.toThrow("the listener failed");
		expect(alive(pids)).toEqual([]);
	});
});

describe("the end kills all of its processes", () => {
	const deaf = "(trap '' HUP TERM; sleep 100 & echo $!; echo ready; sleep 100)";
	const numbers = (text: string): number[] => [...text.matchAll(/\d+/g)].map(Number);

	test("when it is killed", async () => {
		const { text, outcome } = await run(deaf, [["ready", (pty) => pty.kill()]]);
		expect(outcome).toMatchObject({ stopped: "abort" });
		expect(numbers(text)).toHaveLength(1);
		expect(alive(numbers(text))).toEqual([]);
	});

	test("when it is aborted", async () => {
		const abort = new AbortController();
		const { text, outcome } = await run(deaf, [["ready", () => abort.abort()]], { signal: abort.signal });
		expect(outcome).toMatchObject({ stopped: "abort" });
		expect(alive(numbers(text))).toEqual([]);
	});

	test("when its time is up", async () => {
		const { outcome } = await run("sleep 100", [], { timeoutMs: 30 });
		expect(outcome).toMatchObject({ stopped: "timeout", killedBy: "SIGTERM" });
	});

	test("when it exits and leaves a background process", async () => {
		const { text, outcome } = await run("(trap '' HUP; sleep 100) & echo $!");
		expect(outcome.exitCode).toBe(0);
		expect(alive(numbers(text))).toEqual([]);
	});

	test("and an abort before the start starts nothing", async () => {
		const { outcome } = await run("echo", [], { signal: AbortSignal.abort() });
		expect(outcome).toEqual({ stopped: "abort", durationMs: 0 });
	});
});

test("a terminal runs one command at a time, and refuses input without one", async () => {
	const pty = new PtySession();
	expect(() => pty.write("x")).toThrow("No command is running in the terminal.");
	expect(() => pty.resize(80, 24)).toThrow("No command is running");
	expect(() => pty.kill()).toThrow("No command is running");
	const signal = new AbortController().signal;
	const env = { PATH: process.env.PATH ?? "" };
	const command = { command: "read x", cwd, env, timeoutMs: 20_000, signal, onOutput: () => {} };
	const running = pty.start(command);
	await expect(pty.start(command)).rejects.toThrow("already running a command");
	pty.write("\n");
	expect((await running).exitCode).toBe(0);
	const again = pty.start(command);
	pty.write("\n");
	expect((await again).exitCode).toBe(0);
});
