/** Runs one shell command and owns every process that it starts. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";

import { listen, uuidv7, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import { killTree } from "../process/index.ts";

export interface ShellCommand {
	command: string;
	cwd: string;
	env: Record<string, string>;
	timeoutMs: number;
	signal: AbortSignal;
	/** Standard output and error as they come, in one stream. The chunk is only valid during the call. */
	onOutput(chunk: Uint8Array): void;
}

export interface ShellOutcome {
	/** Absent when the command was killed. */
	exitCode?: number;
	/** The signal that ended the command, by itself or by us. */
	killedBy?: string;
	/** Why we ended it. */
	stopped?: "timeout" | "abort";
	durationMs: number;
}

type Shell = ChildProcessByStdio<null, Readable, null>;

/** Every process of a command inherits this, so that also one that cut all ties to its parents can be found. */
const markName = "TAU_SHELL_RUN";

/**
 * Resolves when the shell has ended. What it left in the background goes on; only an abort or the timeout ends that
 * too. Rejects when the shell cannot be started or `onOutput` throws.
 */
export async function runShell(run: ShellCommand): Promise<ShellOutcome> {
	const started = performance.now();
	if (run.signal.aborted) return { stopped: "abort", durationMs: 0 };
	const mark = uuidv7();
	const { shell, pid } = await start(run, mark);
	using deadline = withTimeout(run.signal, run.timeoutMs, "The command ran out of time");
	let killing: Promise<void> | undefined;
	const kill = (): void => void (killing ??= killTree(pid, mark));
	if (deadline.signal.aborted) kill();
	using _listener = listen(deadline.signal, "abort", kill);
	try {
		await drain(shell, run.onOutput);
	} catch (error) {
		kill();
		throw error;
	} finally {
		await killing;
	}
	const stopped = run.signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	return {
		...(shell.exitCode === null ? {} : { exitCode: shell.exitCode }),
		...(shell.signalCode === null ? {} : { killedBy: shell.signalCode }),
		...(stopped === undefined ? {} : { stopped }),
		durationMs: performance.now() - started,
	};
}

async function start(run: ShellCommand, mark: string): Promise<{ shell: Shell; pid: number }> {
	const path = { PATH: run.env.PATH ?? "" };
	const program = Bun.which("bash", path) ?? Bun.which("sh", path);
	if (!program) throw new Error("No bash or sh on PATH: install bash to run commands.");
	// A Tau inside a Tau adds its mark to the outer one, which still has to find all of them.
	const marks = [run.env[markName] ?? "", mark].join(" ").trim();
	try {
		const shell = spawn(program, ["-c", `exec 2>&1\n${run.command}`], {
			cwd: run.cwd,
			env: { ...run.env, [markName]: marks },
			stdio: ["ignore", "pipe", "ignore"],
			// Its own session: a group of its own to kill, and no terminal to read a password from.
			detached: true,
		});
		await once(shell, "spawn");
		if (shell.pid === undefined) throw new Error("it has no process id");
		return { shell, pid: shell.pid };
	} catch (error) {
		throw new Error(startFailure(error, run), { cause: error });
	}
}

function startFailure(error: unknown, { command, cwd }: ShellCommand): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	switch (code) {
		case "ENOENT":
			return `Working directory does not exist: ${cwd}`;
		case "ENOTDIR":
			return `Working directory is not a directory: ${cwd}`;
		case "E2BIG":
			return `The system does not take a command of ${command.length} characters: write a script file and run it.`;
		default:
			return `Cannot start a shell in ${cwd}: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** Reads until the pipe ends; a background child that holds it open does not hold the call open. */
async function drain(shell: Shell, onOutput: (chunk: Uint8Array) => void): Promise<void> {
	const exited = once(shell, "exit");
	let listening = true;
	let silentTicks = 0;
	const reading = (async () => {
		for await (const chunk of shell.stdout) {
			silentTicks = 0;
			if (listening) onOutput(chunk);
		}
	})();
	await Promise.race([reading, exited]);
	const silent = Promise.withResolvers<void>();
	let ticks = 0;
	// Silence is counted in ticks, not in time: nothing can be heard while the event loop is busy with other things.
	const ticker = setInterval(() => {
		if (++silentTicks > limits.drainSilentTicks || ++ticks > limits.drainTicks) silent.resolve();
	}, limits.drainTickMs);
	try {
		await Promise.race([reading, silent.promise]);
	} finally {
		clearInterval(ticker);
	}
	await exited;
	listening = false;
	letGo(shell);
}

/** The pipe is still read, or a server in the background would die of its next line, but keeps nobody from leaving. */
function letGo({ stdout }: Shell): void {
	if ("unref" in stdout && typeof stdout.unref === "function") stdout.unref();
}
