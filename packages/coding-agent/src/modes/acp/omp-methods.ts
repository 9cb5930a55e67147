/** Methods beside the protocol that clients written for omp ask for: sessions and projects of all directories. */
import type { SessionInfo } from "@tau/log";
import { isRecord, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";

/** By name; each gets the sessions, newest first, and its parameters. */
export const ompMethods: Readonly<
	Record<
		string,
		(list: (cwd?: string) => Promise<readonly SessionInfo[]>, params: unknown) => Promise<object>
	>
> = {
	async "_omp/sessions/listAll"(list, params) {
		const sessions = await list();
		return {
			sessions: sessions.slice(0, limitIn(params, limits.allSessions)).map(listed),
			total: sessions.length,
		};
	},
	async "_omp/projects/list"(list) {
		const sessions = await list();
		const byProject = Map.groupBy(
			sessions.filter(({ cwd }) => cwd !== ""),
			({ cwd }) => cwd,
		);
		const projects = [...byProject].map(([cwd, [newest, ...others]]) => ({
			cwd,
			sessionCount: 1 + others.length,
			lastActivityAt: newest?.modified.getTime() ?? 0,
			lastTitle: newest ? titleOf(newest) : "",
		}));
		return { projects, totalSessions: sessions.length };
	},
	async "_omp/chats/byCwd"(list, params) {
		const cwd = isRecord(params) && typeof params.cwd === "string" ? params.cwd : "";
		const sessions = cwd === "" ? [] : await list(cwd);
		return { sessions: sessions.slice(0, limitIn(params, limits.projectSessions)).map(listed) };
	},
};

function limitIn(params: unknown, { most, usual }: { most: number; usual: number }): number {
	const wanted = isRecord(params) && typeof params.limit === "number" ? params.limit : usual;
	return Math.max(1, Math.min(most, Math.floor(wanted)));
}

function titleOf({ name, firstMessage }: SessionInfo): string {
	return oneLine(name ?? firstMessage, limits.titleChars);
}

/** A session as every list of the protocol has it. */
export function listed(session: SessionInfo): {
	sessionId: string;
	cwd: string;
	title: string;
	updatedAt: string;
} {
	const { id: sessionId, cwd, modified } = session;
	return { sessionId, cwd, title: titleOf(session), updatedAt: modified.toISOString() };
}
