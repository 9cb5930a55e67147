/** Hands the session of a terminal to the daemon: the same file, with what the user has started it with. */
import type { SessionHost } from "@tau/session/host";
import { selector } from "@tau/config/models";
import type { Env } from "@tau/utils";

import { openDetached, openRequest } from "@tau/server/daemon/daemon-client";
import { ownProgram } from "@tau/server/local/own-program";
import type { OpenRequest } from "@tau/server/local/protocol";
import type { Args } from "../args.ts";
import { argvOf } from "../commands/attach/argv-of.ts";
import { comeBack } from "../commands/attach/come-back.ts";
import { printed } from "../commands/sessions/output.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../print-error.ts";

/** Every flag but those that the log of the session has better. */
const inLog: ReadonlySet<string> = new Set([
	"continue",
	"resume",
	"session",
	"fork",
	"session-id",
	"name",
	"model",
	"provider",
	"thinking",
]);

/** What concerns the directory that is left. */
const ofDirectory: ReadonlySet<string> = new Set(["worktree", "record"]);

/** The same session for the daemon: its file, its model, and what else the user has started it with. */
export function detachRequest(args: Args, host: SessionHost, env: Env): OpenRequest {
	const { file, cwd } = host.state;
	return openRequest([...flagsOf(args, host), `--session=${file ?? ""}`], cwd, env);
}

/** A copy of the session in another directory, as if the user had started it there. */
export function moveRequest(args: Args, host: SessionHost, env: Env, directory: string): OpenRequest {
	const { file } = host.state;
	const isEmpty = host.log.getLeafId() === null;
	const fork = file === undefined || isEmpty ? [] : [`--fork=${file}`];
	// It is the same program, and not one that this one has started.
	const { TAU_PROCESS_DEPTH: _, ...rest } = env;
	const flags = new Map([...args.flags].filter(([name]) => !ofDirectory.has(name)));
	return openRequest([...flagsOf({ ...args, flags }, host), ...fork], directory, { ...rest, PWD: directory });
}

function flagsOf(args: Args, host: SessionHost): string[] {
	const { model, thinkingLevel } = host.state;
	const flags = new Map([...args.flags].filter(([name]) => !inLog.has(name)));
	return [...argvOf({ ...args, flags }), `--model=${selector(model)}`, `--thinking=${thinkingLevel}`];
}

/** Replaces this process, which has let go of the session and the terminal, with one in the other directory. */
export function startAgain({ argv, cwd, env }: OpenRequest): number {
	const [program = process.execPath, ...words] = ownProgram();
	try {
		process.chdir(cwd);
		if (!process.execve) throw new Error("this system cannot replace a process");
		process.execve(program, [program, ...words, ...argv], { ...env });
	} catch (error) {
		printError(
			`cannot continue in ${cwd}: ${error instanceof Error ? error.message : String(error)}. tau -c continues here`,
		);
	}
	return exitCodes.failed;
}

/** To be called when this process has let go of the session. */
export async function handOver(request: OpenRequest): Promise<number> {
	try {
		const opened = await openDetached(request);
		await printed(comeBack(opened.sessionId));
		return exitCodes.answered;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		printError(`the session could not be detached: ${reason} Resume it with tau -c`);
		return exitCodes.failed;
	}
}
