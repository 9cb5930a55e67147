/** pi's AgentSession for programs and extensions that make one: a session by its methods, over Tau's. */

import { nextLevel, type ImageContent, type Model, type TextContent, type ThinkingLevel } from "@tau/ai";
import type { ExtensionMode, SendOptions, OwnMessage } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import { printMode, type ExtensionUI } from "@tau/extensions/ui";
import type { AgentSession as OurSession, CompactionResult, CompactionSettings, Prompt } from "@tau/session";
import { Conversation, cycleModel, useLevel, useModel } from "@tau/session/run";

import { withOwnPrompt } from "./own-prompts.ts";
import { SessionBash, type BashChoices, type BashResult } from "./session-bash.ts";
import { AgentFace, type SessionListener } from "./session-faces.ts";
import { userTextAt } from "./session-facts.ts";
import { SessionView, type SessionViewParts } from "./session-view.ts";

export interface AgentSessionParts extends SessionViewParts, AsyncDisposable {
	/** Looked at each time: a person may change their mind. */
	compaction: CompactionSettings;
	scopedModels: readonly ScopedModel[];
	/** Makes sure that the model can be asked; rejects with what is missing. */
	ready(model: Model): Promise<void>;
}

interface ScopedModel {
	model: Model;
	thinkingLevel?: ThinkingLevel;
}

interface PromptOptions {
	expandPromptTemplates?: boolean;
	images?: readonly ImageContent[];
	/** Needed while a prompt is being answered. */
	streamingBehavior?: "steer" | "followUp";
	source?: Prompt["source"];
	/** Told whether it was taken, before it is answered. */
	preflightResult?(isAccepted: boolean): void;
}

export class AgentSession extends SessionView {
	readonly #parts: AgentSessionParts;
	readonly #listeners = new Set<SessionListener>();
	readonly #conversation: Conversation;
	readonly #bash: SessionBash;
	readonly agent: AgentFace;
	#scopedModels: readonly ScopedModel[];
	#retryAttempt = 0;

	/** By `createAgentSession`; pi's other ways to put one together are not Tau's. */
	constructor(parts: AgentSessionParts) {
		if (!("host" in parts)) throw new TypeError("Make a session with createAgentSession().");
		super(parts);
		this.#parts = parts;
		this.#scopedModels = parts.scopedModels;
		this.#conversation = new Conversation(parts.host, (event) => this.#tell(event));
		this.#bash = new SessionBash(parts.host, (message) => this.#conversation.record(message));
		this.agent = new AgentFace(() => this.#session, this);
	}

	get isStreaming(): boolean {
		return this.#conversation.isBusy;
	}

	get isIdle(): boolean {
		return !this.isStreaming && !this.isCompacting;
	}

	get scopedModels(): readonly ScopedModel[] {
		return this.#scopedModels;
	}

	/** Gives the way to stop listening. */
	subscribe(listener: SessionListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/** Resolves when it has been answered. Rejects while another one is, unless it says how it is to be queued. */
	async prompt(text: string, options: PromptOptions = {}): Promise<void> {
		const { preflightResult = () => {} } = options;
		let isAccepted = false;
		const accept = (): void => {
			isAccepted = true;
			preflightResult(true);
		};
		try {
			await this.#prompt(text, options, accept);
		} catch (error) {
			if (!isAccepted) preflightResult(false);
			throw error;
		}
	}

	async #prompt(text: string, options: PromptOptions, onAccepted: () => void): Promise<void> {
		const { images = [], source, expandPromptTemplates = true, streamingBehavior } = options;
		const said = expandPromptTemplates ? await this.#filled(text) : text;
		// What an extension says is said as it is.
		const by = expandPromptTemplates ? source : "extension";
		const prompt: Prompt = { text: said, images, ...(by ? { source: by } : {}) };
		if (this.#session.isCommand(prompt)) {
			onAccepted();
			return this.#session.prompt(prompt);
		}
		await this.#conversation.settled();
		if (!this.#conversation.isBusy) {
			await this.#parts.ready(this.model);
			await this.#conversation.accept(prompt);
			onAccepted();
			this.#conversation.begin();
			return this.waitForIdle();
		}
		if (!streamingBehavior)
			throw new Error('A prompt is being answered: say streamingBehavior "steer" or "followUp".');
		await this.#queue(prompt, streamingBehavior);
		onAccepted();
	}

	/** Said after the tools that are running. */
	async steer(text: string, images: readonly ImageContent[] = []): Promise<"queued" | "handled"> {
		return this.#queue({ text: await this.#filled(text), images }, "steer");
	}

	/** Said when the model would stop. */
	async followUp(text: string, images: readonly ImageContent[] = []): Promise<"queued" | "handled"> {
		return this.#queue({ text: await this.#filled(text), images }, "followUp");
	}

	async sendCustomMessage(message: OwnMessage, options?: SendOptions): Promise<void> {
		await this.extensionRunner.runtime.actions.sendMessage(message, options);
	}

	async sendUserMessage(
		content: string | (TextContent | ImageContent)[],
		options?: { deliverAs?: "steer" | "followUp" },
	): Promise<void> {
		await this.extensionRunner.runtime.actions.sendUserMessage(content, options);
	}

	clearQueue(): { steering: string[]; followUp: string[] } {
		const waiting = { steering: [...this.getSteeringMessages()], followUp: [...this.getFollowUpMessages()] };
		this.#session.clearQueues();
		return waiting;
	}

	async abort(): Promise<void> {
		await this.#conversation.stop();
	}

	async waitForIdle(): Promise<void> {
		while (this.#conversation.isBusy) await this.#session.waitForIdle();
		await this.#session.waitForIdle();
	}

	/** Rejects when there is no key for it. */
	async setModel(model: Model): Promise<void> {
		await this.#parts.ready(model);
		useModel(this.#parts.host, model);
	}

	async cycleModel(
		direction: "forward" | "backward" = "forward",
	): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | undefined> {
		const { host } = this.#parts;
		const scoped = this.#scopedModels.map(({ model, thinkingLevel }) => ({
			model,
			...(thinkingLevel ? { thinking: thinkingLevel } : {}),
		}));
		const models = scoped.length > 0 ? { ...host.models, scoped: () => scoped } : host.models;
		const talk = { session: host.session, log: host.log, models };
		const next = await cycleModel(talk, direction === "forward" ? 1 : -1);
		return next && { ...next, thinkingLevel: this.thinkingLevel };
	}

	setScopedModels(scopedModels: readonly ScopedModel[]): void {
		this.#scopedModels = scopedModels;
	}

	setThinkingLevel(level: ThinkingLevel): void {
		useLevel(this.#parts.host, level);
	}

	cycleThinkingLevel(): ThinkingLevel | undefined {
		const level = nextLevel(this.model, this.thinkingLevel);
		if (level !== undefined) this.setThinkingLevel(level);
		return level;
	}

	setSteeringMode(mode: "all" | "one-at-a-time"): void {
		this.#session.setQueueModes({ steering: mode });
	}

	setFollowUpMode(mode: "all" | "one-at-a-time"): void {
		this.#session.setQueueModes({ followUps: mode });
	}

	setActiveToolsByName(names: string[]): void {
		this.extensionRunner.runtime.actions.setActiveTools(names);
	}

	compact(customInstructions?: string): Promise<CompactionResult> {
		return this.#session.compact(customInstructions);
	}

	abortCompaction(): void {
		if (this.isCompacting) this.#session.abort();
	}

	get autoCompactionEnabled(): boolean {
		return this.#parts.compaction.enabled;
	}

	setAutoCompactionEnabled(enabled: boolean): void {
		this.#parts.compaction.enabled = enabled;
	}

	/** Also ends an answer that is being given. */
	abortBranchSummary(): void {
		this.#session.abort();
	}

	abortRetry(): void {
		this.#conversation.abortRetry();
	}

	/** The try that runs or is waited for; 0 where nothing has failed. */
	get retryAttempt(): number {
		return this.#retryAttempt;
	}

	get isRetrying(): boolean {
		return this.#retryAttempt > 0;
	}

	get autoRetryEnabled(): boolean {
		return this.#parts.host.isAutoRetryOn;
	}

	setAutoRetryEnabled(enabled: boolean): void {
		this.#parts.host.isAutoRetryOn = enabled;
	}

	executeBash(
		command: string,
		onChunk?: (chunk: string) => void,
		options?: BashChoices,
	): Promise<BashResult> {
		return this.#bash.run(command, onChunk, options);
	}

	recordBashResult(command: string, result: BashResult, options?: BashChoices): void {
		this.#bash.keep(command, result, options);
	}

	abortBash(): void {
		void this.#bash.stop();
	}

	get isBashRunning(): boolean {
		return this.#bash.isRunning;
	}

	/** What commands gave while an answer came in is put behind it. */
	get hasPendingBashMessages(): boolean {
		return this.#bash.isRunning && this.isStreaming;
	}

	setSessionName(name: string): void {
		this.sessionManager.appendSessionInfo(name);
	}

	/** Within the same session; `fork` of a runtime makes another one. */
	async navigateTree(
		targetId: string,
		options: { summarize?: boolean; customInstructions?: string; label?: string } = {},
	): Promise<{ editorText?: string; cancelled: boolean }> {
		const editorText = userTextAt(this.sessionManager, targetId);
		const { navigateTree } = await import("@tau/extensions/api");
		const replace = (change: () => void): Promise<void> => this.#conversation.replace(change);
		const isDone = await navigateTree(this.extensionRunner, replace, targetId, options);
		return { cancelled: !isDone, ...(isDone && editorText !== undefined ? { editorText } : {}) };
	}

	/** Extensions hear that the session has begun; from now on they have the user interface that is given. */
	async bindExtensions(bindings: { uiContext?: ExtensionUI; shutdownHandler?(): void } = {}): Promise<void> {
		const plain = printMode((message) => void this.#conversation.notice(message));
		const mode: ExtensionMode = {
			...plain,
			...(bindings.uiContext ? { ui: bindings.uiContext, hasUI: true } : {}),
			shutdown: () => bindings.shutdownHandler?.(),
		};
		await this.#parts.extensions.start(mode);
	}

	/** Whether the session may be left; an extension may say no. */
	mayLeave(about: Parameters<Extensions["mayLeave"]>[0]): Promise<boolean> {
		return this.#parts.extensions.mayLeave(about);
	}

	/** What extensions are given in a session that has taken the place of another. */
	createReplacedSessionContext(): unknown {
		const { extensions, replacedContext } = this.extensionRunner;
		return extensions.length > 0 ? replacedContext.call(this.extensionRunner, "") : undefined;
	}

	async reload(): Promise<void> {
		await this.#conversation.replace(() => {}, { reason: "reload" });
	}

	/** Ends what runs and gives back the log; `disposed` resolves when that is done. */
	dispose(): void {
		this.disposed ??= this.#end();
	}

	/** There once `dispose` was called. */
	disposed: Promise<void> | undefined;

	async [Symbol.asyncDispose](): Promise<void> {
		this.dispose();
		await this.disposed;
	}

	get #session(): OurSession {
		return this.#parts.host.session;
	}

	async #end(): Promise<void> {
		this.#listeners.clear();
		this.#conversation[Symbol.dispose]();
		await this.#bash[Symbol.asyncDispose]();
		await this.#parts[Symbol.asyncDispose]();
	}

	#filled(text: string): Promise<string> {
		return withOwnPrompt(text, this.resourceLoader.getPrompts().prompts);
	}

	async #queue(prompt: Prompt, as: "steer" | "followUp"): Promise<"queued" | "handled"> {
		if (this.#session.isCommand(prompt))
			throw new Error("A command cannot be queued: say it with prompt(), which runs it at once.");
		const said = await this.#session.input(prompt);
		if (!said) return "handled";
		if (as === "steer") this.#session.steer(said);
		else this.#session.followUp(said);
		return "queued";
	}

	async #tell(event: Parameters<SessionListener>[0]): Promise<void> {
		if (event.type === "auto_retry_start") this.#retryAttempt = event.attempt;
		if (event.type === "auto_retry_end") this.#retryAttempt = 0;
		for (const listener of this.#listeners) await listener(event);
	}
}
