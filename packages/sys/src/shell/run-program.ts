/** Runs one program with input, reads its two outputs separately, and owns every process that it starts. */
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { listen, timer, withTimeout } from "@tau/utils";

import { childProcess } from "../node-library.ts";
import { limits } from "../limits.ts";
import { killFamily } from "../process/index.ts";
import { findShell } from "./find-shell.ts";
import { newScope, ownShell, shellEnded, withMark } from "./owned.ts";
import type { ShellOutcome } from "./run.ts";

export interface ProgramRun {
	/** A command line for the shell, or a program with its arguments. */
	command: string | readonly [program: string, ...args: string[]];
	cwd: string;
	env: Record<string, string>;
	/** The complete standard input. */
	input: string | Uint8Array;
	timeoutMs: number;
	signal: AbortSignal;
	/** The chunk is only valid during the call. */
	onOutput(chunk: Uint8Array): void;
	onError(chunk: Uint8Array): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Resolves when the program has exited. Its background processes go on until `endAll`; only an abort or the timeout
 * ends them too. Rejects when the program cannot be started.
 */
export async function runProgram(run: ProgramRun): Promise<ShellOutcome> {
	const started = performance.now();
	if (run.signal.aborted) return { stopped: "abort", durationMs: 0 };
	const mark = newScope();
	const { child, pid, exited, closed } = await start(run, mark);
	const owned = ownShell(pid, mark);
	child.stdout.on("data", run.onOutput);
	child.stderr.on("data", run.onError);
	// A program may exit without reading its input.
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
	discardOutput(child);
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
		const child = childProcess().spawn(program, args, {
			cwd: run.cwd,
			env: withMark(belowShell(run.env), mark),
			stdio: ["pipe", "pipe", "pipe"],
			// A session of its own: its own group to kill, and no terminal to read a password from.
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

/**
 * A bash without a parent shell that reads from a socket considers itself a remote shell, and reads `.bashrc` first.
 */
function belowShell(env: Record<string, string>): Record<string, string> {
	return Number(env.SHLVL ?? 0) >= 1 ? env : { ...env, SHLVL: "1" };
}

/** A background process may hold the outputs open for any time. */
async function drained(closed: Promise<void>): Promise<void> {
	const late = Promise.withResolvers<void>();
	using _timer = timer(limits.programDrainMs, late.resolve);
	await Promise.race([closed, late.promise]);
}

/** Further output is read and discarded, so that writers are not killed by a closed pipe. */
function discardOutput(child: Child): void {
	for (const stream of [child.stdout, child.stderr]) {
		stream.removeAllListeners("data");
		stream.resume();
		if ("unref" in stream && typeof stream.unref === "function") stream.unref();
	}
	child.unref();
}
