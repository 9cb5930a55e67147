/** Runs one shell command and owns every process that it starts. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

import { listen, withTimeout } from "@tau/utils";

import { childProcess } from "../node-library.ts";
import { killFamily } from "../process/index.ts";
import { findShell } from "./find-shell.ts";
import type { ShellLauncher } from "./launcher.ts";
import { OutputPipe } from "./output-pipe.ts";
import { newScope, ownShell, shellEnded, withMark } from "./owned.ts";
import { startFailure } from "./start-failure.ts";

export interface ShellCommand {
	command: string;
	cwd: string;
	env: Record<string, string>;
	timeoutMs: number;
	signal: AbortSignal;
	/** Called when the command starts, with what gives it another timeout from then on. */
	onStart?(extend: (timeoutMs: number) => void): void;
	/** Standard output and error as they arrive, in one stream. The chunk is only valid during the call. */
	onOutput(chunk: Uint8Array): void;
}

export interface ShellOutcome {
	/** Absent when the command was killed. */
	exitCode?: number;
	/** The signal that ended the command, sent by us or by others. */
	killedBy?: string;
	/** Why we ended it. */
	stopped?: "timeout" | "abort";
	durationMs: number;
}

/**
 * Resolves when the shell has exited. Its background processes go on until `endAll`; only an abort or the timeout
 * ends them too. Rejects when the shell cannot be started or `onOutput` throws.
 */
export async function runShell(run: ShellCommand, launcher?: ShellLauncher): Promise<ShellOutcome> {
	const started = performance.now();
	if (run.signal.aborted) return { stopped: "abort", durationMs: 0 };
	const mark = newScope();
	using pipe = await OutputPipe.open(run.onOutput);
	launcher?.commandStarts?.();
	const { shell, pid, exited } = await start(run, mark, pipe, launcher).catch((error: unknown) => {
		launcher?.commandEnded();
		throw error;
	});
	pipe.closeWriter();
	const owned = ownShell(pid, mark);
	using deadline = withTimeout(run.signal, run.timeoutMs, "The command timed out");
	let killing: Promise<unknown> | undefined;
	const kill = (): void => void (killing ??= killFamily({ leaders: [owned], mark }));
	if (deadline.signal.aborted) kill();
	using _listener = listen(deadline.signal, "abort", kill);
	try {
		await Promise.race([exited, pipe.reading.then(() => exited)]);
		shellEnded(owned);
		await pipe.drain();
	} catch (error) {
		kill();
		throw error;
	} finally {
		await killing;
		launcher?.commandEnded();
	}
	pipe.letGo(() => withMark(run.env, mark));
	const stopped = run.signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	return {
		...(shell.exitCode === null ? {} : { exitCode: shell.exitCode }),
		...(shell.signalCode === null ? {} : { killedBy: shell.signalCode }),
		...(stopped === undefined ? {} : { stopped }),
		durationMs: performance.now() - started,
	};
}

interface Started {
	shell: ChildProcess;
	pid: number;
	exited: Promise<void>;
}

async function start(
	run: ShellCommand,
	mark: string,
	{ writer }: OutputPipe,
	launcher: ShellLauncher | undefined,
): Promise<Started> {
	const command = [findShell(run.env), "-c", run.command];
	using launched = await launcher?.launch(command, { cwd: run.cwd });
	await launched?.connected;
	const [program = "", ...args] = launched?.command ?? command;
	try {
		const shell = childProcess().spawn(program, args, {
			cwd: launcher ? "/" : run.cwd,
			env: withMark(launcher?.environment(run.env) ?? run.env, mark),
			// Both outputs share one pipe, so that they arrive in order.
			stdio: ["ignore", writer, writer, ...(launched ? ["ignore" as const, launched.file] : [])],
			// A session of its own: its own group to kill, and no terminal to read a password from.
			detached: true,
		});
		const exited = Promise.withResolvers<void>();
		shell.on("exit", () => exited.resolve());
		await once(shell, "spawn");
		if (shell.pid === undefined) throw new Error("it has no process id");
		return { shell, pid: shell.pid, exited: exited.promise };
	} catch (error) {
		throw new Error(startFailure(error, run), { cause: error });
	}
}
