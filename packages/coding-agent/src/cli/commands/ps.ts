/** `tau ps`: the sessions that run on this machine, and the detached ones that were closed. */
import { money, shortenHome } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";

import { detachedRecords, type DetachedRecord } from "@tau/server/local/detached-records";
import type { SessionStatus } from "@tau/server/local/protocol";
import { runningSessions, type RunningSession } from "@tau/server/local/running-sessions";
import { restoreDaemon } from "@tau/server/daemon/daemon-client";
import type { Args } from "../args.ts";
import { limits } from "../limits.ts";
import { isJson, jsonLine, lineWidth, printed } from "./sessions/output.ts";

export type ListedSession = RunningSession | { readonly record: DetachedRecord };

export async function runPs(args: Args): Promise<number> {
	const sessions = await listedSessions();
	restoreDaemon();
	if (isJson(args) || args.flags.has("json")) return printed(sessions.map(rowOf).map(jsonLine).join(""));
	if (sessions.length === 0) return printed("No sessions run here.\n");
	return printed(`${sessionLines(sessions, lineWidth(), Date.now()).join("\n")}\n`);
}

/** Detached sessions that were closed, in the order in which they did something last, then those that run. */
export async function listedSessions(): Promise<ListedSession[]> {
	const running = await runningSessions();
	const ids = new Set(running.map(({ registration }) => registration.sessionId));
	const closed = detachedRecords().filter(({ sessionId }) => !ids.has(sessionId));
	return [...closed.map((record) => ({ record })), ...running];
}

export function sessionLines(sessions: readonly ListedSession[], width: number, now: number): string[] {
	const head = ["ID", "STATE", "ASKS", "AGE", "COST", "CLIENTS", "PID", "WHERE", "TITLE"];
	const rows = sessions.map((session) => cellsOf(session, now));
	return columns([head, ...rows]).map((line) => cut(line, width));
}

function cellsOf(session: ListedSession, now: number): string[] {
	if ("record" in session) {
		const { sessionId, cost, cwd, title, lastAt } = session.record;
		const id = sessionId.slice(0, limits.shownIdChars);
		return [id, "closed", "0", age(now - lastAt), money(cost), "0", "-", shortenHome(cwd), title];
	}
	const { status } = session;
	const { sessionId, startedAt, pid, cwd, kind } = session.registration;
	return [
		sessionId.slice(0, limits.shownIdChars),
		stateOf(status),
		String(status?.waiting ?? "?"),
		age(now - startedAt),
		status ? money(status.cost) : "?",
		`${status?.clients ?? "?"}${kind === "detached" ? " (detached)" : ""}`,
		String(pid),
		shortenHome(cwd),
		status?.title ?? "",
	];
}

function stateOf(status: SessionStatus | undefined): string {
	if (!status) return "no answer";
	if (status.waiting > 0) return "waiting";
	return status.phase === "idle" && status.working > 0 ? "background" : status.phase;
}

function rowOf(session: ListedSession): object {
	if ("record" in session) {
		const { lastAt, ...record } = session.record;
		const idle = { phase: "closed", waiting: 0, working: 0, clients: 0, answers: false, detached: true };
		return { ...record, ...idle, pid: null, startedAt: null, lastAt };
	}
	const { registration, status } = session;
	const { kind, pid, sessionId, sessionFile, cwd, startedAt, version } = registration;
	return {
		sessionId,
		title: status?.title ?? null,
		phase: status?.phase ?? null,
		waiting: status?.waiting ?? null,
		working: status?.working ?? null,
		cost: status?.cost ?? null,
		clients: status?.clients ?? null,
		answers: status !== undefined,
		detached: kind === "detached",
		pid,
		cwd,
		sessionFile: sessionFile ?? null,
		startedAt,
		version,
	};
}

/** 45s, 12m, 3h, 5d. */
export function age(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 60) return `${seconds}s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
	return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
