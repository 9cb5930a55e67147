/** Starts a program whose input and outputs stay open, such as a server that speaks a protocol, and owns its processes. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { timer } from "@tau/utils";

import { childProcess } from "../node-library.ts";
import { limits } from "../limits.ts";
import { killFamily } from "../process/index.ts";
import type { ShellLauncher } from "./launcher.ts";
import { newScope, ownShell, shellEnded, withMark } from "./owned.ts";

export interface ProgramStart {
	command: readonly [program: string, ...args: string[]];
	cwd: string;
	env: Record<string, string>;
	/** It needs Unix sockets, also in a sandbox that refuses them to commands: a browser talks to itself through them. */
	unixSockets?: boolean;
}

export interface ProgramEnd {
	/** Absent when a signal ended it. */
	exitCode?: number;
	killedBy?: string;
}

/** Disposal closes its input, gives it a moment to exit, and ends all processes that it started. */
export interface RunningProgram extends AsyncDisposable {
	/** Of the program itself or, in a sandbox, of what started it there. */
	readonly pid: number;
	readonly input: Writable;
	readonly output: Readable;
	readonly errors: Readable;
	/** Never rejects. */
	readonly exited: Promise<ProgramEnd>;
	/** Ends it at once, with all processes that it started. */
	kill(): Promise<void>;
	/** Whether a program that is started now would run in the same sandbox, or outside as this one; absent if there is none. */
	isCurrent?(): Promise<boolean>;
}

/** Rejects with a readable reason when it cannot be started. */
export async function startProgram(start: ProgramStart, launcher?: ShellLauncher): Promise<RunningProgram> {
	const mark = newScope();
	launcher?.commandStarts?.();
	try {
		return await launch(start, mark, launcher);
	} catch (error) {
		launcher?.commandEnded();
		throw new Error(`Cannot start ${start.command[0]}: ${reasonOf(error, start)}`, { cause: error });
	}
}

async function launch(
	{ command, cwd, env, unixSockets = false }: ProgramStart,
	mark: string,
	launcher: ShellLauncher | undefined,
): Promise<RunningProgram> {
	using launched = await launcher?.launch(command, { cwd, unixSockets });
	await launched?.connected;
	const [program = "", ...args] = launched?.command ?? command;
	const child = childProcess().spawn(program, args, {
		cwd: launcher ? "/" : cwd,
		env: withMark(launcher?.environment(env) ?? env, mark),
		stdio: ["pipe", "pipe", "pipe", ...(launched ? ["ignore" as const, launched.file] : [])],
		// A session of its own: its own group to kill, and no terminal to read a password from.
		detached: true,
	});
	const { stdin: input, stdout: output, stderr: errors } = child;
	await once(child, "spawn");
	const { pid } = child;
	if (pid === undefined || !input || !output || !errors) throw new Error("it has no process id");
	const owned = ownShell(pid, mark);
	const ended = Promise.withResolvers<ProgramEnd>();
	child.once("exit", (exitCode, killedBy) => {
		shellEnded(owned);
		launcher?.commandEnded();
		ended.resolve({ ...(exitCode === null ? {} : { exitCode }), ...(killedBy === null ? {} : { killedBy }) });
	});
	// It may exit without reading its input; that it has exited is what counts.
	input.on("error", () => {});
	let killing: Promise<void> | undefined;
	const kill = (): Promise<void> => (killing ??= killFamily({ leaders: [owned], mark }).then(() => {}));
	return {
		pid,
		input,
		output,
		errors,
		exited: ended.promise,
		kill,
		async [Symbol.asyncDispose]() {
			input.end();
			const late = Promise.withResolvers<void>();
			using _grace = timer(limits.programGraceMs, late.resolve);
			await Promise.race([ended.promise, late.promise]);
			await kill();
			for (const stream of [output, errors]) stream.destroy();
		},
	};
}

function reasonOf(error: unknown, { command, cwd }: ProgramStart): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "ENOENT") return `there is no such program, or no directory ${cwd}.`;
	if (code === "EACCES") return `${command[0]} is not executable.`;
	return error instanceof Error ? error.message : String(error);
}
