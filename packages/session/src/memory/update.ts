/** Brings a project's memory up to date: reads finished sessions, extracts, consolidates, and writes the documents. */
import { join, sep } from "node:path";

import { isAbort, livingOwner, log, privateDirectory, takeLock } from "@tau/utils";

import { SessionManager, type SessionInfo } from "@tau/log";
import { UserError } from "../run/user-error.ts";
import { line, NoModel, type AskMemory } from "./answers.ts";
import { consolidate, needsConsolidation } from "./consolidate.ts";
import { extract, type Extracted } from "./extract.ts";
import { counts, type Fact, type NewFact, type RowChange } from "./fact.ts";
import { dayMs, limits } from "./limits.ts";
import { Memory, type ScopedChange } from "./memory.ts";
import type { MemoryDirectories } from "./directories.ts";
import type { Scope } from "./render.ts";
import type { MemoryStore } from "./store.ts";
import { contentStems } from "./terms.ts";
import { overlap } from "./tombstones.ts";
import { readWords } from "./words.ts";

export interface MemorySettings {
	/** Sessions that were last written before are not read. */
	maxAgeDays: number;
	/** Sessions that were written since are not read: they may go on. */
	minIdleHours: number;
	maxSessions: number;
	concurrency: number;
	extractionTokens: number;
	consolidationTokens: number;
	injectionTokens: number;
	/** Changes wait for the user's yes. */
	confirm: boolean;
	/** Whether what the user said about all projects is kept for all projects. */
	global: boolean;
}

export interface UpdateOptions {
	directories: MemoryDirectories;
	settings: MemorySettings;
	ask: AskMemory;
	/** The directory of the sessions if it is not the default one. */
	sessionDir?: string | undefined;
	/** The session that is open. */
	current?: string | undefined;
	signal: AbortSignal;
	now?: number;
	/** Called for every write. */
	onChange?(change: ScopedChange): void;
	onProgress?(done: number, total: number): void;
}

export interface UpdateReport {
	/** Another process is doing it. */
	isReadByAnother?: true;
	/** No model can be used. */
	problem?: string;
	sessions: number;
	failed: number;
	/** Why the first of those that failed did. */
	failure?: string;
	changes: ScopedChange[];
	/** Damaged databases that were moved aside. */
	damaged: string[];
}

const lockName = "update";
const hourMs = 60 * 60_000;

/** Can be stopped at any time: each session is stored with its own transaction, and the next update continues. */
export async function updateMemory(options: UpdateOptions): Promise<UpdateReport> {
	const report: UpdateReport = { sessions: 0, failed: 0, changes: [], damaged: [] };
	const { project } = options.directories;
	if (!project) return { ...report, problem: "This directory is not a project." };
	privateDirectory(project.directory);
	const taken = takeLock(join(project.directory, lockName));
	if (!taken.ok) return { ...report, isReadByAnother: true };
	using _lock = taken.lock;
	using memory = new Memory(options.directories, { create: true });
	report.damaged.push(...memory.damaged);
	const { project: store } = memory;
	if (!store) return report;
	const update = new Update(options, memory, store, report);
	try {
		await update.extractAll(await dueSessions(store, options));
		await update.consolidateAll();
	} catch (error) {
		if (error instanceof NoModel || error instanceof UserError) report.problem = error.message;
		else throw error;
	} finally {
		memory.writeDocuments(options.settings.injectionTokens);
	}
	return report;
}

/** The newest first. Sessions of agents are not listed: what they found is in their parent's. */
async function dueSessions(
	store: MemoryStore,
	{ directories, settings, sessionDir, current, now = Date.now() }: UpdateOptions,
): Promise<SessionInfo[]> {
	const root = directories.project?.root ?? "";
	const all =
		sessionDir === undefined ? await SessionManager.listAll() : await SessionManager.list(root, sessionDir);
	const isDue = ({ id, path, cwd, modified, size }: SessionInfo): boolean => {
		const idleMs = now - modified.getTime();
		return (
			(cwd === root || cwd.startsWith(root + sep)) &&
			id !== current &&
			idleMs >= settings.minIdleHours * hourMs &&
			idleMs <= settings.maxAgeDays * dayMs &&
			size <= limits.sessionBytes &&
			store.sessions.isDue(id, modified.getTime(), now) &&
			livingOwner(`${path}.lock`) === undefined
		);
	};
	return all.filter(isDue).slice(0, settings.maxSessions);
}

class Update {
	readonly #options: UpdateOptions;
	readonly #memory: Memory;
	readonly #store: MemoryStore;
	readonly #report: UpdateReport;
	#failuresInRow = 0;

	constructor(options: UpdateOptions, memory: Memory, store: MemoryStore, report: UpdateReport) {
		this.#options = options;
		this.#memory = memory;
		this.#store = store;
		this.#report = report;
	}

	/** A few at a time; the first that finds no model ends all, and so do failures in a row: the others would fail, too. */
	async extractAll(sessions: readonly SessionInfo[]): Promise<void> {
		const waiting = [...sessions];
		let done = 0;
		const work = async (): Promise<void> => {
			for (let next = waiting.shift(); next; next = waiting.shift()) {
				if (this.#failuresInRow >= limits.failuresInRow) return;
				await this.#extract(next);
				this.#options.onProgress?.(++done, sessions.length);
			}
		};
		await Promise.all(Array.from({ length: this.#options.settings.concurrency }, work));
	}

	async consolidateAll(): Promise<void> {
		const { ask, settings, signal, now } = this.#options;
		for (const [scope, store] of [
			["project", this.#memory.project],
			["global", this.#memory.global],
		] as const) {
			if (!store || !needsConsolidation(store)) continue;
			// Every project consolidates what holds in all of them.
			const taken = scope === "global" ? takeLock(join(store.directory, lockName)) : undefined;
			if (taken?.ok === false) continue;
			using _ = taken?.lock;
			const options = { ask, tokenLimit: settings.consolidationTokens, propose: settings.confirm, signal };
			try {
				this.#changed(scope, await consolidate(store, { ...options, ...(now === undefined ? {} : { now }) }));
			} catch (error) {
				if (this.#ends(error)) throw error;
				// The facts are there; the next update consolidates them.
				this.#report.failed++;
				this.#report.failure ??= failureOf(error);
				log.warn("memory was not consolidated", { scope, reason: String(error) });
			}
		}
	}

	async #extract(info: SessionInfo): Promise<void> {
		const { ask, settings, signal, now = Date.now() } = this.#options;
		const session = {
			id: info.id,
			path: info.path,
			name: line(info.name ?? info.firstMessage, limits.subjectChars),
			modified: info.modified.getTime(),
		};
		try {
			signal.throwIfAborted();
			const read = await readWords(info.path, signal);
			const extracted = read.ok
				? await extract(info.id, read.session, { ask, tokenLimit: settings.extractionTokens, signal })
				: { facts: [], synopsis: "" };
			this.#keep(session, extracted);
			this.#report.sessions++;
			this.#failuresInRow = 0;
		} catch (error) {
			if (this.#ends(error)) throw error;
			this.#report.failed++;
			this.#report.failure ??= failureOf(error);
			this.#failuresInRow++;
			this.#store.sessions.failed(session, now);
			log.warn("a session was not read for memory", { id: info.id, reason: String(error) });
		}
	}

	/** Without a model, over the budget, on a full disk or after an abort nothing else can be done. */
	#ends(error: unknown): boolean {
		return (
			error instanceof NoModel || error instanceof UserError || isAbort(error) || this.#options.signal.aborted
		);
	}

	/** What an earlier update found in the session is replaced: the session has changed. */
	#keep(session: { id: string; path: string; name: string; modified: number }, found: Extracted): void {
		const { settings } = this.#options;
		const isGlobal = ({ scope }: { scope: "project" | "user" }): boolean =>
			settings.global && scope === "user";
		const { global } = this.#memory;
		const own = found.facts.filter((fact) => !isGlobal(fact));
		// The session counts as read with the second transaction: a kill between them repeats the first.
		if (global) this.#put("global", global, session, found.facts.filter(isGlobal), () => {});
		this.#put("project", this.#store, session, own, () =>
			this.#store.sessions.done({ ...session, synopsis: found.synopsis }),
		);
	}

	#put(
		scope: Scope,
		store: MemoryStore,
		{ id, name }: { id: string; name: string },
		found: readonly (NewFact & { scope: unknown })[],
		after: () => void,
	): void {
		for (const proposal of store.changes("proposed"))
			if (proposal.rows.every((row) => isAbout(row, id))) store.withdraw(proposal.id);
		const before = store.factsOfSession(id);
		const others = store.facts().filter((fact) => fact.session !== id);
		const facts = found.map(({ scope: _, ...fact }) => fact).filter((fact) => !store.tombstones.covers(fact));
		const label = `${facts.length === 1 ? "1 fact" : `${facts.length} facts`} from "${name}"`;
		const change = store.change({ label, propose: this.#options.settings.confirm, after }, (draft) => {
			const merged = new Set([...before, ...others].map(({ replacedBy }) => replacedBy));
			for (const fact of before) {
				const isKept = fact.replacedBy !== null || merged.has(fact.id);
				if (!isKept && !facts.some((each) => isSame(each, fact))) draft.remove(fact);
			}
			for (const fact of facts) {
				const known = [...before, ...others].find((each) => isSame(each, fact));
				if (!known) draft.add(fact);
				// Said again: it counts from then on.
				else if (counts(known) && fact.said > known.said) draft.update(known, { said: fact.said });
			}
			trim(draft.remove.bind(draft), [...others, ...before], facts.length);
		});
		this.#changed(scope, change);
	}

	#changed(scope: Scope, change: ScopedChange["change"] | undefined): void {
		if (!change) return;
		this.#report.changes.push({ scope, change });
		this.#options.onChange?.({ scope, change });
	}
}

const sameShare = 0.85;

function isSame(one: Pick<Fact, "text">, two: Pick<Fact, "text">): boolean {
	return one.text === two.text || overlap(contentStems(one.text), contentStems(two.text)) >= sameShare;
}

function isAbout({ before, after }: RowChange, session: string): boolean {
	const row = after ?? before;
	return row !== null && "session" in row && row.session === session;
}

/** What no longer counts goes first, then what is oldest. */
function trim(remove: (fact: Fact) => void, facts: readonly Fact[], added: number): void {
	const excess = facts.length + added - limits.facts;
	if (excess <= 0) return;
	const byWorth = facts.toSorted((a, b) => Number(counts(a)) - Number(counts(b)) || a.said - b.said);
	for (const fact of byWorth.slice(0, excess)) remove(fact);
}

function failureOf(error: unknown): string {
	const reason = error instanceof Error ? error.message : String(error);
	const words = error instanceof SyntaxError ? `the model's answer is not JSON (${reason})` : reason;
	return line(words, limits.subjectChars);
}
