/** The language servers of a session: started when first needed, restarted after a crash, stopped when idle. */
import { dirname } from "node:path";

import { projectRoot, type ChangeJournal, type JournalEvent } from "@tau/log/journal";
import { log, onDispose, timer, withoutSecrets } from "@tau/utils";

import { projectEnv, type ServiceKey, type ToolEnv } from "@tau/tools/tool";
import { LspError } from "./client/connection.ts";
import { LanguageServer } from "./client/language-server.ts";
import { problemOf } from "./diagnostics/new-diagnostics.ts";
import { problemCounts } from "./diagnostics/report.ts";
import { limits } from "./limits.ts";
import { findProgram, findRoot, languageOf } from "./servers/locate.ts";
import { lspmuxCommand } from "./servers/lspmux.ts";
import { serverRows } from "./servers/own-rows.ts";
import type { ServerRow } from "./servers/server-row.ts";
import type { ServerLink } from "./sharing/index.ts";

export type ServerState = "starting" | "ready" | "failed" | "stopped";

export interface ServerStatus {
	readonly name: string;
	readonly root: string;
	readonly state: ServerState;
	/** Why it failed or stopped. */
	readonly reason?: string;
	readonly pid?: number;
	/** Another Tau has started it, or this many others use it. */
	readonly sharing?: "guest" | number;
	readonly progress?: string;
	readonly documents: number;
	readonly log: readonly string[];
	readonly command: readonly string[];
}

/** What a file's project would use. */
export interface Candidate {
	readonly row: ServerRow;
	readonly root: string;
	/** Absent if it is not installed. */
	readonly command?: readonly [string, ...string[]];
}

interface Entry {
	readonly row: ServerRow;
	readonly root: string;
	readonly command: readonly [string, ...string[]];
	/** The last one did, before it failed. */
	hasStarted?: boolean;
	/** Another one where lspmux is used. */
	usedCommand?: readonly string[];
	state: ServerState;
	/** It runs or starts, and counts. */
	isAdmitted: boolean;
	starting?: Promise<LanguageServer>;
	server?: LanguageServer;
	/** What is left of the last one, which is gone. */
	ending?: PromiseLike<void>;
	reason?: string;
	crashes: number;
	/** Not before this time. */
	retryAt: number;
	usedAt: number;
}

export class LanguageServers implements AsyncDisposable {
	readonly #env: ToolEnv;
	readonly #entries = new Map<string, Entry>();
	readonly #found = new Map<string, Promise<readonly [string, ...string[]] | undefined>>();
	readonly #following: Disposable;
	readonly #ended = new AbortController();
	#admitting: Promise<void> = Promise.resolve();
	readonly #top: string;
	#idle: Disposable | undefined;
	/** The clock of pauses after crashes and of idle servers. */
	now: () => number = Date.now;

	constructor(env: ToolEnv) {
		this.#env = env;
		this.#top = projectRoot(env.cwd, env.env.HOME) ?? env.cwd;
		this.#following = this.follow(env.journal);
	}

	/** Changes of the session, or of an agent that shares its servers. */
	follow(journal: ChangeJournal): Disposable {
		return journal.subscribe((event) => this.#onChange(event));
	}

	get isEnabled(): boolean {
		return this.#env.settings.get("lsp.enabled");
	}

	/** Servers run code of the project: inside a boundary, or once the user trusts it. */
	get mayStart(): boolean {
		return this.#env.mayRunProject();
	}

	/** Mistakes in the settings. */
	get problems(): readonly string[] {
		return serverRows(this.#env.settings.get("lsp.servers")).problems;
	}

	get status(): readonly ServerStatus[] {
		return [...this.#entries.values()].map(({ row, root, state, reason, server, command, usedCommand }) => ({
			name: row.name,
			root,
			state,
			command: usedCommand ?? command,
			documents: server?.documents.all.length ?? 0,
			log: server?.log ?? [],
			...(reason === undefined ? {} : { reason }),
			...(server
				? { pid: server.pid, sharing: server.sharing.isGuest ? "guest" : server.sharing.guests }
				: {}),
			...(server?.progress === undefined ? {} : { progress: server.progress }),
		}));
	}

	/** Every server that knows such files, also those that are not installed: the main one first, then linters. */
	async candidates(path: string): Promise<Candidate[]> {
		const { rows } = serverRows(this.#env.settings.get("lsp.servers"));
		const found: Candidate[] = [];
		for (const row of rows.filter((each) => languageOf(each, path) !== undefined)) {
			const marked = await findRoot(this.#env.machine.files, row, path, this.#top);
			if (marked === undefined && row.onlyWithRoot) continue;
			const root = marked ?? (path.startsWith(`${this.#top}/`) ? this.#top : dirname(path));
			const command = await this.#program(row, root);
			found.push({ row, root, ...(command ? { command } : {}) });
		}
		return found.toSorted((a, b) => Number(a.row.isLinter ?? false) - Number(b.row.isLinter ?? false));
	}

	/** The first of the main servers that is installed, and all linters. */
	async chosen(path: string): Promise<Required<Candidate>[]> {
		const installed = (await this.candidates(path)).filter((one): one is Required<Candidate> =>
			Boolean(one.command),
		);
		const main = installed.find(({ row }) => !row.isLinter);
		return [...(main ? [main] : []), ...installed.filter(({ row }) => row.isLinter)];
	}

	/** True if it costs little to ask it after an edit: it runs, or starts in a moment. */
	isAtHand({ row, root }: Candidate): boolean {
		const { server } = this.#entries.get(keyOf(row, root)) ?? {};
		return row.startsQuickly === true || (server !== undefined && !server.isGone);
	}

	get all(): LanguageServer[] {
		return [...this.#entries.values()].flatMap(({ server }) => (server && !server.isGone ? [server] : []));
	}

	/** Starts the server if it does not run. Rejects with an `LspError`, also if it has not started in this time: it starts on. */
	async server(
		candidate: Required<Candidate>,
		signal: AbortSignal,
		waitMs: number = limits.startWaitMs,
	): Promise<LanguageServer> {
		if (!this.mayStart) {
			throw new LspError(
				"refused",
				"Language servers run code of the project. It is not trusted, and nothing contains them: they start in a sandbox, or once the user trusts the project (--trust).",
			);
		}
		const { row, root, command } = candidate;
		const key = keyOf(row, root);
		let entry = this.#entries.get(key);
		if (!entry) {
			entry = {
				row,
				root,
				command,
				state: "stopped",
				isAdmitted: false,
				crashes: 0,
				retryAt: 0,
				usedAt: this.now(),
			};
			this.#entries.set(key, entry);
		}
		entry.usedAt = this.now();
		this.#watchIdle();
		if (entry.server && !entry.server.isGone) return entry.server;
		const starting = entry.starting ?? this.#begin(entry);
		starting.catch(() => {});
		const stopped = Promise.withResolvers<never>();
		using _late = timer(waitMs, () =>
			stopped.reject(new LspError("timeout", `${row.name} is still starting. Ask again in a moment.`)),
		);
		const onAbort = (): void => stopped.reject(new LspError("aborted", "The request was stopped."));
		if (signal.aborted) onAbort();
		signal.addEventListener("abort", onAbort, { once: true });
		try {
			return await Promise.race([starting, stopped.promise]);
		} finally {
			signal.removeEventListener("abort", onAbort);
		}
	}

	/** Ends servers, so that the next need starts them anew. Returns their number. */
	async reload(name?: string): Promise<number> {
		this.#found.clear();
		const chosen = [...this.#entries].filter(([, { row }]) => name === undefined || row.name === name);
		for (const [key] of chosen) this.#entries.delete(key);
		await Promise.all(chosen.map(([, entry]) => this.#stop(entry)));
		return chosen.length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort();
		this.#idle?.[Symbol.dispose]();
		this.#following[Symbol.dispose]();
		await Promise.all([...this.#entries.values()].map((entry) => this.#stop(entry)));
		this.#entries.clear();
	}

	#begin(entry: Entry): Promise<LanguageServer> {
		const starting = this.#start(entry).finally(() => delete entry.starting);
		entry.starting = starting;
		return starting;
	}

	async #start(entry: Entry): Promise<LanguageServer> {
		try {
			const wait = entry.retryAt - this.now();
			if (entry.crashes >= limits.crashes) {
				throw new LspError(
					"gone",
					`${failureOf(entry)}, ${entry.crashes} times in all. Reload it to try again.`,
				);
			}
			if (wait > 0) throw new LspError("gone", `${failureOf(entry)}. It is started again in a moment.`);
			this.#setState(entry, "starting");
			entry.hasStarted = false;
			await entry.ending;
			await this.#admit(entry);
			const server = await this.#open(entry, limits.handovers);
			entry.server = server;
			entry.hasStarted = true;
			this.#setState(entry, "ready");
			return server;
		} catch (error) {
			entry.isAdmitted = false;
			if (entry.state === "starting")
				this.#crashed(entry, error instanceof Error ? error.message : String(error));
			throw error instanceof LspError ? error : new LspError("gone", `${failureOf(entry)}.`);
		}
	}

	/** The owner of a shared server may end while this one joins it: then there will be another. */
	async #open(entry: Entry, handovers: number): Promise<LanguageServer> {
		const { row, root } = entry;
		const link = await this.#link(entry);
		const onGone = (reason: string): void => {
			entry.isAdmitted = false;
			entry.ending = link[Symbol.asyncDispose]();
			if (link.isGuest) this.#setState(entry, "stopped", reason);
			else this.#crashed(entry, reason);
		};
		try {
			return await LanguageServer.start(
				{
					row,
					root,
					machine: this.#env.machine,
					link,
					isProject: this.#isInProject(root),
					onGone,
					isContained: this.#env.sandbox !== undefined,
				},
				{ signal: this.#ended.signal, timeoutMs: limits.startMs },
			);
		} catch (error) {
			if (!link.isGuest || handovers === 0 || this.#ended.signal.aborted) throw error;
			return await this.#open(entry, handovers - 1);
		}
	}

	#isInProject(root: string): boolean {
		const { cwd, env } = this.#env;
		return projectRoot(cwd, env.HOME) !== undefined && (isBelow(root, this.#top) || root === this.#top);
	}

	/** Started by this session, or used where another Tau has started it. */
	async #link(entry: Entry): Promise<ServerLink> {
		const { row, root, command } = entry;
		const { machine, env, settings } = this.#env;
		const { meetingPoint, openLink } = await import("./sharing/index.ts");
		const lspmux = await lspmuxCommand({ command, root, machine, env });
		const isShared = !lspmux && this.#isInProject(root) && settings.get("lsp.shareServers");
		const meeting = isShared ? await meetingPoint({ row, root, command, machine, env }) : undefined;
		const program = { command: lspmux ?? command, root, machine, env: withoutSecrets(env) };
		entry.usedCommand = program.command;
		return await openLink(program, meeting, this.#ended.signal);
	}

	#crashed(entry: Entry, reason: string): void {
		this.#setState(entry, "failed", reason);
		entry.retryAt = this.now() + limits.restartMs * 2 ** entry.crashes;
		entry.crashes++;
		log.warn("a language server ended", { name: entry.row.name, reason });
	}

	/** Notifies every client. */
	#setState(entry: Entry, state: ServerState, reason?: string): void {
		entry.state = state;
		if (reason === undefined) delete entry.reason;
		else entry.reason = reason;
		if (this.#ended.signal.aborted) return;
		const servers = this.status.map(({ name, root, state: each, reason: why }) => ({
			name,
			root,
			state: each,
			...(why === undefined ? {} : { reason: why }),
		}));
		this.#env.session.emit({ type: "lsp_servers_change", servers }).catch((error: unknown) => {
			log.warn("the state of a language server was not announced", { reason: String(error) });
		});
	}

	async #stop(entry: Entry): Promise<void> {
		const server = entry.server ?? (await entry.starting?.catch(() => undefined));
		delete entry.server;
		this.#setState(entry, "stopped", entry.reason);
		await server?.[Symbol.asyncDispose]();
		entry.isAdmitted = false;
	}

	/** One after the other, so that several starts at once do not exceed the limit together. */
	#admit(entry: Entry): Promise<void> {
		this.#admitting = this.#admitting.then(() => this.#makeRoom(entry));
		return this.#admitting;
	}

	/** At the limit, the server that was not used for the longest time is stopped; one that nobody waits for, if there is one. */
	async #makeRoom(entry: Entry): Promise<void> {
		for (;;) {
			const admitted = [...this.#entries.values()].filter((one) => one !== entry && one.isAdmitted);
			if (admitted.length < limits.servers) break;
			const rank = ({ server, usedAt }: Entry): number => (server?.isAsked ? Infinity : usedAt);
			const [oldest] = admitted.filter(({ server }) => server).toSorted((a, b) => rank(a) - rank(b) || 0);
			if (oldest) await this.#stop(oldest);
			else await Promise.race(admitted.map(({ starting }) => starting?.catch(() => {})));
		}
		entry.isAdmitted = true;
	}

	#watchIdle(): void {
		this.#idle ??= timer(limits.idleMs, () => {
			this.#idle = undefined;
			void this.stopIdle(limits.idleMs);
			if (this.all.length > 0) this.#watchIdle();
		});
	}

	/** Stops the servers that nobody has used for this long. */
	async stopIdle(ms: number): Promise<void> {
		const old = this.now() - ms;
		const idle = [...this.#entries.values()].filter(
			({ server, usedAt }) => server && usedAt <= old && server.sharing.guests === 0,
		);
		await Promise.all(idle.map((entry) => this.#stop(entry)));
	}

	#program(row: ServerRow, root: string): Promise<readonly [string, ...string[]] | undefined> {
		const key = `${row.command.join("\0")}\0\0${root}`;
		let found = this.#found.get(key);
		if (!found) {
			found = findProgram(this.#env.machine.files, row, root, this.#env.env);
			this.#found.set(key, found);
		}
		return found;
	}

	/** Servers learn of every change on the disk; open documents are sent when they are next asked about. */
	#onChange(event: JournalEvent): void {
		if (event.type !== "recorded" || this.#entries.size === 0) return;
		const changes = event.entries.flatMap(({ path, kind, renamedFrom }) =>
			kind === "renamed"
				? [
						...(renamedFrom === undefined ? [] : [{ path: renamedFrom, kind: "deleted" as const }]),
						{ path, kind: "created" as const },
					]
				: [{ path, kind }],
		);
		for (const server of this.all) server.noteFiles(changes.filter(({ path }) => isBelow(path, server.root)));
	}
}

function keyOf({ name }: ServerRow, root: string): string {
	return `${name}\0${root}`;
}

function failureOf({ row, reason, hasStarted }: Entry): string {
	return hasStarted ? `${row.name} crashed: ${reason}` : `${row.name} failed to start (${reason})`;
}

function isBelow(path: string, root: string): boolean {
	return root === "/" || path.startsWith(`${root}/`);
}

const languageServers: ServiceKey<LanguageServers> = {
	name: "language servers",
	create: (env) => new LanguageServers(env),
};

/** How many errors and warnings open files have, such as `2 errors, 1 warning`; undefined if none are known. No server is asked. */
export function openProblems({ services }: Pick<ToolEnv, "services">): string | undefined {
	const servers = services.peek(languageServers)?.all ?? [];
	const problems = servers.flatMap(({ diagnostics, documents }) =>
		documents.all.flatMap((document) =>
			diagnostics.known(document).map((one) => problemOf(document.path, one)),
		),
	);
	const shown = problems.filter(({ severity }) => severity === "error" || severity === "warning");
	return shown.length === 0 ? undefined : problemCounts(shown);
}

/** What an agent changes, as long as it runs. */
const sharedChanges: ServiceKey<Disposable> = {
	name: "changes for language servers",
	create({ services, journal }) {
		const owner = services.provided(projectEnv);
		return owner ? owner.services.get(languageServers, owner).follow(journal) : onDispose(() => {});
	},
};

/** A session has its own; agents that work on its files share them. Nothing is started before a server is needed. */
export function serversOf(env: ToolEnv): LanguageServers {
	const owner = env.services.provided(projectEnv);
	if (!owner || owner.services.isClosed) return env.services.get(languageServers, env);
	env.services.get(sharedChanges, env);
	return owner.services.get(languageServers, owner);
}
