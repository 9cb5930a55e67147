/** A session as a page lists it: what its file says, and what it says itself while it runs. */
import type { SessionInfo } from "@tau/log";
import type { SessionMarks } from "@tau/session-commands/shared/session-marks";
import { oneLine } from "@tau/utils";

import type { RunningSession } from "../local/running-sessions.ts";
import { limits } from "./limits.ts";

/** A row of the list. */
export interface SessionRow {
	readonly id: string;
	readonly title: string;
	readonly cwd: string;
	readonly branch?: string;
	/** Milliseconds since 1970. */
	readonly modifiedAt: number;
	readonly createdAt: number;
	readonly messages: number;
	/** How its last turn ended, or that one is running. */
	readonly outcome?: string;
	readonly isOpen: boolean;
	readonly isArchived: boolean;
	readonly isPinned: boolean;
	/** Questions to the user that nobody has answered. */
	readonly waiting: number;
	/** The next are there while it runs. */
	readonly phase?: string;
	readonly working?: number;
	/** US dollars */
	readonly cost?: number;
	readonly clients?: number;
}

export interface SessionList {
	readonly sessions: readonly SessionRow[];
	readonly projects: readonly { readonly cwd: string; readonly sessions: number }[];
}

export function rowOf(
	{ id, cwd, name, firstMessage, branch, modified, created, messageCount, outcome }: SessionInfo,
	running: RunningSession | undefined,
	marks: Pick<SessionMarks, "has">,
): SessionRow {
	return {
		id,
		title: oneLine(name ?? firstMessage, limits.titleChars),
		cwd,
		...(branch === undefined ? {} : { branch }),
		modifiedAt: modified.getTime(),
		createdAt: created.getTime(),
		messages: messageCount,
		...(outcome === undefined ? {} : { outcome }),
		...markedBy(marks, id),
		...liveOf(running),
	};
}

/** One that has no file yet, or none where they are listed. */
export function freshRow(running: RunningSession, marks: Pick<SessionMarks, "has">): SessionRow {
	const { sessionId: id, cwd, startedAt } = running.registration;
	const title = oneLine(running.status?.title ?? "", limits.titleChars);
	const times = { modifiedAt: startedAt, createdAt: startedAt };
	return { id, title, cwd, ...times, messages: 0, ...markedBy(marks, id), ...liveOf(running) };
}

function markedBy(marks: Pick<SessionMarks, "has">, id: string): Pick<SessionRow, "isArchived" | "isPinned"> {
	return { isArchived: marks.has("archived", id), isPinned: marks.has("pinned", id) };
}

function liveOf(running: RunningSession | undefined): Pick<SessionRow, "isOpen" | "waiting"> {
	const isOpen = running !== undefined;
	if (!running?.status) return { isOpen, waiting: 0 };
	const { phase, waiting, working, cost, clients } = running.status;
	return Object.assign({ isOpen, waiting }, { phase, working, cost, clients });
}

/** Who waits for the user, then who works, then what is pinned. */
export function urgency({ waiting, phase, working = 0, isPinned }: SessionRow): number {
	if (waiting > 0) return 3;
	if ((phase !== undefined && phase !== "idle") || working > 0) return 2;
	return isPinned ? 1 : 0;
}

export function hasWords({ title, cwd, branch = "", id }: SessionRow, words: readonly string[]): boolean {
	const text = `${title}\n${cwd}\n${branch}\n${id}`.toLowerCase();
	return words.every((word) => text.includes(word));
}

/** The one that was used last comes first. */
export function projectsOf(rows: readonly SessionRow[]): SessionList["projects"] {
	const latest = rows.toSorted((a, b) => b.modifiedAt - a.modifiedAt).filter(({ cwd }) => cwd !== "");
	return [...Map.groupBy(latest, ({ cwd }) => cwd)].map(([cwd, its]) => ({ cwd, sessions: its.length }));
}
