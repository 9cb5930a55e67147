/** The API to read or continue a session: pi's SessionManager, with its names, over our log. */
import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import type { AgentMessage } from "@tau/agent";
import type { ImageContent, TextContent, Usage } from "@tau/ai";
import { Listeners } from "@tau/utils";

import { buildContext, type ContextOptions, type SessionContext } from "./tree/context.ts";
import { copyArtifacts, copyLog, moveArtifacts } from "./file/copy-log.ts";
import type { ContextEditEntry, EntryFields, EntryHead, SessionEntry, SessionHeader } from "./tree/entry.ts";
import { Labels } from "./tree/labels.ts";
import { findSessionById, listAllSessions, listSessions, mostRecentSession } from "./listing/listing.ts";
import { newHeader } from "./file/new-header.ts";
import type { EntryNode } from "./tree/node.ts";
import { defaultSessionDir, sessionFileName } from "./file/paths.ts";
import type { LogProblem, ProblemListener } from "./file/problem.ts";
import { branchMessages, pastMessages, type PastMessages } from "./tree/past-messages.ts";
import { contextEntries, pathTo, projectionOf, type SessionProjection } from "./tree/projection.ts";
import { openError, type OpenFailure } from "./file/open-error.ts";
import { SessionLog, type LogOptions } from "./session-log.ts";
import type { SessionInfo, SessionListProgress } from "./listing/session-info.ts";
import type { Spent } from "./tree/spent.ts";
import { sessionTree, type SessionTreeNode } from "./tree/session-tree.ts";

export interface OpenOptions extends LogOptions {
	/** `read` takes no lock and writes nothing, not even a repair. */
	access?: "read" | "write";
	/** The directory for sessions that are made from this one. */
	sessionDir?: string | undefined;
	/** Overrides the directory in the header. */
	cwd?: string | undefined;
}

export type OpenOutcome = { ok: true; session: SessionManager } | OpenFailure;

export interface NewSessionOptions {
	id?: string;
	parentSession?: string;
	fileName?: string;
}

export class SessionManager implements Disposable {
	readonly #options: LogOptions;
	readonly #listeners = new Listeners<LogProblem>();
	readonly #appended = new Listeners<string>();
	#dir: string;
	#cwd: string;
	#log: SessionLog;
	#labels: Labels;
	#leaf: string | null;

	private constructor(log: SessionLog, dir: string, cwd: string, options: LogOptions) {
		this.#log = log;
		this.#dir = dir;
		this.#cwd = cwd;
		this.#options = options;
		this.#labels = new Labels(log);
		this.#leaf = log.tree.leaf?.id ?? null;
		log.onProblem((problem) => this.#listeners.call(problem));
	}

	/** No file is created until the first message. */
	static create(
		cwd: string,
		sessionDir?: string,
		{ id, parentSession, fileName, claim, ...options }: LogOptions & NewSessionOptions = {},
	): SessionManager {
		const dir = sessionDir ?? defaultSessionDir(cwd);
		const header = newHeader(cwd, { id, parentSession });
		const path = join(dir, fileName ?? sessionFileName(header));
		return new SessionManager(SessionLog.fresh(path, header, { ...options, claim }), dir, cwd, options);
	}

	static inMemory(cwd: string = process.cwd()): SessionManager {
		return new SessionManager(SessionLog.inMemory(newHeader(cwd)), "", cwd, {});
	}

	/** If the path does not exist, a new session starts there. */
	static tryOpen(path: string, options: OpenOptions = {}): OpenOutcome {
		const { access = "write", sessionDir, cwd, ...logOptions } = options;
		try {
			const fallback = newHeader(cwd ?? process.cwd());
			const opened = SessionLog.open(resolve(path), access, fallback, logOptions);
			if (!opened.ok) return opened;
			const { log } = opened;
			const dir = sessionDir ?? dirname(log.path ?? path);
			return { ok: true, session: new SessionManager(log, dir, cwd ?? log.header.cwd, logOptions) };
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			return { ok: false, reason: "unreadable", path, message };
		}
	}

	/**
	 * pi's signature, so it throws: `SessionLockedError` if another process has the session. If this same
	 * process has it, the second one is read-only: extensions read the running session that way. A session of
	 * pi or omp is continued in a fork, and one that does not exist there yet is created in Tau's own directory.
	 */
	static open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager {
		const options = { sessionDir, cwd: cwdOverride };
		const outcome = SessionManager.tryOpen(path, options);
		if (outcome.ok) return outcome.session;
		if (outcome.reason === "newer" || (outcome.reason === "locked" && !outcome.locked.isOwn))
			throw openError(outcome);
		if (outcome.reason === "foreign" && !existsSync(path))
			return SessionManager.create(cwdOverride ?? process.cwd(), sessionDir);
		const reading = SessionManager.tryOpen(path, { ...options, access: "read" });
		if (!reading.ok) throw openError(reading);
		if (outcome.reason === "locked") return reading.session;
		using source = reading.session;
		return SessionManager.forkFrom(path, source.getCwd() || process.cwd(), sessionDir);
	}

	static continueRecent(cwd: string, sessionDir?: string): SessionManager {
		const recent = mostRecentSession(cwd, sessionDir);
		return recent === undefined
			? SessionManager.create(cwd, sessionDir)
			: SessionManager.open(recent, sessionDir, cwd);
	}

	/** Copies all of another session to continue it in another directory. The source is read, and not locked. */
	static forkFrom(
		sourcePath: string,
		targetCwd: string,
		sessionDir?: string,
		{ id, ...options }: LogOptions & Pick<NewSessionOptions, "id"> = {},
	): SessionManager {
		const dir = sessionDir ?? defaultSessionDir(targetCwd);
		const path = resolve(sourcePath);
		const opened = SessionLog.open(path, "read", newHeader(targetCwd), options);
		if (!opened.ok) throw openError(opened);
		using source = opened.log;
		if (!source.tree.last)
			throw new Error(`${path} is a session without messages: there is nothing to copy.`);
		const header = { ...source.header, ...newHeader(targetCwd, { id, parentSession: path }) };
		const target = join(dir, sessionFileName(header));
		const log = copyLog({ source, nodes: source.tree.nodes, header, path: target, ...options });
		copyArtifacts(path, target);
		return new SessionManager(log, dir, targetCwd, options);
	}

	static list(cwd: string, sessionDir?: string, onProgress?: SessionListProgress): Promise<SessionInfo[]> {
		return listSessions(cwd, sessionDir, onProgress);
	}

	/** The file of the session with exactly this id. */
	static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
		return findSessionById(cwd, id, sessionDir);
	}

	static listAll(onProgress?: SessionListProgress): Promise<SessionInfo[]> {
		return listAllSessions(onProgress);
	}

	/** Leaves this session and starts another. */
	newSession({ id, parentSession }: NewSessionOptions = {}): string | undefined {
		const header = newHeader(this.#cwd, { id, parentSession });
		const log = this.isPersisted()
			? SessionLog.fresh(join(this.#dir, sessionFileName(header)), header, this.#options)
			: SessionLog.inMemory(header, this.#options);
		this.#switchTo(log);
		return log.path;
	}

	/** Switches to another session, or reloads what the file now holds. Throws `SessionLockedError`. */
	setSessionFile(path: string): void {
		if (resolve(path) === this.#log.path) this.#log[Symbol.dispose]();
		const opened = SessionLog.open(resolve(path), "write", newHeader(this.#cwd), this.#options);
		if (!opened.ok) throw openError(opened);
		this.#switchTo(opened.log);
		if (opened.log.header.cwd) this.#cwd = opened.log.header.cwd;
	}

	/** Continues in a copy of the whole tree; the original session stays unchanged. */
	fork(): { oldSessionFile: string; newSessionFile: string } | undefined {
		const { path: oldSessionFile } = this.#log;
		if (oldSessionFile === undefined) return undefined;
		const leaf = this.#leaf;
		const newSessionFile = this.#copy(this.#log.tree.nodes);
		this.#leaf = leaf;
		return newSessionFile === undefined ? undefined : { oldSessionFile, newSessionFile };
	}

	/** Continues in a copy of one path, with the session's name and the labels that entries elsewhere set on it. */
	createBranchedSession(leafId: string): string | undefined {
		this.#nodeOf(leafId);
		const nodes = this.#log.tree.path(leafId);
		const [labels, name] = [this.#labels.outside(nodes), this.getSessionName()];
		const path = this.#copy(nodes);
		this.#leaf = leafId;
		if (name !== undefined && this.getSessionName() !== name) this.appendSessionInfo(name);
		for (const { targetId, label } of labels) this.appendLabelChange(targetId, label);
		return path;
	}

	/** Moves the session, with all its files, to another project. Nothing has moved if this rejects. */
	async moveTo(newCwd: string, sessionDir?: string): Promise<void> {
		const old = this.#log;
		const header = { ...old.header, cwd: newCwd };
		const dir = sessionDir ?? defaultSessionDir(newCwd);
		const path = old.path === undefined ? undefined : join(dir, basename(old.path));
		const log = copyLog({ source: old, nodes: old.tree.nodes, header, path, ...this.#options });
		if (old.path !== undefined && path !== undefined) {
			try {
				moveArtifacts(old.path, path);
			} catch (error) {
				log[Symbol.dispose]();
				rmSync(path, { force: true });
				throw error;
			}
		}
		const leaf = this.#leaf;
		this.#switchTo(log);
		this.#leaf = leaf;
		this.#dir = dir;
		this.#cwd = newCwd;
		if (old.path !== undefined) rmSync(old.path, { force: true });
	}

	isPersisted(): boolean {
		return this.#log.path !== undefined;
	}

	isReadOnly(): boolean {
		return this.#log.isReadOnly;
	}

	getCwd(): string {
		return this.#cwd;
	}

	getSessionDir(): string {
		return this.#dir;
	}

	usesDefaultSessionDir(): boolean {
		return this.#dir === defaultSessionDir(this.#cwd);
	}

	getSessionId(): string {
		return this.#log.header.id;
	}

	getSessionFile(): string | undefined {
		return this.#log.path;
	}

	getHeader(): SessionHeader {
		return this.#log.header;
	}

	/** The problems of the file when it was opened, and since. */
	getProblems(): readonly LogProblem[] {
		return this.#log.problems;
	}

	onProblem(listener: ProblemListener): Disposable {
		return this.#listeners.add(listener);
	}

	getSessionName(): string | undefined {
		return this.#log.name;
	}

	/** Appends a child of the leaf; the new entry becomes the leaf. Returns its id. */
	append(fields: EntryFields): string {
		const node = this.#log.append(fields, this.#leaf);
		this.#leaf = node.id;
		this.#appended.call(node.id);
		return node.id;
	}

	/** Called with the id of each new entry. */
	onAppend(listener: (id: string) => void): Disposable {
		return this.#appended.add(listener);
	}

	appendMessage(message: AgentMessage): string {
		return this.append({ type: "message", message });
	}

	appendThinkingLevelChange(thinkingLevel: string): string {
		return this.append({ type: "thinking_level_change", thinkingLevel });
	}

	appendModelChange(provider: string, modelId: string, role?: string): string {
		return this.append({ type: "model_change", provider, modelId, ...(role === undefined ? {} : { role }) });
	}

	appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): string {
		const fields = { kind, provider, model, usage, ...(note === undefined ? {} : { note }) };
		return this.append({ type: "usage", ...fields });
	}

	appendCompaction<T = unknown>(
		summary: string,
		firstKeptEntryId: string,
		tokensBefore: number,
		details?: T,
		fromHook?: boolean,
		preserveData?: Record<string, unknown>,
	): string {
		const fields = { summary, firstKeptEntryId, tokensBefore, ...(details === undefined ? {} : { details }) };
		const data = preserveData === undefined ? {} : { preserveData };
		const hook = fromHook === undefined ? {} : { fromHook };
		return this.append({ type: "compaction", ...fields, ...data, ...hook });
	}

	appendCustomEntry(customType: string, data?: unknown): string {
		return this.append({ type: "custom", customType, ...(data === undefined ? {} : { data }) });
	}

	appendCustomMessageEntry<T = unknown>(
		customType: string,
		content: string | (TextContent | ImageContent)[],
		display: boolean,
		details?: T,
	): string {
		const optional = details === undefined ? {} : { details };
		return this.append({ type: "custom_message", customType, content, display, ...optional });
	}

	appendSessionInfo(name: string): string {
		return this.append({ type: "session_info", name: name.trim() });
	}

	/** omp's way to name a session. A title that was generated does not replace a name. */
	async setSessionName(name: string, source?: "auto" | "user"): Promise<boolean> {
		if (name.trim() === "" || (source === "auto" && this.getSessionName() !== undefined)) return false;
		this.appendSessionInfo(name);
		return true;
	}

	appendModeChange(mode: string, data?: Record<string, unknown>): string {
		return this.append({ type: "mode_change", mode, ...(data === undefined ? {} : { data }) });
	}

	appendTtsrInjection(injectedRules: string[]): string {
		return this.append({ type: "ttsr_injection", injectedRules });
	}

	getInjectedTtsrRules(): string[] {
		return this.buildSessionContext().injectedTtsrRules;
	}

	appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
		this.#nodeOf(targetId);
		return this.append({ type: "context_edit", targetId, replacement });
	}

	/** Without a label, or with an empty one, the label is removed. */
	appendLabelChange(targetId: string, label: string | undefined): string {
		this.#nodeOf(targetId);
		return this.append({ type: "label", targetId, ...(label ? { label } : {}) });
	}

	getLabel(id: string): string | undefined {
		return this.#labels.get(id)?.label;
	}

	getLeafId(): string | null {
		return this.#leaf;
	}

	getLeafEntry(): SessionEntry | undefined {
		return this.#leaf === null ? undefined : this.getEntry(this.#leaf);
	}

	getEntry(id: string): SessionEntry | undefined {
		const node = this.#log.tree.get(id);
		return node && this.#log.entry(node);
	}

	getChildren(parentId: string): SessionEntry[] {
		return this.#log.tree.children(parentId).map((node) => this.#log.entry(node));
	}

	/** All entries in the order of the file. Reads the whole file: use `getHeads` if bodies are not needed. */
	getEntries(): SessionEntry[] {
		return this.#log.tree.nodes.map((node) => this.#log.entry(node));
	}

	/** The number of entries, without reading their bodies. */
	getEntryCount(): number {
		return this.#log.tree.nodes.length;
	}

	/** The usage of all branches of the session, in the order of the file, without reading their bodies. */
	spent(): Iterable<Spent> {
		return this.#log.spent();
	}

	/** Type, id, parent and time of all entries, from memory. */
	getHeads(): readonly Readonly<EntryHead>[] {
		return this.#log.tree.nodes;
	}

	/** From the root to an entry, or to the leaf. */
	getBranch(fromId?: string): SessionEntry[] {
		return this.#log.tree.path(fromId ?? this.#leaf).map((node) => this.#log.entry(node));
	}

	/** Type, id, parent and time of the entries from the root to the leaf, from memory. */
	getBranchHeads(): readonly Readonly<EntryHead>[] {
		return this.#log.tree.path(this.#leaf);
	}

	getTree(): SessionTreeNode[] {
		return sessionTree(this.#log, this.#labels);
	}

	/** Reads only the entries after the last compaction of the branch. */
	buildSessionContext(options?: ContextOptions): SessionContext {
		return buildContext(pathTo(this.#log, this.#leaf), options);
	}

	/** The messages of the current context, read on demand. */
	pastMessages(): PastMessages {
		const log = this.#log;
		return pastMessages(pathTo(log, this.#leaf), () => !log.isClosed);
	}

	/** The messages of the branch from the newest on, with those that a compaction replaced, if their line has one of these texts. */
	branchMessages(holding: readonly string[]): Iterable<AgentMessage> {
		const log = this.#log;
		return branchMessages(pathTo(log, this.#leaf), () => !log.isClosed, holding);
	}

	buildContextEntries(): SessionEntry[] {
		return contextEntries(this.getBranch());
	}

	buildSessionProjection(): SessionProjection {
		return projectionOf(this.getBranch());
	}

	/** The next entry becomes a child of this one, or a root. */
	branch(branchFromId: string | null): void {
		this.#leaf = branchFromId === null ? null : this.#nodeOf(branchFromId).id;
	}

	/** The next entry becomes a root. */
	resetLeaf(): void {
		this.#leaf = null;
	}

	branchWithSummary(
		branchFromId: string | null,
		summary: string,
		details?: unknown,
		fromHook?: boolean,
	): string {
		this.branch(branchFromId);
		const more = { ...(details !== undefined && { details }), ...(fromHook !== undefined && { fromHook }) };
		return this.append({ type: "branch_summary", fromId: branchFromId ?? "root", summary, ...more });
	}

	async flush(): Promise<void> {
		this.flushSync();
	}

	/** Retries the writes that the disk rejected, and forces them to the medium. Returns whether every entry is on it. */
	flushSync(): boolean {
		return this.#log.flush();
	}

	/** To be called at the end of a run, so that who closes the session then does not wait for the disk. */
	syncSoon(): void {
		this.#log.syncSoon();
	}

	[Symbol.dispose](): void {
		this.#log[Symbol.dispose]();
	}

	#nodeOf(id: string): EntryNode {
		const node = this.#log.tree.get(id);
		if (!node) throw new Error(`Entry ${id} not found in this session.`);
		return node;
	}

	#copy(nodes: readonly EntryNode[]): string | undefined {
		const { path: parentSession } = this.#log;
		const header = { ...this.#log.header, ...newHeader(this.#cwd, { parentSession }) };
		const path = parentSession === undefined ? undefined : join(this.#dir, sessionFileName(header));
		this.#switchTo(copyLog({ source: this.#log, nodes, header, path, ...this.#options }));
		if (parentSession !== undefined && path !== undefined) copyArtifacts(parentSession, path);
		return path;
	}

	#switchTo(log: SessionLog): void {
		this.#log[Symbol.dispose]();
		this.#log = log;
		this.#labels = new Labels(log);
		this.#leaf = log.tree.leaf?.id ?? null;
		for (const problem of log.problems) this.#listeners.call(problem);
		log.onProblem((problem) => this.#listeners.call(problem));
	}
}
