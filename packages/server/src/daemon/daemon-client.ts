/** Asks the daemon for sessions, and starts it where it does not run. */
import { closeSync } from "node:fs";

import { abortable, delay, dirs, throwIfAborted, UsageError, withTimeout, type Env } from "@tau/utils";
import { readObject } from "@tau/wire/remote";

import { daemonKey, detachedSessions, type DaemonStatus } from "./daemon.ts";
import { daemonLog, openDaemonLog } from "./session-process.ts";
import { limits } from "../local/limits.ts";
import { ownProgram } from "../local/own-program.ts";
import type {
	OpenedSession,
	OpenOutcome,
	OpenPrompt,
	OpenRequest,
	Purpose,
	WebOutcome,
	WebRequest,
	WorkOutcome,
} from "../local/protocol.ts";
import { registrations, type Registration } from "../local/registrations.ts";
import { ask, connectTo } from "../local/connect.ts";

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
	const late = `The session did not start. The log is ${daemonLog()}.`;
	const outcome = await exchange<OpenOutcome>(daemon, "open", session, { signal, late });
	if (outcome.type !== "opened") throw new UsageError(outcome.reason);
	return outcome.session;
}

/** Makes sure that the daemon runs a worker of the fleet. Rejects with the reason for the user. */
export async function askWorker(worker: OpenRequest, signal?: AbortSignal): Promise<void> {
	const daemon = await startedDaemon(signal);
	const late = `The daemon does not answer. Its log is ${daemonLog()}.`;
	const outcome = await exchange<WorkOutcome>(daemon, "work", worker, { signal, late });
	if (outcome.type !== "working") throw new UsageError(outcome.reason);
}

/** Starts, shows or stops the server of `tau web`. Undefined where the daemon does not run and is not needed. */
export async function askWeb(
	request: WebRequest,
	signal?: AbortSignal,
): Promise<Extract<WebOutcome, { type: "web" }> | undefined> {
	const daemon = request.action === "start" ? await startedDaemon(signal) : registeredDaemon();
	if (!daemon) return undefined;
	const late = `The daemon does not answer. Its log is ${daemonLog()}.`;
	const outcome = await exchange<WebOutcome>(daemon, "web", request, { signal, late });
	if (outcome.type !== "web") throw new UsageError(outcome.reason);
	return outcome;
}

/** Sends one line, and waits for one. */
async function exchange<T>(
	daemon: Registration,
	purpose: Purpose,
	request: object,
	{ signal, late }: { signal: AbortSignal | undefined; late: string },
): Promise<T | { type: "failed"; reason: string }> {
	using deadline = withTimeout(signal, limits.sessionStartMs, late);
	const answered = Promise.withResolvers<T | { type: "failed"; reason: string }>();
	using connection = await connectTo(
		daemon,
		{ purpose },
		{
			signal: deadline.signal,
			// It is the same program: a daemon of another version is not asked.
			onLine: (line) => answered.resolve(readObject(line) as T),
			onEnd: () => answered.resolve({ type: "failed", reason: "The daemon has ended." }),
		},
	);
	await connection.send(request);
	return await abortable(answered.promise, deadline.signal);
}

/** As the session would be started in this terminal. */
export function openRequest(
	argv: readonly string[],
	cwd: string,
	env: Env,
	prompts: readonly OpenPrompt[] = [],
): OpenRequest {
	const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
	return { argv, cwd, env: Object.fromEntries(set), prompts };
}

/** Starts the daemon where detached sessions run and it was killed. Nothing waits for it: it only takes them over. */
export function restoreDaemon(): void {
	if (!registeredDaemon() && detachedSessions().length > 0) start();
}

/** Starts it where it does not run; it looks at the schedules at once. */
export async function startedDaemon(signal?: AbortSignal): Promise<Registration> {
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
