/** Finds the session that `tau attach` is about: one that runs, or one that is opened again from its log. */
import { statSync } from "node:fs";

import { NothingChosen, UsageError } from "@tau/utils";
import { SessionManager } from "@tau/log";

import { openDetached, openRequest } from "@tau/server/daemon/daemon-client";
import type { Address } from "@tau/server/local/connect";
import { registrations, type Registration } from "@tau/server/local/registrations";
import { limits } from "../../limits.ts";
import { printError } from "../../print-error.ts";
import { findSession } from "../../launch/stored-session.ts";
import { LineInput } from "../auth/login-input.ts";
import { listedSessions, sessionLines, type ListedSession } from "../ps.ts";
import { lineWidth } from "../sessions/output.ts";

/** The rest is known of a session that runs already. */
export interface Target extends Address, Partial<Pick<Registration, "kind" | "sessionFile" | "pid">> {
	readonly sessionId: string;
}

export async function findTarget(id: string | undefined, signal: AbortSignal): Promise<Target> {
	if (id === undefined) return chosen(await listedSessions(), signal);
	const running = registrations().filter(
		({ kind, sessionId }) => kind !== "daemon" && sessionId.startsWith(id),
	);
	const [only, other] = running;
	if (other)
		throw new UsageError(`"${id}" matches ${running.length} running sessions. Give more of the id: tau ps`);
	return only ?? (await resumed(id, signal));
}

/** Where it listens now: a session may have been started again, in another process. */
export function whereIs({ sessionId, socket }: Target): Address | undefined {
	const all = registrations();
	return all.find((each) => each.socket === socket) ?? all.find((each) => each.sessionId === sessionId);
}

/** A session without a terminal may be closed, for it has nothing to do, just when somebody joins it: then it is opened again. */
export async function reopened(
	{ kind, sessionFile, pid, sessionId, socket }: Target,
	signal: AbortSignal,
): Promise<Target | undefined> {
	if (kind !== "detached" || sessionFile === undefined || pid === undefined) return undefined;
	if (whereIs({ sessionId, socket, token: "" })) return undefined;
	const { untilEnded } = await import("@tau/server/daemon");
	// Until its process has ended, nobody else may open its log.
	return (await untilEnded(pid)) ? await resumed(sessionFile, signal) : undefined;
}

/** The daemon opens it from its log: it was parked, or its process was killed. */
async function resumed(id: string, signal: AbortSignal): Promise<Target> {
	let file: string;
	try {
		file = await findSession(id, process.cwd(), undefined);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	const cwd = directoryOf(file);
	const opened = await openDetached(openRequest([`--session=${file}`], cwd, process.env), signal);
	printError(`session ${opened.sessionId.slice(0, limits.shownIdChars)} was not running and is open again`);
	return opened;
}

function directoryOf(file: string): string {
	const read = SessionManager.tryOpen(file, { access: "read" });
	if (!read.ok) throw new UsageError(`${file} cannot be read.`);
	using session = read.session;
	const cwd = session.getCwd();
	if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return cwd;
	throw new UsageError(`The directory of the session, ${cwd}, does not exist any more.`);
}

async function chosen(sessions: readonly ListedSession[], signal: AbortSignal): Promise<Target> {
	const [first, ...more] = sessions.toReversed();
	if (!first)
		throw new UsageError('No sessions run here. tau --detach "…" starts one; tau -c continues the last one.');
	if (more.length === 0) return targetOf(first, signal);
	if (!process.stdin.isTTY || !process.stderr.isTTY)
		throw new UsageError(
			`${sessions.length} sessions run here. Choose one: tau attach <id>; tau ps lists them.`,
		);
	const all = [first, ...more];
	const [head = "", ...rows] = sessionLines(all, lineWidth() - 4, Date.now());
	process.stderr.write(
		[`    ${head}`, ...rows.map((row, at) => `${String(at + 1).padStart(2)}  ${row}`), ""].join("\n"),
	);
	const left = new AbortController();
	using input = new LineInput(() => left.abort());
	for (;;) {
		process.stderr.write("Which session? [1] ");
		const line = (await input.line(AbortSignal.any([left.signal, signal])))?.trim();
		if (line === undefined) throw new NothingChosen("No session selected.");
		const session = line === "" ? first : all[Number(line) - 1];
		if (session) return targetOf(session, signal);
		process.stderr.write(`Enter a number from 1 to ${all.length}.\n`);
	}
}

async function targetOf(session: ListedSession, signal: AbortSignal): Promise<Target> {
	return "record" in session ? await resumed(session.record.sessionFile, signal) : session.registration;
}
