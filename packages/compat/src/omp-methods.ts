/** Methods beside the Agent Client Protocol that clients written for omp ask for: sessions, usage and extensions. */
import { isRecord, UsageError } from "@tau/utils";

/** Sessions in the lists, which have no pages: of all directories, and of one. */
const limits = { all: { most: 5000, usual: 1000 }, project: { most: 500, usual: 100 } } as const;

/** A session as every list of the protocol has it. */
export interface ListedSession {
	readonly sessionId: string;
	readonly cwd: string;
	readonly title: string;
	readonly updatedAt: string;
}

/** What a session that is open has used. */
export interface SessionUsage {
	readonly sessionId: string;
	readonly cwd: string;
	readonly userMessages: number;
	readonly assistantMessages: number;
	readonly tokens: {
		readonly input: number;
		readonly output: number;
		readonly cacheRead: number;
		readonly cacheWrite: number;
		readonly total: number;
	};
	/** In US dollars. */
	readonly cost: number;
}

/** Something that was found in the files of the user or the project: an extension, a skill, a hook. */
export interface FoundExtension {
	/** By which it is switched off and on. */
	readonly id: string;
	readonly kind: string;
	readonly name: string;
	readonly description?: string;
	readonly path?: string;
	/** The program that it was written for, which can be switched off as a whole. */
	readonly source?: string;
	readonly level?: string;
	readonly state: "active" | "shadowed" | "disabled";
	/** What is used instead, or what disables it. */
	readonly because?: string;
}

/** What the methods answer from. */
export interface OmpSource {
	/** The newest first. */
	list(cwd?: string): Promise<readonly ListedSession[]>;
	usage(): Promise<readonly SessionUsage[]>;
	extensions(cwd: string | undefined): Promise<readonly FoundExtension[]>;
	toggle(id: string, isOn: boolean): Promise<void>;
}

/** By name; each gets its parameters. */
export const ompMethods: Readonly<Record<string, (source: OmpSource, params: unknown) => Promise<object>>> = {
	/** Sums of the open sessions, or of one. What a subscription has left is not known here: there are no reports. */
	async "_omp/usage"({ usage }, params) {
		const { sessionId } = isRecord(params) ? params : {};
		const all = await usage();
		const sessions = sessionId === undefined ? all : all.filter((each) => each.sessionId === sessionId);
		return {
			sessions,
			tokens: sum(sessions, ({ tokens }) => tokens.total),
			cost: sum(sessions, ({ cost }) => cost),
			reports: [],
		};
	},
	async "_omp/extensions"({ extensions }, params) {
		return { extensions: await extensions(textIn(params, "cwd")) };
	},
	/** `providerId`: the id of an extension, or a program. */
	async "_omp/extensions/toggle"({ toggle }, params) {
		const id = textIn(params, "providerId");
		if (id === undefined) throw new UsageError("providerId required");
		const enabled = !(isRecord(params) && params.enabled === false);
		await toggle(id, enabled);
		return { enabled };
	},
	async "_omp/sessions/listAll"({ list }, params) {
		const sessions = await list();
		return { sessions: sessions.slice(0, limitIn(params, limits.all)), total: sessions.length };
	},
	async "_omp/projects/list"({ list }) {
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
	async "_omp/chats/byCwd"({ list }, params) {
		const cwd = textIn(params, "cwd") ?? "";
		const sessions = cwd === "" ? [] : await list(cwd);
		return { sessions: sessions.slice(0, limitIn(params, limits.project)) };
	},
};

function limitIn(params: unknown, { most, usual }: { most: number; usual: number }): number {
	const wanted = isRecord(params) && typeof params.limit === "number" ? params.limit : usual;
	return Math.max(1, Math.min(most, Math.floor(wanted)));
}

function textIn(params: unknown, name: string): string | undefined {
	const value = isRecord(params) ? params[name] : undefined;
	return typeof value === "string" && value !== "" ? value : undefined;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
	return all.reduce((total, one) => total + of(one), 0);
}
