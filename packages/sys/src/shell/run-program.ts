/** Runs one program with something to read, hears its two outputs apart, and owns every process that it starts. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { listen, timer, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { killFamily } from "../process/index.ts";
import { findShell } from "./find-shell.ts";
import { newScope, ownShell, shellEnded, withMark } from "./owned.ts";
import type { ShellOutcome } from "./run.ts";

export interface ProgramRun {
	/** A line for the shell, or a program with its arguments. */
	command: string | readonly [program: string, ...args: string[]];
	cwd: string;
	env: Record<string, string>;
	/** All that there is to read on its standard input. */
	input: string;
	timeoutMs: number;
	signal: AbortSignal;
	/** The chunk is only valid during the call. */
	onOutput(chunk: Uint8Array): void;
	onError(chunk: Uint8Array): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Resolves when the program has ended. What it left in the background goes on until `endAll`; only an abort or the
 * timeout ends that too. Rejects when the program cannot be started.
 */
export async function runProgram(run: ProgramRun): Promise<ShellOutcome> {
	const started = performance.now();
	if (run.signal.aborted) return { stopped: "abort", durationMs: 0 };
	const mark = newScope();
	const { child, pid, exited, closed } = await start(run, mark);
	const owned = ownShell(pid, mark);
	child.stdout.on("data", run.onOutput);
	child.stderr.on("data", run.onError);
	// A program that does not read what it is told has a reason for it.
	child.stdin.on("error", () => {});
	child.stdin.end(run.input);
	using deadline = withTimeout(run.signal, run.timeoutMs, "The program timed out");
	let killing: Promise<unknown> | undefined;
	const kill = (): void => void (killing ??= killFamily({ leaders: [owned], mark }));
	if (deadline.signal.aborted) kill();
	using _listener = listen(deadline.signal, "abort", kill);
	await exited;
	shellEnded(owned);
	await killing;
	await drained(closed);
	letGo(child);
	const stopped = run.signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	return {
		...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
		...(child.signalCode === null ? {} : { killedBy: child.signalCode }),
		...(stopped === undefined ? {} : { stopped }),
		durationMs: performance.now() - started,
	};
}

interface Started {
	child: Child;
	pid: number;
	exited: Promise<void>;
	closed: Promise<void>;
}

async function start(run: ProgramRun, mark: string): Promise<Started> {
	try {
		const [program, ...args] =
			typeof run.command === "string" ? [findShell(run.env), "-c", run.command] : run.command;
		const child = spawn(program, args, {
			cwd: run.cwd,
			env: withMark(belowShell(run.env), mark),
			stdio: ["pipe", "pipe", "pipe"],
			// Its own session: a group of its own to kill, and no terminal to read a password from.
			detached: true,
		});
		const [exited, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		child.on("exit", () => exited.resolve());
		child.on("close", () => closed.resolve());
		await once(child, "spawn");
		if (child.pid === undefined) throw new Error("it has no process id");
		return { child, pid: child.pid, exited: exited.promise, closed: closed.promise };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`Cannot start it in ${run.cwd}: ${reason}`, { cause: error });
	}
}

/** A bash that is nobody's child and reads from a socket takes itself for a remote shell, and reads `.bashrc` first. */
function belowShell(env: Record<string, string>): Record<string, string> {
	return Number(env.SHLVL ?? 0) >= 1 ? env : { ...env, SHLVL: "1" };
}

/** Whoever was left in the background may hold the outputs open for as long as it likes. */
async function drained(closed: Promise<void>): Promise<void> {
	const late = Promise.withResolvers<void>();
	using _timer = timer(limits.programDrainMs, late.resolve);
	await Promise.race([closed, late.promise]);
}

/** What is still said is read, so that nobody is ended by saying it, and heard by nobody. */
function letGo(child: Child): void {
	for (const stream of [child.stdout, child.stderr]) {
		stream.removeAllListeners("data");
		stream.resume();
		if ("unref" in stream && typeof stream.unref === "function") stream.unref();
	}
	child.unref();
}
