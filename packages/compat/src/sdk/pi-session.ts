/** pi's AgentSession for programs and extensions that make one: a session by its methods, over Tau's. */

import { resolve } from "node:path";

import { nextLevel, type ImageContent, type Model, type TextContent, type ThinkingLevel } from "@tau/ai";
import type { BashOperations, ExtensionMode, OwnMessage, SendOptions } from "@tau/extensions/api";
import { runByOperations } from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import { printMode, UIRequestClient, type ExtensionUI } from "@tau/extensions/ui";
import type { AgentSession, CompactionResult, Prompt } from "@tau/session";
import { assertOutcome, inOrder, type SessionHost } from "@tau/session/host";

import { withOwnPrompt } from "./own-prompts.ts";
import { AgentFace, type SessionListener } from "./session-faces.ts";
import { userTextAt } from "./session-facts.ts";
import { SessionView, type SessionViewParts } from "./session-view.ts";

export interface BashResult {
	output: string;
	exitCode?: number | undefined;
	cancelled: boolean;
	truncated: boolean;
}

export interface BashChoices {
	/** The model does not see it. */
	excludeFromContext?: boolean;
	/** Runs it elsewhere. */
	operations?: BashOperations;
}

export interface PiSessionParts extends SessionViewParts, AsyncDisposable {
	scopedModels: readonly ScopedModel[];
	/** Resolves when changes of the settings manager have taken effect. */
	settingsApplied(): Promise<void>;
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
	/** Called with whether it was accepted, before it is answered. */
	preflightResult?(isAccepted: boolean): void;
}

export class PiSession extends SessionView {
	readonly #parts: PiSessionParts;
	readonly #listeners = new Set<SessionListener>();
	readonly #subscription: Disposable;
	#requestClient: Disposable | undefined;
	readonly agent: AgentFace;
	#scopedModels: readonly ScopedModel[];
	#retryAttempt = 0;

	/** By `createAgentSession`; pi's other ways to put one together are not Tau's. */
	constructor(parts: PiSessionParts) {
		if (!("host" in parts)) throw new TypeError("Create a session with createAgentSession().");
		super(parts);
		this.#parts = parts;
		this.#scopedModels = parts.scopedModels;
		this.#subscription = parts.host.attach({ onEvent: inOrder((event) => this.#emit(event)) });
		this.agent = new AgentFace(
			() => this.#session,
			() => this.extensionRunner.bound.handle,
			this,
		);
	}

	override get state(): AgentFace["state"] {
		return this.agent.state;
	}

	get isStreaming(): boolean {
		return this.#host.isBusy;
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
		await this.#parts.settingsApplied();
		const filled = expandPromptTemplates ? await this.#filled(text) : text;
		// What an extension says is not expanded.
		const by = expandPromptTemplates ? source : "extension";
		const prompt: Prompt = { text: filled, images, ...(by ? { source: by } : {}) };
		if (!this.isStreaming && !this.#session.isCommand(prompt)) await this.#parts.ready(this.model);
		const admission = await this.#host.submit(prompt, {
			as: streamingBehavior ?? "prompt",
			onAdmitted: ({ kind }) => {
				if (kind !== "refused") onAccepted();
			},
		});
		if (admission.kind === "refused") throw new Error(admission.reason);
		if (admission.kind === "queued") return;
		await admission.done;
		if (admission.kind === "begun") await this.waitForIdle();
	}

	/** Sent after the running tools. */
	async steer(text: string, images: readonly ImageContent[] = []): Promise<"queued" | "handled"> {
		return this.#queue({ text: await this.#filled(text), images }, "steer");
	}

	/** Sent when the model would stop. */
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
		this.#session.queues.clearQueues();
		return waiting;
	}

	async abort(): Promise<void> {
		await this.#host.stop("run");
	}

	waitForIdle(): Promise<void> {
		return this.#host.waitForIdle();
	}

	/** Rejects when there is no key for it. With a role, as in omp, it is the model of that role from now on. */
	async setModel(model: Model, role?: string): Promise<void> {
		await this.#parts.ready(model);
		if (role !== undefined) this.settingsManager.setModelRole(role, `${model.provider}/${model.id}`);
		assertOutcome(await this.#host.apply({ type: "model", model, ...(role === undefined ? {} : { role }) }));
	}

	async cycleModel(
		direction: "forward" | "backward" = "forward",
	): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | undefined> {
		const host = this.#host;
		const scoped = this.#scopedModels.map(({ model, thinkingLevel }) => ({
			model,
			...(thinkingLevel ? { thinking: thinkingLevel } : {}),
		}));
		const models = scoped.length > 0 ? { ...host.models, scoped: () => scoped } : host.models;
		const next = await host.cycleModel(direction === "forward" ? 1 : -1, models);
		return next && { ...next, thinkingLevel: this.thinkingLevel };
	}

	setScopedModels(scopedModels: readonly ScopedModel[]): void {
		this.#scopedModels = scopedModels;
	}

	setThinkingLevel(level: ThinkingLevel): void {
		void this.#host.apply({ type: "thinking", level });
	}

	cycleThinkingLevel(): ThinkingLevel | undefined {
		const level = nextLevel(this.model, this.thinkingLevel);
		if (level !== undefined) this.setThinkingLevel(level);
		return level;
	}

	setSteeringMode(mode: "all" | "one-at-a-time"): void {
		void this.#host.apply({ type: "queueMode", steering: mode });
	}

	setFollowUpMode(mode: "all" | "one-at-a-time"): void {
		void this.#host.apply({ type: "queueMode", followUp: mode });
	}

	setActiveToolsByName(names: string[]): void {
		this.extensionRunner.runtime.actions.setActiveTools(names);
	}

	compact(customInstructions?: string): Promise<CompactionResult> {
		return this.#host.compact(customInstructions);
	}

	abortCompaction(): void {
		if (this.isCompacting) this.#session.abort();
	}

	get autoCompactionEnabled(): boolean {
		return this.#host.settings.get("compaction.enabled");
	}

	setAutoCompactionEnabled(enabled: boolean): void {
		void this.#host.apply({ type: "setting", path: "compaction.enabled", value: enabled });
	}

	/** Also ends an answer that is being given. */
	abortBranchSummary(): void {
		this.#session.abort();
	}

	abortRetry(): void {
		void this.#host.stop("retry");
	}

	/** The try that runs or is waited for; 0 where nothing has failed. */
	get retryAttempt(): number {
		return this.#retryAttempt;
	}

	get isRetrying(): boolean {
		return this.#retryAttempt > 0;
	}

	get autoRetryEnabled(): boolean {
		return this.#host.settings.get("retry.enabled");
	}

	setAutoRetryEnabled(enabled: boolean): void {
		void this.#host.apply({ type: "setting", path: "retry.enabled", value: enabled });
	}

	async executeBash(
		command: string,
		onChunk: (chunk: string) => void = () => {},
		{ excludeFromContext = false, operations }: BashChoices = {},
	): Promise<BashResult> {
		const decoder = new TextDecoder();
		const { output, exitCode, cancelled, truncated } = await this.#host.shell(command, {
			isPrivate: excludeFromContext,
			onChunk: (chunk) => onChunk(decoder.decode(chunk, { stream: true })),
			...(operations ? { runner: runByOperations(this.extensionRunner.bound.env, operations) } : {}),
		});
		return { output, exitCode, cancelled, truncated };
	}

	/** omp's: a cell in the interpreter that the model's cells use. */
	async executePython(
		code: string,
		onChunk: (chunk: string) => void = () => {},
		{ excludeFromContext = false }: { excludeFromContext?: boolean } = {},
	): Promise<BashResult> {
		const decoder = new TextDecoder();
		const { output, exitCode, cancelled, truncated } = await this.#host.cell(code, {
			isPrivate: excludeFromContext,
			onChunk: (chunk) => onChunk(decoder.decode(chunk, { stream: true })),
		});
		return { output, exitCode, cancelled, truncated };
	}

	abortPython(): void {
		void this.#host.stop("shell");
	}

	recordBashResult(
		command: string,
		result: BashResult,
		{ excludeFromContext = false }: BashChoices = {},
	): void {
		this.#host.recordCommand(command, { ...result, exitCode: result.exitCode }, excludeFromContext);
	}

	abortBash(): void {
		void this.#host.stop("shell");
	}

	get isBashRunning(): boolean {
		return this.#host.isShellRunning;
	}

	/** What commands printed while an answer comes in is added after it. */
	get hasPendingBashMessages(): boolean {
		return this.isBashRunning && this.isStreaming;
	}

	setSessionName(name: string): void {
		void this.#host.apply({ type: "name", name });
	}

	/** omp's: this object and its listeners continue with a new session. False if an extension objected. */
	async newSession({ parentSession }: { parentSession?: string } = {}): Promise<boolean> {
		return (await this.#host.move({ to: "new", parentSession })).kind === "moved";
	}

	/** omp's: continues with the session of this file. False if an extension objected. */
	async switchSession(sessionPath: string): Promise<boolean> {
		return (await this.#host.move({ to: "resume", file: resolve(sessionPath) })).kind === "moved";
	}

	/** omp's: continues with a copy of this session. False if an extension objected. */
	async fork(): Promise<boolean> {
		return (await this.#host.move({ to: "copy" })).kind === "moved";
	}

	/** omp's: continues with a session that ends before this user message, whose text is returned for editing. */
	async branch(
		entryId: string,
	): Promise<{ selectedText: string; selectedImages: ImageContent[]; cancelled: boolean }> {
		const moved = await this.#host.move({ to: "fork", entryId, position: "before" });
		const selectedText = moved.kind === "moved" ? (moved.text ?? "") : "";
		return { selectedText, selectedImages: [], cancelled: moved.kind === "cancelled" };
	}

	/** Within the same session; `fork` of a runtime makes another one. */
	async navigateTree(
		targetId: string,
		options: { summarize?: boolean; customInstructions?: string; label?: string } = {},
	): Promise<{ editorText?: string; cancelled: boolean }> {
		const editorText = userTextAt(this.sessionManager, targetId);
		const { navigateTree } = await import("@tau/extensions/api");
		const replace = async (change: () => void | Promise<void>): Promise<void> =>
			void (await this.#host.move({ to: "branch", change }));
		const isDone = await navigateTree(this.extensionRunner, replace, targetId, options);
		return { cancelled: !isDone, ...(isDone && editorText !== undefined ? { editorText } : {}) };
	}

	/** Notifies extensions that the session has started; from now on they have the given user interface. */
	async bindExtensions(bindings: { uiContext?: ExtensionUI; shutdownHandler?(): void } = {}): Promise<void> {
		const plain = printMode((message) => void this.#host.notice(message));
		const mode: ExtensionMode = {
			...plain,
			...(bindings.uiContext ? { ui: bindings.uiContext, hasUI: true } : {}),
			shutdown: () => bindings.shutdownHandler?.(),
		};
		this.#requestClient?.[Symbol.dispose]();
		this.#requestClient = bindings.uiContext
			? this.#host.requests.connect(new UIRequestClient(this.#host.requests, bindings.uiContext))
			: undefined;
		await this.#parts.extensions.start(mode);
	}

	/** Whether the session may be left; an extension may say no. */
	confirmLeave(about: Parameters<Extensions["confirmLeave"]>[0]): Promise<boolean | "keep"> {
		return this.#parts.extensions.confirmLeave(about);
	}

	/** The context of extensions in a session that has replaced another. */
	createReplacedSessionContext(): unknown {
		const { extensions, replacedContext } = this.extensionRunner;
		return extensions.length > 0 ? replacedContext.call(this.extensionRunner, "") : undefined;
	}

	async reload(): Promise<void> {
		await this.#host.move({ to: "reload" });
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

	get #host(): SessionHost {
		return this.#parts.host;
	}

	get #session(): AgentSession {
		return this.#parts.host.session;
	}

	async #end(): Promise<void> {
		this.#listeners.clear();
		this.#subscription[Symbol.dispose]();
		this.#requestClient?.[Symbol.dispose]();
		await this.#parts[Symbol.asyncDispose]();
	}

	#filled(text: string): Promise<string> {
		return withOwnPrompt(text, this.resourceLoader.getPrompts().prompts);
	}

	async #queue(prompt: Prompt, as: "steer" | "followUp"): Promise<"queued" | "handled"> {
		if (this.#session.isCommand(prompt))
			throw new Error("A command cannot be queued. Send it with prompt(), which runs it at once.");
		const admission = await this.#host.submit(prompt, { as, whenIdle: "queue" });
		if (admission.kind === "refused") throw new Error(admission.reason);
		return admission.kind === "handled" ? "handled" : "queued";
	}

	async #emit(event: Parameters<SessionListener>[0]): Promise<void> {
		if (event.type === "auto_retry_start") this.#retryAttempt = event.attempt;
		if (event.type === "auto_retry_end") this.#retryAttempt = 0;
		if (tauEvents.has(event.type)) return;
		for (const listener of this.#listeners) await listener(event);
	}
}

/** Events of Tau's own, which programs written for pi do not expect. */
const tauEvents: ReadonlySet<string> = new Set([
	"phase_changed",
	"request_opened",
	"request_closed",
	"setting_changed",
	"model_changed",
	"child_started",
	"child_event",
	"child_ended",
	"session_moved",
	"entry_shown",
	"label_changed",
	"tools_changed",
	"goal_changed",
	"machine_changed",
	"todos_changed",
	"trust_changed",
	"user_command_start",
	"user_command_output",
	"user_command_end",
	"clients_changed",
]);
