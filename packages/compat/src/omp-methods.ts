/** Methods beside the Agent Client Protocol that clients written for omp ask for: sessions and projects of all directories. */
import { isRecord } from "@tau/utils";

/** Sessions in the lists, which have no pages: of all directories, and of one. */
const limits = { all: { most: 5000, usual: 1000 }, project: { most: 500, usual: 100 } } as const;

/** A session as every list of the protocol has it. */
export interface ListedSession {
	readonly sessionId: string;
	readonly cwd: string;
	readonly title: string;
	readonly updatedAt: string;
}

/** By name; each gets the sessions, newest first, and its parameters. */
export const ompMethods: Readonly<
	Record<
		string,
		(list: (cwd?: string) => Promise<readonly ListedSession[]>, params: unknown) => Promise<object>
	>
> = {
	async "_omp/sessions/listAll"(list, params) {
		const sessions = await list();
		return { sessions: sessions.slice(0, limitIn(params, limits.all)), total: sessions.length };
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
			lastActivityAt: Date.parse(newest?.updatedAt ?? "") || 0,
			lastTitle: newest?.title ?? "",
		}));
		return { projects, totalSessions: sessions.length };
	},
	async "_omp/chats/byCwd"(list, params) {
		const cwd = isRecord(params) && typeof params.cwd === "string" ? params.cwd : "";
		const sessions = cwd === "" ? [] : await list(cwd);
		return { sessions: sessions.slice(0, limitIn(params, limits.project)) };
	},
};

function limitIn(params: unknown, { most, usual }: { most: number; usual: number }): number {
	const wanted = isRecord(params) && typeof params.limit === "number" ? params.limit : usual;
	return Math.max(1, Math.min(most, Math.floor(wanted)));
}
