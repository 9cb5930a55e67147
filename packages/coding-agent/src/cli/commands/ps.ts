/** `tau ps`: the sessions that run on this machine. */
import { isRunning, money, shortenHome } from "@tau/utils";

import { ask } from "../../local/connect.ts";
import { limits as serverLimits } from "../../local/limits.ts";
import type { SessionStatus } from "../../local/protocol.ts";
import { registrations, type Registration } from "../../local/registrations.ts";
import type { Args } from "../args.ts";
import { limits } from "../limits.ts";
import { columns, cut } from "../text-table.ts";
import { isJson, jsonLine, lineWidth, printed } from "./sessions/output.ts";

/** A session that runs, with what it says about itself; undefined if it does not answer. */
export interface RunningSession {
	readonly registration: Registration;
	readonly status: SessionStatus | undefined;
}

export async function runPs(args: Args): Promise<number> {
	const sessions = await runningSessions();
	if (isJson(args) || args.flags.has("json")) return printed(sessions.map(rowOf).map(jsonLine).join(""));
	if (sessions.length === 0) return printed("No sessions run here.\n");
	return printed(`${runningTable(sessions, lineWidth(), Date.now()).join("\n")}\n`);
}

/** Oldest first. One that hangs costs as long as all that hang. */
export async function runningSessions(): Promise<RunningSession[]> {
	const all = registrations().filter(({ kind }) => kind !== "daemon");
	const asked = await Promise.all(
		all.map(async (registration): Promise<RunningSession> => {
			try {
				const status = await ask(registration, { purpose: "status" }, { timeoutMs: serverLimits.statusMs });
				return { registration, status: status as SessionStatus };
			} catch {
				return { registration, status: undefined };
			}
		}),
	);
	// One that has ended since needs no row.
	return asked.filter(({ registration, status }) => status || isRunning(registration.pid));
}

export function runningTable(sessions: readonly RunningSession[], width: number, now: number): string[] {
	const head = ["ID", "STATE", "ASKS", "AGE", "COST", "CLIENTS", "PID", "WHERE", "TITLE"];
	const rows = sessions.map(({ registration, status }) => {
		const { sessionId, startedAt, pid, cwd, kind } = registration;
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
	});
	return columns([head, ...rows]).map((line) => cut(line, width));
}

function stateOf(status: SessionStatus | undefined): string {
	if (!status) return "no answer";
	if (status.waiting > 0) return "waiting";
	return status.phase === "idle" && status.working > 0 ? "background" : status.phase;
}

function rowOf({ registration, status }: RunningSession): object {
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
