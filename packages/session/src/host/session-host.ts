/** The one owner of a conversation: every client submits prompts, makes changes and moves through it. */
import type { AgentMessage } from "@tau/agent";
import { nextLevel, type Model, type ThinkingLevel } from "@tau/ai";

import type { SideQuestions } from "../side-questions/index.ts";
import type { ContextControl } from "../context/index.ts";
import type { BashExecutionMessage, SessionManager } from "@tau/log";
import type { UsableModels } from "@tau/config/models";
import type { AgentSession } from "../run/agent-session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { Cancelled } from "../run/user-error.ts";
import { register } from "../run/listeners.ts";
import type { Phase } from "../run/run-phase.ts";
import type { Policy } from "../policy/index.ts";
import type { SettingPath, Settings } from "@tau/config/settings";
import { applyChange } from "./apply-change.ts";
import { Admissions } from "./admissions.ts";
import { Children } from "./children.ts";
import type { Broadcast, BroadcastOptions } from "./clients/broadcast.ts";
import { answerRight } from "./guests.ts";
import { assertRight, Clients, type Attached, type Client } from "./clients/clients.ts";
import { hostPolicy } from "./host-policy.ts";
import { Deliveries, type Delivery } from "./deliveries.ts";
import { createRun, type CreatedRun, type RunSpending, type RunState } from "./create-run.ts";
import { handOff, type HandoffReason } from "./hand-off.ts";
import { forkMessages, planMove, type ForkMessage, type MoveOutcome, type SessionMove } from "./moves.ts";
import type { RunFeatures, SessionParts, SessionWork } from "./parts.ts";
import type { ClientInfo, CompactionResult, Cursor, UserAnswer } from "@tau/wire";
import { SessionRewind } from "./rewind.ts";
import { UserRequests, type RequestOutcome } from "./requests.ts";
import { hostModels, nextModel, restoreModel } from "./host-models.ts";
import type { Inherited, Outcome, SessionChange, SessionState } from "./session-state.ts";
import {
	UserShell,
	type CellResult,
	type CommandResult,
	type UserCellOptions,
	type UserCommandOptions,
} from "./user-shell.ts";

/** Who does something; absent for the program that owns the session. */
export interface By {
	by?: ClientInfo | undefined;
}

/** The type of entries about what a client elsewhere has done. */
const clientActionType = "client_action";

export class SessionHost implements AsyncDisposable {
	readonly #parts: SessionParts;
	readonly #replacedListeners = new Set<() => void>();
	readonly #owned = new DisposableStack();
	readonly #admissions: Admissions;
	readonly #userShell: UserShell;
	readonly #deliveries: Deliveries;
	readonly #inherited: Inherited;
	/** The only entry for prompts. */
	readonly submit: Admissions["submit"];
	/** Sessions that this one opened. */
	readonly children: Children;
	readonly requests: UserRequests;
	readonly models: UsableModels;
	/** Decides about tool calls; absent in a session that was opened without one. */
	readonly policy: Policy | undefined;
	/** Who is attached. */
	readonly clients: Clients;
	/** Takes the conversation and files back to an earlier message. */
	readonly rewind: SessionRewind;
	#run: CreatedRun;
	#runId: string;
	#cwd: string;
	#subscription: Disposable;
	/** Runs that were left, with what they own: a shell takes a moment to end. */
	#leaving: Promise<unknown> = Promise.resolve();
	#isMoving = false;
	#isClosed = false;
	/** Held back while the model answers: inserting them would separate tool calls from their results. */
	readonly #unrecorded: AgentMessage[] = [];

	constructor(parts: SessionParts, inherited: Inherited = {}) {
		this.#parts = parts;
		this.#inherited = inherited;
		this.clients = new Clients(this, parts.staysOpen && !this.#isChild);
		this.children = new Children({
			parent: this,
			parts,
			inherited,
			create: (...args) => new SessionHost(...args),
		});
		this.requests = parts.requests ?? new UserRequests();
		this.models = hostModels(parts);
		this.#cwd = parts.cwd ?? parts.log.getCwd();
		this.policy = hostPolicy(this, parts, () => this.#cwd, inherited.policy);
		this.#admissions = new Admissions({
			session: () => this.session,
			signature: (by) => this.#signature(by),
			userActed: () => this.#deliveries.userActed(),
			onEnd: () => this.#flushUnrecorded(),
			notify: (message) => void this.notice(message),
		});
		this.submit = this.#admissions.submit;
		this.#run = this.#create({});
		this.#runId = this.log.getSessionId();
		this.#subscription = this.#follow();
		this.#userShell = new UserShell({
			run: (...args) => this.#run.features.shell.run(...args),
			intercept: (...args) => this.#run.features.shell.intercept(...args),
			cell: (language) => this.#run.features.shell.cell(language),
			interceptPython: (...args) => this.#run.features.shell.interceptPython(...args),
			record: (message) => this.record(message),
			emit: (event) => void this.emitToClients(event),
		});
		this.#deliveries = new Deliveries(this, parts.staysOpen);
		this.rewind = new SessionRewind(this, () => this.#run.features.recorder);
		this.#owned.use(parts.settings.onChange((path) => this.#settingChanged(path)));
		// The parent's clients see the requests of a child, with its name.
		if (!this.#isChild) this.#owned.use(this.requests.subscribe((event) => void this.emit(event)));
		this.#owned.use(this.policy);
		this.#owned.use(this.clients);
	}

	/** The current run, for reading: it is replaced when the session moves. */
	get session(): AgentSession {
		return this.#run.session;
	}

	get log(): SessionManager {
		return this.#parts.log;
	}

	/** What the current run has used of its budget, without its children. */
	get spending(): Readonly<RunSpending> {
		return this.#run.spending;
	}

	get settings(): Settings {
		return this.#parts.settings;
	}

	get phase(): Phase {
		if (this.#isClosed) return "closed";
		return this.#isMoving ? "moving" : this.session.phase;
	}

	/** True while a new prompt has to be queued. */
	get isBusy(): boolean {
		return this.session.isBusy;
	}

	get state(): SessionState {
		const { model, thinkingLevel } = this.session.state;
		return {
			id: this.log.getSessionId(),
			file: this.log.getSessionFile(),
			phase: this.phase,
			name: this.log.getSessionName(),
			cwd: this.#cwd,
			model,
			thinkingLevel,
			leafId: this.log.getLeafId(),
		};
	}

	/** Whether the user trusts the project. */
	get isTrusted(): boolean {
		return this.#parts.isTrusted?.() ?? false;
	}

	/**
	 * Follows this session and those that it moves to. A client elsewhere gets what it has missed since `from`, if that is
	 * still known, otherwise everything.
	 */
	attach(client: Client, from?: Cursor): Attached {
		return this.clients.attach(client, this.requests, from);
	}

	/** Sends frames once for all members of a room, which are attached with it. */
	broadcast(options: BroadcastOptions): Broadcast {
		return this.clients.broadcast(options);
	}

	/** Called when the session is another one, before extensions are notified. */
	onReplaced(listener: () => void): Disposable {
		return register(this.#replacedListeners, listener);
	}

	/** Delivers an event to behaviors and every client. */
	emit(event: SessionEvent): Promise<void> {
		return this.session.emit(event);
	}

	/** Hands the model a message of the application, such as the end of a background job. */
	deliver(delivery: Delivery): Promise<void> {
		return this.#deliveries.deliver(delivery);
	}

	/** The background jobs of this session, and its goal. */
	get work(): SessionWork {
		return this.#run.features.work;
	}

	/** Runs the messages of an extension or of the application as a prompt. */
	async run(messages: readonly AgentMessage[]): Promise<void> {
		await this.session.run(messages);
		this.#flushUnrecorded();
	}

	/** Retries after a failed or aborted answer. Rejects with a `UserError` if there is none. */
	async retry(): Promise<void> {
		await this.#admissions.retry();
		this.#flushUnrecorded();
	}

	/** Changes memory, log and clients together, or none of them. */
	async apply(change: SessionChange, by?: ClientInfo): Promise<Outcome> {
		if (by) assertRight(by, "control", "Changing the session");
		return applyChange(this, change);
	}

	/** The next model of the scope, else of all that are available; undefined where there is no other. */
	async cycleModel(
		step: 1 | -1 = 1,
		models: UsableModels = this.models,
	): Promise<{ model: Model; isScoped: boolean } | undefined> {
		const next = nextModel(models, this.session.model, step);
		if (!next) return undefined;
		const model = await models.ready(next.model.provider, next.model.id);
		await this.apply({ type: "model", model, by: "cycle" });
		if (next.thinking) await this.apply({ type: "thinking", level: next.thinking });
		return { model, isScoped: next.isScoped };
	}

	/** The next thinking level of the model; undefined where it has only one. */
	async cycleThinkingLevel(): Promise<ThinkingLevel | undefined> {
		const { model, thinkingLevel } = this.session.state;
		const level = nextLevel(model, thinkingLevel);
		if (level !== undefined) await this.apply({ type: "thinking", level });
		return level;
	}

	/**
	 * Continues with another session, or at another entry of this one. Rejects with a `UserError` if that is impossible;
	 * then nothing has changed.
	 */
	async move(to: SessionMove, by?: ClientInfo): Promise<MoveOutcome> {
		if (by) assertRight(by, "control", "Moving the session");
		const { lifecycle } = this.#parts;
		const plan = planMove(to, this.log);
		const leave = !plan.request || !lifecycle || (await lifecycle.confirmLeave(plan.request));
		if (!leave) return { kind: "cancelled" };
		try {
			await this.#replace((leave === "keep" && plan.keep) || plan.change, plan.reason);
		} catch (error) {
			if (error instanceof Cancelled) return { kind: "cancelled" };
			throw error;
		}
		if (plan.restores) await restoreModel(this);
		return plan.text === undefined ? { kind: "moved" } : { kind: "moved", text: plan.text };
	}

	forkMessages(): ForkMessage[] {
		return forkMessages(this.log);
	}

	/** Resolves when what was stopped has ended. */
	async stop(what: "all" | "run" | "retry" | "shell" = "all", by?: ClientInfo): Promise<void> {
		if (by) assertRight(by, what === "shell" ? "control" : "prompt", "Stopping");
		if (by && this.isBusy) this.#acted(by, "interrupted");
		if (what === "retry" && this.session.phase !== "retrying") return;
		const ending: Promise<unknown>[] = [];
		if (what === "all" || what === "run") ending.push(this.children.stop());
		if (what !== "shell") {
			this.session.abort();
			ending.push(this.waitForIdle());
		}
		if (what === "all" || what === "shell") ending.push(this.#userShell.stop());
		await Promise.all(ending);
	}

	/** Resolves when nothing runs and every admitted prompt was answered. */
	async waitForIdle(): Promise<void> {
		await this.#admissions.idle();
		await this.session.waitForIdle();
	}

	get isShellRunning(): boolean {
		return this.#userShell.isRunning;
	}

	/** Runs a command of the user in the shell that the model's commands use. */
	async shell(command: string, { by, ...options }: UserCommandOptions & By = {}): Promise<CommandResult> {
		if (by) assertRight(by, "control", "Running a command");
		return this.#userShell.run(command, options, this.#signature(by));
	}

	/** Runs a cell of the user in the interpreter that the model's cells use. */
	async cell(code: string, { by, ...options }: UserCellOptions & By = {}): Promise<CellResult> {
		if (by) assertRight(by, "control", "Running a cell");
		return this.#userShell.runCell(code, options, this.#signature(by));
	}

	/** Leaves the outcome of a command that ran elsewhere for the model. */
	recordCommand(...args: Parameters<UserShell["record"]>): BashExecutionMessage {
		return this.#userShell.record(...args);
	}

	/** Aborts the run and summarizes the conversation. Rejects with the reason; then nothing has changed. */
	async compact(instructions?: string, by?: ClientInfo): Promise<CompactionResult> {
		if (by) assertRight(by, "control", "Compacting");
		return this.session.compact(instructions);
	}

	/** Continues in a new session with a document about this one. Rejects with the reason; then nothing has changed. */
	handoff(instructions?: string, reason: HandoffReason = "manual"): Promise<MoveOutcome> {
		return handOff(this, { instructions, reason, run: this.#run, admissions: this.#admissions });
	}

	/** What fills the context, and how the user changes that. */
	get context(): ContextControl {
		return this.#run.context;
	}

	/** Questions beside the conversation: to its model, and to another one. */
	get sideQuestions(): SideQuestions {
		return this.#run.sideQuestions;
	}

	/** What past sessions taught; absent in a session of an agent. */
	get memory(): RunFeatures["memory"] {
		return this.#run.features.memory;
	}

	/** Answers a pending request; `undefined` declines it. */
	answer(id: string, answer: UserAnswer | undefined, by?: ClientInfo): RequestOutcome {
		const request = this.requests.pending.find((each) => each.id === id);
		if (by) assertRight(by, answerRight(request?.kind), "Answering");
		const outcome = this.requests.answer(id, answer, this.#signature(by));
		if (outcome.ok && by) this.#acted(by, answer ? "answered" : "declined", id);
		return outcome;
	}

	/** Adds a message that the model reads with the next prompt. */
	record(message: AgentMessage): void {
		if (this.session.isAnswering) this.#unrecorded.push(message);
		else this.#record(message);
	}

	async notice(message: string, level: "info" | "warning" = "warning"): Promise<void> {
		await this.emit({ type: "notice", level, message });
	}

	/** Resolves when everything that the session owns has ended. */
	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		if (!this.#isChild) this.requests[Symbol.dispose]();
		await this.#userShell.stop();
		await this.children[Symbol.asyncDispose]();
		await this.#parts.lifecycle?.[Symbol.asyncDispose]();
		this.#owned.dispose();
		const owns = this.#parts.owns?.[Symbol.asyncDispose]();
		this.#subscription[Symbol.dispose]();
		await Promise.allSettled([this.#leaving, this.session[Symbol.asyncDispose](), owns]);
	}

	get #isChild(): boolean {
		return this.#inherited.agentId !== undefined;
	}

	#create(state: RunState): CreatedRun {
		return createRun(this.#parts, this, { cwd: this.#cwd, gates: this.#inherited.gates, state });
	}

	#follow(): Disposable {
		const owned = new DisposableStack();
		owned.use(this.session.subscribe(this.clients.emit));
		owned.use(
			this.session.onPhase(
				(phase, previous) => void this.emitToClients({ type: "phase_changed", phase, previous }),
			),
		);
		return owned;
	}

	/** Delivers an event to clients alone: behaviors and extensions of this session have no part in it. */
	emitToClients(event: SessionEvent): void | Promise<void> {
		return this.clients.emit(event);
	}

	/** Running work belongs to the session that is left: it ends first, and its output is stored there. */
	async #replace(
		change: () => void | Promise<void>,
		why: Parameters<NonNullable<SessionParts["lifecycle"]>["sessionEnding"]>[0] | undefined,
	): Promise<void> {
		const { lifecycle } = this.#parts;
		// What the user sends meanwhile is answered in the session that is there then.
		using held = this.#admissions.hold();
		await this.stop();
		await this.children.leave();
		this.#setMoving(true);
		try {
			const previous = this.log.getSessionFile();
			// Extensions keep in the old session what belongs there.
			if (why) await lifecycle?.sessionEnding(why);
			let problem: { error: unknown } | undefined;
			try {
				await change();
			} catch (error) {
				problem = { error };
				// The leave was not announced to anyone: then everything stays unchanged.
				if (!why || !lifecycle) throw error;
			}
			this.#reopen();
			held[Symbol.dispose]();
			// Clients draw from what events have made of the view: it is that of the new session when they are called.
			this.#announceMove(why?.reason ?? "branch");
			for (const listener of this.#replacedListeners) listener();
			if (why) await lifecycle?.sessionStarted(problem ? "reload" : why.reason, previous);
			if (problem) throw problem.error;
		} finally {
			this.#setMoving(false);
		}
	}

	#setMoving(isMoving: boolean): void {
		const previous = this.phase;
		this.#isMoving = isMoving;
		if (this.phase !== previous)
			void this.emitToClients({ type: "phase_changed", phase: this.phase, previous });
	}

	#reopen(): void {
		const left = this.session;
		const { model, thinkingLevel: thinking, steeringMode, followUpMode } = left.state;
		const isSame = this.#runId === this.log.getSessionId();
		this.#subscription[Symbol.dispose]();
		// What a step in the tree leaves was paid for all the same.
		if (isSame) left.prefix.expect("tree");
		const kept = isSame ? { usage: left.usage, prefix: left.prefix } : {};
		if (!isSame) this.#cwd = this.log.getCwd();
		this.#run = this.#create({ model, thinking, steeringMode, followUpMode, ...kept });
		// Tools that the user switched off in this session stay off.
		if (isSame) this.session.tools?.hide("user", left.tools?.hidden("user") ?? []);
		this.#runId = this.log.getSessionId();
		this.#subscription = this.#follow();
		this.#leaving = Promise.allSettled([this.#leaving, left[Symbol.asyncDispose]()]);
		this.policy?.refresh();
	}

	#announceMove(reason: "new" | "resume" | "fork" | "branch" | "reload"): void {
		const { id: sessionId, file, leafId } = this.state;
		const sessionFile = file === undefined ? {} : { sessionFile: file };
		void this.emitToClients({ type: "session_moved", reason, sessionId, ...sessionFile, leafId });
	}

	/** The name that what a client elsewhere does is signed with. */
	#signature(by: ClientInfo | undefined): string | undefined {
		return by && this.clients.isRemote(by) ? by.name : undefined;
	}

	/** The log records what other clients did. */
	#acted(by: ClientInfo, action: "answered" | "declined" | "interrupted", requestId?: string): void {
		const name = this.#signature(by);
		if (name === undefined) return;
		const what = { action, by: name, ...(requestId === undefined ? {} : { requestId }) };
		this.log.appendCustomEntry(clientActionType, what);
		if (action === "interrupted")
			void this.emit({ type: "notice", level: "info", message: `${name} interrupted the run.`, by: name });
	}

	#settingChanged(path: SettingPath): void {
		const { settings } = this.#parts;
		if (path === "steeringMode")
			this.session.queues.setQueueModes({ steering: settings.get("steeringMode") });
		if (path === "followUpMode")
			this.session.queues.setQueueModes({ followUps: settings.get("followUpMode") });
		if (path === "additionalDirectories") this.session.refreshSystemPrompt();
		if (path === "enabledModels") this.models.rescope();
		void this.emitToClients({ type: "setting_changed", path });
	}

	#record(message: AgentMessage): void {
		this.log.appendMessage(message);
		this.session.append(message);
	}

	#flushUnrecorded(): void {
		if (this.session.isAnswering) return;
		for (const message of this.#unrecorded.splice(0)) this.#record(message);
	}
}
