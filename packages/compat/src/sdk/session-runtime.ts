/** pi's AgentSessionRuntime: the current session, and the ways to continue with another one. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SessionManager } from "@tau/log";
import { checkSession } from "@tau/session/host";
import type { PiSession } from "./pi-session.ts";
import type { CreateAgentSessionResult } from "./create-agent-session.ts";
import { userTextAt } from "./session-facts.ts";
import type { AgentSessionServices } from "./session-services.ts";
import { ownAgentDir } from "../support/directories.ts";

export interface CreateAgentSessionRuntimeResult extends CreateAgentSessionResult {
	services: AgentSessionServices;
	diagnostics?: AgentSessionServices["diagnostics"];
}

interface RuntimeTarget {
	cwd: string;
	agentDir: string;
	sessionManager: SessionManager;
}

/** Makes everything that a session in a directory needs, and the session. */
export type CreateAgentSessionRuntimeFactory = (
	target: RuntimeTarget,
) => Promise<CreateAgentSessionRuntimeResult>;

interface Replaced {
	cancelled: boolean;
}

interface Afterwards {
	withSession?(context: unknown): Promise<void>;
}

export class AgentSessionRuntime {
	readonly #create: CreateAgentSessionRuntimeFactory;
	#made: CreateAgentSessionRuntimeResult;
	#rebind: ((session: PiSession) => Promise<void>) | undefined;
	#beforeInvalidate: (() => void) | undefined;

	constructor(
		session: PiSession,
		services: AgentSessionServices,
		createRuntime: CreateAgentSessionRuntimeFactory,
		diagnostics: AgentSessionServices["diagnostics"] = [],
		modelFallbackMessage?: string,
	) {
		const { extensions, runtime } = session.extensionRunner;
		this.#create = createRuntime;
		this.#made = {
			session,
			services,
			diagnostics,
			extensionsResult: { extensions, errors: [], runtime },
			...(modelFallbackMessage === undefined ? {} : { modelFallbackMessage }),
		};
	}

	get session(): PiSession {
		return this.#made.session;
	}

	get services(): AgentSessionServices {
		return this.#made.services;
	}

	get cwd(): string {
		return this.services.cwd;
	}

	get diagnostics(): AgentSessionServices["diagnostics"] {
		return this.#made.diagnostics ?? this.services.diagnostics;
	}

	get modelFallbackMessage(): string | undefined {
		return this.#made.modelFallbackMessage;
	}

	/** Called with each session that replaces another: listeners belong to the old one. */
	setRebindSession(rebind?: (session: PiSession) => Promise<void>): void {
		this.#rebind = rebind;
	}

	setBeforeSessionInvalidate(before?: () => void): void {
		this.#beforeInvalidate = before;
	}

	async newSession(
		options: Afterwards & { parentSession?: string; setup?(log: SessionManager): Promise<void> } = {},
	): Promise<Replaced> {
		const { parentSession, setup } = options;
		const old = this.session.sessionManager;
		if (!(await this.#confirmLeave({ to: "new" }))) return { cancelled: true };
		const log = old.isPersisted()
			? SessionManager.create(this.cwd, old.getSessionDir())
			: SessionManager.inMemory(this.cwd);
		if (parentSession !== undefined) log.newSession({ parentSession });
		const { provider, id } = this.session.model;
		log.appendModelChange(provider, id);
		await setup?.(log);
		return this.#replace(log, options);
	}

	async switchSession(
		sessionPath: string,
		options: Afterwards & { cwdOverride?: string } = {},
	): Promise<Replaced> {
		const path = resolve(sessionPath);
		checkSession(path);
		if (!(await this.#confirmLeave({ to: "resume", targetSessionFile: path }))) return { cancelled: true };
		return this.#replace(() => SessionManager.open(path, undefined, options.cwdOverride), options);
	}

	/** `before`: up to the entry before it, whose text is returned for editing. */
	async fork(
		entryId: string,
		options: Afterwards & { position?: "before" | "at" } = {},
	): Promise<Replaced & { selectedText?: string }> {
		const { position = "before" } = options;
		const log = this.session.sessionManager;
		const entry = log.getEntry(entryId);
		if (!entry) throw new Error(`Entry ${entryId} not found in this session.`);
		const leave = await this.#confirmLeave({ to: "fork", entryId, position });
		if (!leave) return { cancelled: true };
		const selectedText = position === "before" ? userTextAt(log, entryId) : undefined;
		const forkedAt = position === "before" ? entry.parentId : entryId;
		const parentSession = log.getSessionFile();
		await this.session.abort();
		const leaf = leave === "keep" ? log.getLeafId() : forkedAt;
		if (leaf === null) log.newSession(parentSession === undefined ? {} : { parentSession });
		else log.createBranchedSession(leaf);
		const replaced = await this.#replace(log, options);
		return { ...replaced, ...(selectedText === undefined ? {} : { selectedText }) };
	}

	/** Continues with a copy of the file in this directory's sessions. */
	async importFromJsonl(inputPath: string, cwdOverride?: string): Promise<Replaced> {
		const path = resolve(inputPath);
		if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
		if (!(await this.#confirmLeave({ to: "resume", targetSessionFile: path }))) return { cancelled: true };
		const directory = this.session.sessionManager.getSessionDir();
		return this.#replace(SessionManager.forkFrom(path, cwdOverride ?? this.cwd, directory || undefined), {});
	}

	async dispose(): Promise<void> {
		this.#beforeInvalidate?.();
		await this.session[Symbol.asyncDispose]();
	}

	#confirmLeave(about: Parameters<PiSession["confirmLeave"]>[0]): Promise<boolean | "keep"> {
		return this.session.confirmLeave(about);
	}

	/** A session that only the old one may write is opened when that has ended. */
	async #replace(
		next: SessionManager | (() => SessionManager),
		{ withSession }: Afterwards,
	): Promise<Replaced> {
		await this.dispose();
		const sessionManager = typeof next === "function" ? next() : next;
		const { agentDir } = this.services;
		this.#made = await this.#create({ cwd: sessionManager.getCwd() || this.cwd, agentDir, sessionManager });
		await this.#rebind?.(this.session);
		await withSession?.(this.session.createReplacedSessionContext());
		return { cancelled: false };
	}
}

/** The first session; the same factory makes all later ones. */
export async function createAgentSessionRuntime(
	createRuntime: CreateAgentSessionRuntimeFactory,
	options: Partial<RuntimeTarget> = {},
): Promise<AgentSessionRuntime> {
	const { cwd = process.cwd() } = options;
	const agentDir = ownAgentDir(options.agentDir);
	const { sessionManager = SessionManager.create(cwd) } = options;
	const made = await createRuntime({ cwd, agentDir, sessionManager });
	const { session, services, diagnostics, modelFallbackMessage } = made;
	return new AgentSessionRuntime(session, services, createRuntime, diagnostics, modelFallbackMessage);
}
