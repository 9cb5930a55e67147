/** `tau daemon`: runs, shows and stops the process that keeps detached sessions. */
import unitText from "./daemon-unit.md" with { type: "text" };
import { plural, shortenHome, UsageError } from "@tau/utils";

import { ask } from "@tau/server/local/connect";
import { daemonStatus, registeredDaemon } from "@tau/server/daemon/daemon-client";
import { detachedSessions, endSessions, runDaemon, untilEnded } from "@tau/server/daemon";
import { daemonLog } from "@tau/server/daemon/session-process";
import { ownProgram } from "@tau/server/local/own-program";
import { detachedRecords, forgetDetached } from "@tau/server/local/detached-records";
import { limits } from "@tau/server/local/limits";
import { readSchedules } from "@tau/server/schedules/store";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { age } from "./ps.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

export async function runDaemonCommand(args: Args): Promise<number> {
	const [action = "status"] = args.operands;
	if (action === "run") return await run();
	if (action === "unit") return await printed(unit());
	if (action === "stop" && args.operands[1] !== undefined) return await stopOne(args.operands[1]);
	return action === "stop" ? await stop() : await status(isJson(args) || args.flags.has("json"));
}

/** For the service manager of the user: the daemon is started at the login, which Tau never does by itself. */
function unit(): string {
	const quoted = ownProgram().map(
		(word) => `"${word.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll("%", "%%")}"`,
	);
	return unitText.replace("{{program}}", () => quoted.join(" "));
}

/** In the foreground, until it is stopped or nothing is left to do. */
async function run(): Promise<number> {
	using interruption = onInterrupt(limits.endMs);
	// A daemon outlives the terminal that it was started in.
	interruption.onHangup = () => true;
	await runDaemon(interruption.signal, () => printError(`the daemon runs as process ${process.pid}`));
	return exitCodes.answered;
}

async function status(asJson: boolean): Promise<number> {
	const running = await daemonStatus().catch((error: unknown) => {
		throw new UsageError(`The daemon does not answer: ${String(error)} Its log is ${daemonLog()}.`);
	});
	const sessions = detachedSessions().length;
	if (asJson) {
		await printed(jsonLine({ running: running !== undefined, ...running, sessions, log: daemonLog() }));
	} else if (!running) {
		const left = sessions > 0 ? ` ${count(sessions)} of an earlier one are still running.` : "";
		await printed(`The daemon is not running.${left} tau --detach starts it.\n`);
	} else {
		const { pid, version, startedAt } = running;
		const since = age(Date.now() - startedAt);
		await printed(
			`The daemon runs as process ${pid} for ${since}, version ${version}, with ${count(sessions)}. Its log is ${shortenHome(daemonLog())}.\n`,
		);
	}
	return running ? exitCodes.answered : exitCodes.failed;
}

/** Sessions that a killed daemon has left are ended too. */
async function stop(): Promise<number> {
	const daemon = registeredDaemon();
	const sessions = detachedSessions().length;
	if (!daemon && sessions === 0) {
		forgetAll();
		return printed("The daemon is not running.\n");
	}
	if (daemon) {
		await ask(daemon, { purpose: "end" }, { timeoutMs: limits.statusMs }).catch(() => {
			process.kill(daemon.pid, "SIGTERM");
		});
		if (!(await untilEnded(daemon.pid))) throw new Error(`The daemon, process ${daemon.pid}, does not end.`);
	}
	await endSessions();
	forgetAll();
	const waiting = readSchedules().length;
	const left = waiting > 0 ? ` ${plural(waiting, "schedule")} will not run until it is started again.` : "";
	return printed(`Stopped the daemon${sessions > 0 ? ` and ${count(sessions)}` : ""}.${left}\n`);
}

function forgetAll(): void {
	for (const { sessionId } of detachedRecords()) forgetDetached(sessionId);
}

/** Ends one detached session, or forgets one that was closed. */
async function stopOne(id: string): Promise<number> {
	const running = detachedSessions().filter(({ sessionId }) => sessionId.startsWith(id));
	const closed = detachedRecords().filter(({ sessionId }) => sessionId.startsWith(id));
	const ids = new Set([...running, ...closed].map(({ sessionId }) => sessionId));
	if (ids.size > 1)
		throw new UsageError(`"${id}" matches ${ids.size} detached sessions. Give more of the id.`);
	if (ids.size === 0) throw new UsageError(`No detached session "${id}". tau ps lists them.`);
	await endSessions(running);
	for (const sessionId of ids) forgetDetached(sessionId);
	return printed("Stopped the session. tau -r resumes it.\n");
}

function count(sessions: number): string {
	return `${sessions} ${sessions === 1 ? "session" : "sessions"}`;
}
