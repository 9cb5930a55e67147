/** The processes of a machine that an extension's operations run. */
import { createLocalBashOperations } from "@tau/extensions/api";
import type { MachineShell, MachineShellSession, ShellCommand, ShellOutcome } from "@tau/sys";
import { withTimeout } from "@tau/utils";

import type { AnyOperations } from "./operations.ts";

export interface SpawnContext {
	command: string;
	cwd: string;
	env: Record<string, string | undefined>;
}

/** What an extension makes of a command before it runs. */
export interface CommandChanges {
	/** Prepended to every command. */
	commandPrefix?: string | undefined;
	/** Changes a command, its directory or its environment. */
	spawnHook?: ((context: SpawnContext) => SpawnContext) | undefined;
}

export function operationShell(operations: AnyOperations, changes: CommandChanges): MachineShell {
	const run = (command: ShellCommand): Promise<ShellOutcome> => runThrough(operations, changes, command);
	return {
		session: ({ cwd, env }) => session(cwd, env, run),
		pty: () => ({
			// There is no terminal to type into: commands get what `exec` gives them.
			takesKeys: false,
			running: false,
			write() {},
			resize() {},
			start: run,
		}),
		run,
		start: async ({ command: [program] }) => {
			throw new Error(`Cannot start ${program}: the extension's machine runs single commands only.`);
		},
	};
}

/** Each command runs separately, in the directory in which the session started. */
function session(
	cwd: string,
	env: Record<string, string>,
	run: (command: ShellCommand) => Promise<ShellOutcome>,
): MachineShellSession {
	const closing = new AbortController();
	return {
		cwd,
		busy: false,
		async run(command) {
			const signal = AbortSignal.any([command.signal, closing.signal]);
			const where = command.cwd ?? cwd;
			const outcome = await run({ ...command, signal, cwd: where, env: { ...env, ...command.env } });
			return { ...outcome, cwd: where };
		},
		leave() {},
		async [Symbol.asyncDispose]() {
			closing.abort();
		},
	};
}

async function runThrough(
	{ exec = createLocalBashOperations().exec }: AnyOperations,
	{ commandPrefix, spawnHook }: CommandChanges,
	{ command, cwd, env, timeoutMs, signal, onOutput }: ShellCommand,
): Promise<ShellOutcome> {
	const began = performance.now();
	const whole = commandPrefix === undefined ? command : `${commandPrefix}\n${command}`;
	const plain: SpawnContext = { command: whole, cwd, env };
	const changed = spawnHook?.(plain) ?? plain;
	using deadline = withTimeout(signal, timeoutMs, "The command ran out of time");
	const stopped = (): Pick<ShellOutcome, "stopped"> =>
		signal.aborted ? { stopped: "abort" } : deadline.signal.aborted ? { stopped: "timeout" } : {};
	try {
		const { exitCode } = await exec(changed.command, changed.cwd, {
			onData: onOutput,
			signal: deadline.signal,
			timeout: Math.ceil(timeoutMs / 1000),
			env: changed.env,
		});
		const ended = exitCode === null ? { killedBy: "a signal" } : { exitCode };
		return { ...ended, ...stopped(), durationMs: performance.now() - began };
	} catch (error) {
		// pi's operations throw when they are stopped.
		if (!deadline.signal.aborted) throw error;
		return { ...stopped(), durationMs: performance.now() - began };
	}
}
