/** The sessions of all projects as a page lists, opens and changes them, whether they run or not. */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { setImmediate } from "node:timers/promises";

import { hasText, SessionManager, trashSession, formatOwner, type SessionInfo } from "@tau/log";
import { SessionMarks, type Mark } from "@tau/session-commands/shared/session-marks";
import { dirs, expandHome, type Env } from "@tau/utils";
import { GoneError } from "@tau/wire/remote";
import { HttpError } from "@tau/web/server";

import { askSession } from "../local/ask-session.ts";
import { ask, type Address } from "../local/connect.ts";
import { limits as localLimits } from "../local/limits.ts";
import type { OpenedSession, OpenRequest } from "../local/protocol.ts";
import { registrations, type Registration } from "../local/registrations.ts";
import { runningSessions } from "../local/running-sessions.ts";
import { limits } from "./limits.ts";
import { freshRow, hasWords, projectsOf, rowOf, urgency, type SessionList } from "./session-rows.ts";

export interface ListQuery {
	readonly search?: string;
	readonly project?: string;
	readonly limit?: number;
	readonly isArchived?: boolean;
}

export interface WebSessionsOptions {
	/** Starts a session in a process of its own. */
	open(request: OpenRequest): Promise<OpenedSession>;
	/** The environment of the terminal in which the user has asked for the page. */
	env(): Env;
	/** The directory of that terminal. */
	cwd(): string | undefined;
}

export class WebSessions {
	readonly #options: WebSessionsOptions;
	/** Two pages that want the same session get one process. */
	readonly #opening = new Map<string, Promise<Address>>();
	readonly #texts = new TextSearch();

	constructor(options: WebSessionsOptions) {
		this.#options = options;
	}

	/** Those that wait for the user first, then those that work, then pinned ones, then the latest. */
	async list({
		search = "",
		project,
		limit = limits.listed,
		isArchived = false,
	}: ListQuery): Promise<SessionList> {
		const [stored, running] = await Promise.all([SessionManager.listAll(), runningSessions()]);
		// Read each time: a terminal may have changed them.
		const marks = new SessionMarks();
		const byId = new Map(running.map((session) => [session.registration.sessionId, session]));
		const rows = stored.map((info) => rowOf(info, byId.get(info.id), marks));
		const known = new Set(stored.map(({ id }) => id));
		const fresh = running.filter(({ registration }) => !known.has(registration.sessionId));
		const all = [...rows, ...fresh.map((session) => freshRow(session, marks))].filter(
			(row) => row.isArchived === isArchived,
		);
		const words = search.toLowerCase().split(/\s+/).filter(Boolean);
		const inText = await this.#texts.find(stored, words);
		const sessions = all
			.filter((row) => project === undefined || row.cwd === project)
			.filter((row) => hasWords(row, words) || inText.has(row.id))
			.toSorted((a, b) => urgency(b) - urgency(a) || b.modifiedAt - a.modifiedAt)
			.slice(0, Math.min(limit, limits.listed));
		return { sessions, projects: withOwn(projectsOf(all), this.#options.cwd()) };
	}

	/** Where it listens. One that does not run is opened from its log. Rejects with a `GoneError` if there is none. */
	async address(id: string): Promise<Address> {
		const running = registered(id);
		if (running) return running;
		const opening = this.#opening.get(id) ?? this.#resume(id);
		this.#opening.set(id, opening);
		try {
			return await opening;
		} finally {
			this.#opening.delete(id);
		}
	}

	/** The file of its log, which may not be written yet. Rejects with a `GoneError` if there is none. */
	async fileOf(id: string): Promise<string> {
		const running = registered(id);
		if (running && running.sessionFile === undefined)
			throw new HttpError(409, "The session is not stored, so no file can be added to it.");
		return running?.sessionFile ?? (await storedSession(id)).path;
	}

	/** A new session, in a directory of the machine; `~` is the user's own. */
	async create(path: string, prompt: string | undefined): Promise<string> {
		const cwd = expandHome(path, dirs().home);
		if (!isAbsolute(cwd) || !isDirectory(cwd)) throw new HttpError(400, `${path} is not a directory.`);
		const { sessionId } = await this.#start([], cwd, prompt === undefined ? [] : [{ text: prompt }]);
		return sessionId;
	}

	async fork(id: string): Promise<string> {
		const { path, cwd } = await storedSession(id);
		const { sessionId } = await this.#start([`--fork=${path}`], directoryOf(cwd));
		return sessionId;
	}

	async rename(id: string, name: string): Promise<void> {
		const running = registered(id);
		if (running) return void (await askSession(running, "set_session_name", { name }));
		const { path } = await storedSession(id);
		const opened = SessionManager.tryOpen(path);
		if (!opened.ok) throw new HttpError(409, "The session is open elsewhere.");
		using session = opened.session;
		session.appendSessionInfo(name);
	}

	async setMark(mark: Mark, id: string, isOn: boolean): Promise<void> {
		const marks = new SessionMarks();
		if (marks.has(mark, id) !== isOn) await marks.toggle(mark, id);
	}

	/** Ends its process; the session stays. */
	async close(id: string): Promise<void> {
		const running = registered(id);
		if (!running) return;
		if (running.kind !== "detached")
			throw new HttpError(409, "A terminal has the session open. End it there.");
		await ask(running, { purpose: "end" }, { timeoutMs: localLimits.statusMs });
	}

	/** Moves it to the trash, where `tau sessions` can restore it. */
	async remove(id: string): Promise<void> {
		if (registered(id)) throw new HttpError(409, "The session is open. Close it first.");
		const { path } = await storedSession(id);
		const outcome = trashSession(path, `${dirs().data}/trash`);
		if (outcome.ok) return;
		if (outcome.reason === "locked")
			throw new HttpError(409, `${formatOwner(outcome.locked.owner)} has the session open.`);
		throw new HttpError(409, "The session belongs to another program.");
	}

	async #resume(id: string): Promise<Address> {
		const { path, cwd } = await storedSession(id);
		return await this.#start([`--session=${path}`], directoryOf(cwd));
	}

	async #start(argv: string[], cwd: string, prompts: OpenRequest["prompts"] = []): Promise<OpenedSession> {
		const set = Object.entries(this.#options.env()).filter(
			(pair): pair is [string, string] => pair[1] !== undefined,
		);
		return await this.#options.open({ argv, cwd, env: Object.fromEntries(set), prompts });
	}
}

/** Finds words in the messages of all sessions for the list of a page, which asks for the same again every few seconds. */
class TextSearch {
	#words = "";
	/** Of the last search, by file: what was found, in the file of this size. */
	#known = new Map<string, { readonly size: number; readonly has: boolean }>();

	/** The ids of the sessions that have all words. One file at a time: other requests are answered in between. */
	async find(sessions: readonly SessionInfo[], words: readonly string[]): Promise<ReadonlySet<string>> {
		const ids = new Set<string>();
		if (words.length === 0) return ids;
		const search = words.join(" ");
		if (search !== this.#words) {
			this.#words = search;
			this.#known = new Map();
		}
		const known = this.#known;
		for (const info of sessions) {
			const { id, path, size } = info;
			let last = known.get(path);
			if (last?.size !== size) {
				await setImmediate();
				last = { size, has: hasText(info, words) };
				known.set(path, last);
			}
			if (last.has) ids.add(id);
		}
		return ids;
	}
}

/** A directory in which the page was asked for is one to work in, before it has a session. The user's home is none. */
function withOwn(projects: SessionList["projects"], cwd: string | undefined): SessionList["projects"] {
	if (cwd === undefined || cwd === dirs().home || projects.some((project) => project.cwd === cwd))
		return projects;
	return [...projects, { cwd, sessions: 0 }];
}

function registered(id: string): Registration | undefined {
	return registrations().find(({ kind, sessionId }) => kind !== "daemon" && sessionId === id);
}

async function storedSession(id: string): Promise<SessionInfo> {
	const info = (await SessionManager.listAll()).find((each) => each.id === id);
	if (!info) throw new GoneError("There is no such session any more.");
	return info;
}

function directoryOf(cwd: string): string {
	if (isDirectory(cwd)) return cwd;
	throw new HttpError(409, `The directory of the session, ${cwd}, does not exist any more.`);
}

function isDirectory(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
