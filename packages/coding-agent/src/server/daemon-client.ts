/** Asks the daemon for sessions, and starts it where it does not run. */
import { closeSync } from "node:fs";

import { delay, dirs, throwIfAborted, UsageError, withTimeout, type Env } from "@tau/utils";

import { daemonKey, daemonLog, openDaemonLog, type DaemonStatus } from "./daemon.ts";
import { limits } from "../local/limits.ts";
import { ownProgram } from "../local/own-program.ts";
import type { OpenedSession, OpenRequest } from "../local/protocol.ts";
import { registrations, type Registration } from "../local/registrations.ts";
import { ask, RefusedError } from "../local/connect.ts";

/** The daemon of this version and these settings, if there is one. */
export function registeredDaemon(): Registration | undefined {
	return registrations().findLast(({ kind, serves }) => kind === "daemon" && serves === daemonKey());
}

/** Undefined while it does not run. Rejects if it does not answer. */
export async function daemonStatus(signal?: AbortSignal): Promise<DaemonStatus | undefined> {
	const daemon = registeredDaemon();
	if (!daemon) return undefined;
	return (await ask(daemon, { purpose: "status" }, { timeoutMs: limits.statusMs, signal })) as DaemonStatus;
}

/** Opens a session that outlives this process. Rejects with the reason for the user. */
export async function openDetached(session: OpenRequest, signal?: AbortSignal): Promise<OpenedSession> {
	const daemon = await startedDaemon(signal);
	try {
		const hello = { purpose: "open", session } as const;
		return (await ask(daemon, hello, { timeoutMs: limits.sessionStartMs, signal })) as OpenedSession;
	} catch (error) {
		if (error instanceof RefusedError) throw new UsageError(error.message);
		throw error;
	}
}

/** As the session would be started in this terminal. */
export function openRequest(argv: readonly string[], cwd: string, env: Env): OpenRequest {
	const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
	return { argv, cwd, env: Object.fromEntries(set) };
}

async function startedDaemon(signal: AbortSignal | undefined): Promise<Registration> {
	using deadline = withTimeout(
		signal,
		limits.daemonStartMs,
		`The daemon did not start. Its log is ${daemonLog()}.`,
	);
	let started: Bun.Subprocess | undefined;
	for (;;) {
		throwIfAborted(deadline.signal);
		const daemon = registeredDaemon();
		if (daemon && (await answers(daemon, deadline.signal))) return daemon;
		// One that ends because another was faster: that one is found.
		if (!started || started.exitCode !== null) started = start();
		await delay(limits.endPollMs, deadline.signal);
	}
}

async function answers(daemon: Registration, signal: AbortSignal): Promise<boolean> {
	try {
		await ask(daemon, { purpose: "status" }, { timeoutMs: limits.statusMs, signal });
		return true;
	} catch {
		// It is just ending, or was killed: another one is started.
		return false;
	}
}

/** Without a terminal, and with no part in this one. */
function start(): Bun.Subprocess {
	const file = openDaemonLog();
	try {
		const child = Bun.spawn([...ownProgram(), "daemon", "run"], {
			cwd: dirs().home,
			env: process.env,
			stdin: "ignore",
			stdout: "ignore",
			stderr: file,
			detached: true,
		});
		child.unref();
		return child;
	} finally {
		closeSync(file);
	}
}
