/** A session for programs: the owner of the conversation, with a method for each thing that a program does. */
import type { AgentState, QueueMode } from "@tau/agent";
import type { Model, ThinkingLevel } from "@tau/ai";
import type { BashExecutionMessage, PythonExecutionMessage } from "@tau/log";
import type { CompactionResult, ContextUsage, Prompt, SessionListener, UsageLedger } from "@tau/session";
import {
	assertOutcome,
	type AgentInfo,
	type AgentOutcome,
	type ConsultOptions,
	type MoveOutcome,
	type RequestClient,
	type SessionHost,
	type SessionGoal,
	type SessionMove,
	type SessionRewind,
	type SideAnswer,
	type SideOptions,
	type UserAnswer,
	type UserCellOptions,
	type UserCommandOptions,
	type UserRequest,
	type UserRequests,
	inOrder,
} from "@tau/session/host";
import type { ContextControl } from "@tau/session/context";
import type { ApprovalMode, GrantInfo } from "@tau/session/policy";
import { UserError, sessionStats, type SessionStats, type TodoPhase } from "@tau/session/run";
import { onDispose } from "@tau/utils";

import { messageAgent } from "@tau/session-commands/work";

export class SdkSession {
	/** Everything that a client can do with the session. */
	readonly host: SessionHost;

	constructor(host: SessionHost) {
		this.host = host;
	}

	get state(): AgentState {
		return this.host.session.state;
	}

	get model(): Model {
		return this.host.session.model;
	}

	/** What the session, with all its branches, has used and paid. */
	get usage(): UsageLedger {
		return this.host.session.usage;
	}

	get isBusy(): boolean {
		return this.host.isBusy;
	}

	/** How full the model's context is. */
	contextUsage(): ContextUsage {
		return this.host.session.contextUsage();
	}

	subscribe(listener: SessionListener): Disposable {
		return this.host.attach({ onEvent: inOrder(listener) });
	}

	/** Resolves when the prompt was answered. Rejects during another run, and with the reason if it is rejected. */
	async prompt(prompt: Prompt): Promise<void> {
		const admission = await this.host.submit(prompt, { isQuiet: true });
		if (admission.kind === "refused") throw new UserError(admission.reason);
		if (admission.kind === "queued") return;
		const { refused, denied = refused } = await admission.done;
		if (denied !== undefined) throw new UserError(denied);
		await this.host.waitForIdle();
	}

	/** Delivers a message after the running tools; without running tools it is the next prompt. */
	async steer(prompt: Prompt): Promise<void> {
		await this.#queue(prompt, "steer");
	}

	/** Delivered to the model when it would stop. */
	async followUp(prompt: Prompt): Promise<void> {
		await this.#queue(prompt, "followUp");
	}

	/** Asks the model again after a failed or stopped answer; resolves when it has stopped. */
	retry(): Promise<void> {
		return this.host.retry();
	}

	/** Stops the run, a compaction and the commands of `shell`. */
	async abort(): Promise<void> {
		await this.host.stop();
	}

	waitForIdle(): Promise<void> {
		return this.host.waitForIdle();
	}

	async setModel(model: Model): Promise<void> {
		assertOutcome(await this.host.apply({ type: "model", model }));
	}

	/** Sets the nearest level that the model supports. */
	async setThinkingLevel(level: ThinkingLevel): Promise<void> {
		assertOutcome(await this.host.apply({ type: "thinking", level }));
	}

	async setSessionName(name: string): Promise<void> {
		assertOutcome(await this.host.apply({ type: "name", name }));
	}

	async setQueueModes(modes: { steering?: QueueMode; followUp?: QueueMode }): Promise<void> {
		assertOutcome(await this.host.apply({ type: "queueMode", ...modes }));
	}

	/** Returns the message, usage and cost statistics of the session. */
	getSessionStats(): SessionStats {
		return sessionStats(this.host);
	}

	/** Writes the session as a page; resolves to its path. */
	async exportToHtml(path?: string): Promise<string> {
		const { exportHtml } = await import("@tau/session/export");
		return exportHtml(this.host.log, path);
	}

	compact(instructions?: string): Promise<CompactionResult> {
		return this.host.compact(instructions);
	}

	/** Continues in a new session with a document about this one. Rejects with the reason; then nothing has changed. */
	handoff(instructions?: string): Promise<MoveOutcome> {
		return this.host.handoff(instructions);
	}

	/** What fills the context (`report`, `inspect`, `drop`, `restore`), and summaries (`summary`, `editSummary`, `undoSummary`). */
	get context(): ContextControl {
		return this.host.context;
	}

	/** A question beside the conversation, also during a run; nothing of it becomes part of the conversation. */
	btw(question: string, options?: SideOptions): Promise<SideAnswer> {
		return this.host.sideQuestions.ask(question, options);
	}

	/** Asks another model about the conversation; its answer becomes a message of it. */
	askModel(model: Model, question: string, options?: ConsultOptions): Promise<SideAnswer> {
		return this.host.sideQuestions.consult(model, question, options);
	}

	/** Switches to a new session, another one, or a fork of this one. */
	move(to: SessionMove): Promise<MoveOutcome> {
		return this.host.move(to);
	}

	/** Takes the conversation and files back to an earlier message: `points`, `preview`, `rewind`, `redo`. */
	get rewind(): SessionRewind {
		return this.host.rewind;
	}

	/** The agents of the session, also those that have ended. */
	get agents(): readonly AgentInfo[] {
		return this.host.children.tree.all;
	}

	/** Sends an agent a message. One that has ended is opened again; then the result is its outcome. */
	async promptAgent(
		id: string,
		text: string,
		as: "steer" | "followUp" = "steer",
	): Promise<AgentOutcome | undefined> {
		return (await messageAgent(this.host, id, text, as))?.outcome;
	}

	/** Ends what an agent does, with those below it. */
	async abortAgent(id: string): Promise<void> {
		assertOutcome(await this.host.children.stopAgent(id));
	}

	/** The command that has to pass before the model stops. */
	get goal(): SessionGoal | undefined {
		return this.host.work.goal;
	}

	/** Keeps the model working until the command passes, or the attempts or the budget end; undefined ends that. */
	setGoal(check: string | undefined): void {
		void this.host.apply({ type: "goal", check });
	}

	/** The todo list, closed tasks included. */
	get todos(): readonly TodoPhase[] {
		return this.host.work.todos;
	}

	/** Replaces the list; the model reads of it with the next prompt. Rejects while the model works. */
	async setTodos(phases: readonly TodoPhase[]): Promise<readonly TodoPhase[]> {
		await this.host.apply({ type: "todos", phases });
		return this.host.work.todos;
	}

	/** Runs a command in the shell that the model's commands use, and leaves its output for the model. */
	shell(command: string, options?: UserCommandOptions): Promise<BashExecutionMessage> {
		return this.host.shell(command, options);
	}

	/** Runs a cell of Python or JavaScript where the model's cells run, and leaves its output for the model. */
	cell(code: string, options?: UserCellOptions): Promise<PythonExecutionMessage> {
		return this.host.cell(code, options);
	}

	/** Moves running commands, the model's and those of `shell`, to the background; gives the ids of the jobs. */
	background(): string[] {
		return this.host.work.jobs.background();
	}

	/** When a tool call needs an approval; undefined where the session has no policy. */
	get approvalMode(): ApprovalMode | undefined {
		return this.host.policy?.mode;
	}

	/** For this session. */
	setApprovalMode(mode: ApprovalMode): void {
		this.host.policy?.setMode(mode);
	}

	/** What the user has allowed for longer than one call, newest first. */
	async listGrants(): Promise<readonly GrantInfo[]> {
		return (await this.host.policy?.grants()) ?? [];
	}

	async revokeGrant(id: string): Promise<void> {
		if (!(await this.host.policy?.revoke(id))) throw new UserError(`There is no grant ${id}.`);
	}

	/** Questions to the user; `requests.pending` lists those that are open. */
	get requests(): UserRequests {
		return this.host.requests;
	}

	/** The program answers questions to the user from now on; without it, no question can be asked. */
	onRequest(open: (request: UserRequest, closed: AbortSignal) => void): Disposable {
		const client: RequestClient = { kinds: new Set(["questions", "approval", "trust", "dialog"]), open };
		const connection = this.host.requests.connect(client);
		return onDispose(() => connection[Symbol.dispose]());
	}

	/** `undefined` declines. */
	answer(id: string, answer: UserAnswer | undefined): void {
		assertOutcome(this.host.answer(id, answer));
	}

	async #queue(prompt: Prompt, as: "steer" | "followUp"): Promise<void> {
		const admission = await this.host.submit(prompt, { as, whenIdle: "queue", isQuiet: true });
		if (admission.kind === "refused") throw new UserError(admission.reason);
	}
}
