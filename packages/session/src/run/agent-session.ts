/** A run of a session: the agent loop with its hooks, behaviors and queues. `SessionHost` owns it. */
import {
	agentLoop,
	LoopState,
	type AgentLoopConfig,
	type AgentMessage,
	type AgentState,
	type ToolGate,
} from "@tau/agent";
import { stream, type Model, type ThinkingLevel } from "@tau/ai";
import { delay } from "@tau/utils";
import type { CompactionResult } from "@tau/wire";
import type { SessionEvent, SessionHandle, SessionListener } from "./behavior.ts";
import { turnsOf, UsageLedger } from "./usage-ledger.ts";
import type { BranchSummary } from "../compaction/branch-summary.ts";
import type { Compactor } from "../compaction/compactor.ts";
import { usageOf, type ContextUsage } from "./context-usage.ts";
import { convertToLlm } from "./convert-to-llm.ts";
import type { SessionEntry, PastMessages } from "@tau/log";
import { quiet, register } from "./listeners.ts";
import { PrefixWatch } from "./prefix-watch.ts";
import { promptMessage, unansweredMessages, type ExpandPrompt, type Prompt } from "./prompt.ts";
import { RunHooks, type RequestParts, type SelectionSource } from "./run-hooks.ts";
import { phaseEvents, RunPhase, type Phase, type PhaseListener } from "./run-phase.ts";
import { sideRequests } from "./side-requests.ts";
import { ToolHooks } from "./tool-hooks.ts";
import { queueUpdate, SessionEvents } from "./session-events.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import type { PromptOfTools, SessionTools } from "./session-tools.ts";

export class AgentSession implements Disposable, AsyncDisposable {
	readonly #loop: LoopState;
	readonly #loopConfig: Omit<AgentLoopConfig, "settings">;
	readonly #events = new SessionEvents();
	readonly #owned = new DisposableStack();
	readonly #toolHooks: ToolHooks;
	readonly #runHooks = new RunHooks();
	readonly #beforePrompt = new Set<() => Promise<void>>();
	readonly #phaseListeners = new Set<PhaseListener>();
	readonly #phase = new RunPhase((phase, previous) => {
		for (const listener of this.#phaseListeners) listener(phase, previous);
	});
	readonly #requestParts: RequestParts;
	readonly #compactor: Compactor | undefined;
	readonly #expand: ExpandPrompt | undefined;
	/** What the session, all branches of it, has used and paid. */
	readonly usage: UsageLedger;
	#owns: AsyncDisposable | undefined;
	/** Has the lifetime of a run, including what behaviors add to it. */
	#running: { controller: AbortController; ended: Promise<void> } | undefined;
	#askAgain = false;
	#stopping = false;
	/** True after `agent_end`: messages delivered now start a new run. */
	#isEnding = false;
	readonly #late: AgentMessage[] = [];
	/** Appended after the current turn. */
	readonly #notes: AgentMessage[] = [];
	/** Settles when all listeners have seen the appended messages. */
	#appending: Promise<void> = Promise.resolve();
	readonly #promptOf: PromptOfTools;
	/** The session's system prompt; a run may override it. */
	#systemPrompt: string;
	readonly #past: PastMessages | undefined;
	readonly tools: SessionTools | undefined;

	constructor(options: AgentSessionOptions) {
		const { systemPrompt, tools, past, credentials, sessionId } = options;
		const ask = options.stream ?? stream;
		this.prefix = options.prefix ?? new PrefixWatch();
		this.#requestParts = { credentials, stream: ask, sessionId, prefix: this.prefix };
		this.#toolHooks = new ToolHooks(options.policy);
		this.#past = past;
		this.tools = "visible" in tools ? tools : undefined;
		this.#promptOf = typeof systemPrompt === "string" ? () => systemPrompt : systemPrompt;
		const visible = "visible" in tools ? tools.visible : tools;
		this.#systemPrompt = this.#promptOf(visible);
		const loop = {
			...options,
			...(past ? { messages: () => past.all() } : {}),
			systemPrompt: this.#systemPrompt,
			tools: visible,
			...(options.thinking ? { thinkingLevel: options.thinking } : {}),
		};
		this.#loop = new LoopState(loop, (queues) => void this.#events.emit(queueUpdate(queues)));
		this.#loopConfig = {
			options: { ...options.options, isWatched: true },
			...this.#runHooks.asking(this.#requestParts),
			convertToLlm,
			transformContext: (messages, signal) => this.#runHooks.context(messages, signal),
			shouldStop: () => this.#stopping,
			takeNotes: () => this.#notes.splice(0),
			toolGates: () => this.toolGates(),
			findTool: async (name, signal) => this.tools?.resolve?.(name, signal),
			...(options.clock ? { clock: options.clock } : {}),
		};
		this.usage = options.usage ?? new UsageLedger(() => turnsOf(options.messages ?? []));
		this.#compactor = options.compactor;
		this.#expand = options.expand;
		this.#owns = options.owns;
		if (this.tools) this.#owned.use(this.tools.onChange(() => this.#useTools()));
		// Before everybody else: every listener sees the phase that the event leads to.
		this.#events.onBefore(phaseEvents, (event) => this.#phase.follow(event));
		const handle = this.#handle();
		const compactor = options.compactor ? [options.compactor] : [];
		for (const behavior of [this.usage, ...compactor, ...(options.behaviors ?? [])])
			this.#owned.use(behavior.attach(handle));
	}

	get model(): Model {
		return this.#loop.model;
	}

	get state(): AgentState {
		return this.#loop.state;
	}

	contextUsage(): ContextUsage {
		return usageOf(this.#loop, this.#past);
	}

	/** Knows which requests the provider's cache could not answer from their beginning on, and why. */
	readonly prefix: PrefixWatch;

	/** The conversation before this run, until all of it is needed. */
	get unreadPast(): PastMessages | undefined {
		return this.#loop.withoutPast && this.#past;
	}

	subscribe(listener: SessionListener): Disposable {
		return this.#events.subscribe(listener);
	}

	get phase(): Phase {
		return this.#phase.current;
	}

	/** Called at each change, before the event that causes it is delivered. */
	onPhase(listener: PhaseListener): Disposable {
		return register(this.#phaseListeners, listener);
	}

	/** True while a new prompt has to be queued. */
	get isBusy(): boolean {
		return this.#phase.isBusy;
	}

	/** See `RunPhase`. */
	settled(): Promise<boolean> {
		return this.#phase.settled();
	}

	toolGates(): Iterable<ToolGate> {
		return this.#toolHooks.all();
	}

	/** The gates that calls of sessions opened by this one pass, too: they have a policy of their own. */
	inheritedGates(): Iterable<ToolGate> {
		return this.#toolHooks.gates();
	}

	get isAnswering(): boolean {
		return this.#running !== undefined;
	}

	/** Aborted when the user stops the run; undefined when no run is active. */
	get signal(): AbortSignal | undefined {
		return this.#running?.controller.signal;
	}

	async waitForIdle(): Promise<void> {
		while (this.#running) await this.#running.ended;
		await this.#appending;
	}

	/**
	 * Resolves when the model has stopped, or when a command or an extension has dealt with it. What a model, a tool or
	 * a listener does wrong never rejects it; a second prompt while the first is being answered does, one that calls what
	 * is not there, and one that a hook denies. `onInput` is awaited once the input handlers have decided.
	 */
	async prompt(prompt: Prompt, onInput?: (isHandled: boolean) => Promise<void>): Promise<void> {
		// A command may start its own runs, and may be sent during another one.
		if (this.isCommand(prompt)) {
			await this.#runHooks.runCommand(prompt);
			return;
		}
		await this.#run(async (signal) => {
			for (const wait of this.#beforePrompt) if (!signal.aborted) await quiet(wait);
			const submitted = await this.input(prompt);
			await onInput?.(!submitted);
			if (!submitted) return;
			using prepared = await this.#runHooks.prepare(submitted, this.#systemPrompt);
			const { messages, systemPrompt } = prepared;
			if (systemPrompt !== this.state.systemPrompt) this.#loop.setSystemPrompt(systemPrompt);
			await this.#answer([promptMessage(submitted), ...messages], signal);
		});
	}

	/** Whether the prompt is a command, which may run at any time. */
	isCommand(prompt: Prompt): boolean {
		return !prompt.admitted && this.#runHooks.isCommand(prompt);
	}

	/**
	 * Runs the input handlers of extensions, then expands templates and skills. Undefined if a handler handled the prompt.
	 * Rejects with the reason why it cannot be sent.
	 */
	async input(prompt: Prompt): Promise<Prompt | undefined> {
		if (prompt.admitted) return prompt;
		const admitted = await this.#runHooks.input(prompt);
		if (!admitted) return undefined;
		return { ...(admitted.isVerbatim ? admitted : await this.expand(admitted)), admitted: true };
	}

	/** Expands the prompt without calling input handlers. */
	async expand(prompt: Prompt): Promise<Prompt> {
		return (await this.#expand?.(prompt, this.signal ?? new AbortController().signal)) ?? prompt;
	}

	/** Runs messages of the application as a prompt. Rejects as `prompt` does. */
	async run(messages: readonly AgentMessage[]): Promise<void> {
		if (messages.length > 0) await this.#run((signal) => this.#answer(messages, signal));
	}

	async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
		if (this.#running)
			throw new Error("The session is answering a prompt. Wait for it to finish, or abort it.");
		const controller = new AbortController();
		const ended = Promise.withResolvers<void>();
		this.#running = { controller, ended: ended.promise };
		this.#stopping = false;
		this.#phase.begin();
		try {
			const past = await this.unreadPast?.load(controller.signal);
			if (past) this.#loop.restore(past);
			await work(controller.signal);
		} finally {
			this.#running = undefined;
			this.#askAgain = false;
			this.#isEnding = false;
			// The user stopped the run: late messages join the queue.
			for (const message of this.#late.splice(0)) this.#loop.followUp(message);
			if (this.state.systemPrompt !== this.#systemPrompt) this.#loop.setSystemPrompt(this.#systemPrompt);
			this.#phase.end();
			ended.resolve();
		}
	}

	/** Runs the messages (without any, those that wait for an answer), with retries and follow-ups of behaviors. */
	async #answer(messages: readonly AgentMessage[], signal: AbortSignal): Promise<void> {
		let next = messages;
		do {
			this.#stopping = false;
			await this.#converse(next, signal);
			while (this.#askAgain && !signal.aborted) {
				this.#askAgain = false;
				this.#stopping = false;
				this.#leaveOutFailure();
				await this.#converse([], signal);
			}
			next = signal.aborted ? [] : await this.#more(signal);
			for (const note of this.#notes.splice(0)) await this.#add(note);
		} while (next.length > 0);
	}

	/** Runs the loop with these messages, or with those that wait for an answer. One that is aborted already still adds its messages. */
	async #converse(messages: readonly AgentMessage[], signal: AbortSignal): Promise<void> {
		if (messages.length === 0) this.#loop.assertOpen();
		using run = this.#loop.begin();
		const config = { ...this.#loopConfig, ...run.config };
		for await (const event of agentLoop(messages, run.context, config, signal)) {
			this.#loop.follow(event);
			if (event.type === "agent_start") this.#isEnding = false;
			if (event.type === "agent_end") this.#isEnding = true;
			await this.#events.emit(event);
		}
	}

	/** The messages after the answer; if there are none, behaviors are notified of the end and may continue. */
	async #more(signal: AbortSignal): Promise<readonly AgentMessage[]> {
		if (this.#late.length > 0) return this.#takeLate();
		const overtaken = this.#takeOvertaken();
		if (overtaken) return [overtaken];
		const { messages, continues } = await this.#runHooks.settle();
		// A run that the user aborted meanwhile does not continue; its messages are stored.
		if (continues && !signal.aborted) return [...messages, ...this.#takeLate()];
		for (const message of messages) await this.#add(message);
		return signal.aborted ? [] : this.#takeLate();
	}

	/** Late messages are follow-ups: those that are not delivered now wait in the queue. */
	#takeLate(): AgentMessage[] {
		const late = this.#late.splice(0);
		const count = this.#loop.state.followUpMode === "all" ? late.length : 1;
		for (const message of late.slice(count)) this.#loop.followUp(message);
		return late.slice(0, count);
	}

	/** A message that was queued when the loop had already decided to end. After a failure the queue stays unchanged. */
	#takeOvertaken(): AgentMessage | undefined {
		const { messages, steering, followUps } = this.#loop.state;
		const last = messages.at(-1);
		const hasEndedWell =
			last?.role === "assistant" && (last.stopReason === "stop" || last.stopReason === "length");
		if (!hasEndedWell || steering.length + followUps.length === 0) return undefined;
		const [first, ...rest] = this.#loop.clearQueues();
		for (const message of rest) this.#loop.followUp(message);
		return first;
	}

	/** The messages that wait. */
	get queues(): Pick<LoopState, "clearQueues" | "dequeueLast" | "followUp" | "setQueueModes"> {
		return this.#loop;
	}

	steer(prompt: Prompt): void {
		this.#loop.steer(promptMessage(prompt));
	}

	followUp(prompt: Prompt): void {
		this.#loop.followUp(promptMessage(prompt));
	}

	/** Removes messages that wait, and that the model has no need of any more. */
	withdraw(isStale: (message: AgentMessage) => boolean): void {
		this.#loop.withdraw(isStale);
		for (const message of this.#late.splice(0)) if (!isStale(message)) this.#late.push(message);
	}

	/** Appends a message without starting a run; the model reads it with the next prompt. Not allowed during a run. */
	append(message: AgentMessage): void {
		this.#loop.appendMessage(message);
	}

	/** Takes effect at the next request, also in the middle of a run. */
	setModel(model: Model, source: SelectionSource = "set"): void {
		const previousModel = this.model;
		this.#loop.setModel(model);
		const isSame = previousModel.provider === model.provider && previousModel.id === model.id;
		if (!isSame) this.#runHooks.selected({ type: "model_select", model, previousModel, source });
	}

	setThinkingLevel(level: ThinkingLevel): void {
		const { thinkingLevel: previousLevel } = this.state;
		this.#loop.setThinkingLevel(level);
		if (previousLevel !== level)
			this.#runHooks.selected({ type: "thinking_level_select", level, previousLevel });
	}

	get isCompacting(): boolean {
		return this.#compactor?.isRunning ?? false;
	}

	/** Stops the run and summarizes the conversation. Rejects with the reason if it cannot; then nothing has changed. */
	async compact(instructions?: string): Promise<CompactionResult> {
		if (!this.#compactor) throw new Error("This conversation cannot be compacted.");
		if (!this.#compactor.isRunning) this.abort();
		const after = this.#running?.ended;
		const outcome = await this.#compactor.run({ reason: "manual", instructions, after });
		if (!outcome.ok) throw new Error(outcome.message);
		return outcome.result;
	}

	/**
	 * Summarizes a branch that is about to be left; nothing is written. Undefined if it has no messages. Rejects with the
	 * reason why the model failed or was aborted.
	 */
	async summarizeBranch(
		entries: readonly SessionEntry[],
		options: { instructions?: string; replacesPrompt?: boolean; signal: AbortSignal },
	): Promise<BranchSummary | undefined> {
		if (!this.#compactor) throw new Error("This conversation cannot be summarized.");
		return this.#compactor.summarizeBranch(entries, options);
	}

	/**
	 * Asks the model again after a failed or stopped answer, which is left out of the conversation and stays in the log.
	 * Rejects with a `UserError` where there is nothing to retry.
	 */
	async retry(): Promise<void> {
		const messages = unansweredMessages(this.state.messages);
		await this.#run((signal) => {
			this.#loop.replaceMessages(messages);
			return this.#answer([], signal);
		});
	}

	abort(): void {
		this.#phase.stop();
		this.#running?.controller.abort();
		this.#compactor?.abort();
	}

	emit(event: SessionEvent): Promise<void> {
		return this.#events.emit(event);
	}

	[Symbol.dispose](): void {
		void this[Symbol.asyncDispose]();
	}

	/** Resolves when everything that the session owns has been disposed of. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.abort();
		this.#phase.close();
		this.#owned.dispose();
		this.#events.close();
		const owns = this.#owns;
		this.#owns = undefined;
		await owns?.[Symbol.asyncDispose]();
	}

	#handle(): SessionHandle {
		const loop = this.#loop;
		const signal = (): AbortSignal | undefined => this.signal;
		return {
			get model() {
				return loop.model;
			},
			get state() {
				return loop.state;
			},
			get isAborted() {
				return signal()?.aborted ?? false;
			},
			get signal() {
				return signal();
			},
			onBefore: (types, listener) => this.#events.onBefore(types, listener),
			onAfter: (types, listener) => this.#events.onAfter(types, listener),
			emit: (event) => this.#events.emit(event),
			notice: (level, message) => this.#events.notice(level, message),
			retryAfter: (delayMs) => this.#retryAfter(delayMs),
			setModel: (next) => this.setModel(next),
			stop: () => {
				this.#stopping = true;
			},
			abort: () => this.abort(),
			onPhase: (listener) => this.onPhase(listener),
			interrupt: (interruption) => this.#loop.interrupt(interruption),
			gateTools: (source) => this.#toolHooks.add(source),
			beforePrompt: (wait) => register(this.#beforePrompt, wait),
			hooks: this.#runHooks,
			deliver: (message, as) => this.#deliver(message, as),
			findTool: (name) => this.tools?.get(name) ?? this.state.tools.find((tool) => tool.name === name),
			refreshSystemPrompt: () => this.refreshSystemPrompt(),
			replaceMessages: (messages) => this.#loop.replaceMessages(messages),
			...sideRequests(loop, this.#runHooks, this.#requestParts),
			recordUsage: (kind, answer) => this.usage.add(kind, answer),
		};
	}

	#useTools(): void {
		if (this.tools) this.#loop.setTools(this.tools.visible);
		this.refreshSystemPrompt();
	}

	/** For a change that the system prompt depends on. */
	refreshSystemPrompt(): void {
		const before = this.#systemPrompt;
		this.#systemPrompt = this.#promptOf(this.tools?.visible ?? this.state.tools);
		// The same text is no change: providers cache it, and a run may have replaced it.
		if (this.#systemPrompt !== before) this.#loop.setSystemPrompt(this.#systemPrompt);
	}

	async #deliver(message: AgentMessage, as: "steer" | "followUp" | "append"): Promise<void> {
		if (as === "append" && !this.#loop.state.isStreaming) await this.#add(message);
		else if (as === "append") this.#notes.push(message);
		else if (this.#running && this.#isEnding) this.#late.push(message);
		else if (as === "steer") this.#loop.steer(message);
		else this.#loop.followUp(message);
	}

	/** Appends without starting a run; `waitForIdle` waits until all listeners have seen it. */
	async #add(message: AgentMessage): Promise<void> {
		this.#loop.appendMessage(message);
		this.#appending = this.#appending
			.then(() => this.#events.emit({ type: "message_start", message }))
			.then(() => this.#events.emit({ type: "message_end", message }));
		await this.#appending;
	}

	async #retryAfter(delayMs: number): Promise<boolean> {
		try {
			await delay(delayMs, this.#running?.controller.signal);
		} catch {
			// The user stopped the wait, and with it the prompt.
			return false;
		}
		this.#askAgain = true;
		return true;
	}

	#leaveOutFailure(): void {
		const { messages } = this.#loop.state;
		const last = messages.at(-1);
		if (last?.role === "assistant" && last.failure) this.#loop.replaceMessages(messages.slice(0, -1));
	}
}
