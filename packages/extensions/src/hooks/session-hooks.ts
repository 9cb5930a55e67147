/** Connects hooks to a session: dispatches its events to them and applies their answers. */
import type { AgentMessage } from "@tau/agent";
import { abortable, oneLine, timer } from "@tau/utils";
import type { Behavior, Prompt, SessionEvent, SessionHandle } from "@tau/session";
import type { CustomMessage } from "@tau/log";
import type { AgentHook, HookedAgent, SessionSpawner } from "@tau/session/host";
import { PromptDenied } from "@tau/session/run";
import { builtinTool } from "@tau/integrations/builtin";

import type { HookAnswer } from "./answer.ts";
import { HookAsker, type HookMoment, type HookSurroundings } from "./ask-hooks.ts";
import { CallHooks } from "./call-hooks.ts";
import { limits } from "./limits.ts";

export type StartSource = "startup" | "resume" | "clear" | "compact";

export interface SessionHooksParts extends Omit<HookSurroundings, "onMessage" | "ended"> {
	/** The source of this session; absent if its conversation determines it. */
	readonly source?: "clear" | "resume" | undefined;
	resolve(path: string): string;
	/** Why the session ends, asked when it does. */
	endReason(): string;
	/** The agents that the session opens; absent where it cannot open any. */
	readonly agents?: Pick<SessionSpawner, "addHook"> | undefined;
	/** A shorter wait, for tests. */
	readonly idleMs?: number | undefined;
}

const watchedEvents = [
	"compaction_start",
	"agent_start",
	"agent_end",
	"tool_execution_start",
	"tool_execution_end",
	"tool_approval_requested",
] as const;

export class SessionHooks implements Behavior, AsyncDisposable {
	readonly name = "hooks";
	readonly #parts: SessionHooksParts;
	readonly #asker: HookAsker;
	/** Ends what hooks still do when the session ends. */
	readonly #ended = new AbortController();
	/** Sent to the model with the next prompt. */
	#context: string[] = [];
	#session: SessionHandle | undefined;
	#starting: Promise<void> = Promise.resolve();
	#idle: Disposable | undefined;
	#isRunning = false;
	/** How often a Stop hook has continued the run since the last prompt of the user. */
	#stops = 0;
	/** A hook has ended the run: no other one may continue it. */
	#isStopped = false;
	#compactionReason: "manual" | "auto" = "manual";

	constructor(parts: SessionHooksParts) {
		this.#parts = parts;
		this.#asker = new HookAsker({
			...parts,
			ended: this.#ended.signal,
			onMessage: (message) => void this.#notifyUser(message),
		});
	}

	attach(session: SessionHandle): Disposable {
		using owned = new DisposableStack();
		this.#session = session;
		const { hooks } = session;
		const calls = this.#calls(session);
		owned.use(session.beforePrompt(() => abortable(this.#starting, session.signal)));
		owned.use(hooks.inputs.add((prompt) => this.#prompt(prompt)));
		owned.use(hooks.preparers.add(async () => ({ messages: this.#takeContext() })));
		owned.use(session.gateTools(calls));
		owned.use(
			hooks.compactions.add({
				before: ({ instructions, signal }) => this.#beforeCompaction(instructions, signal),
				after: () => this.#afterCompaction(),
			}),
		);
		owned.use(
			session.onBefore(watchedEvents, async (event) => {
				if (event.type === "tool_execution_end") calls.forget(event.toolCallId);
				// The hook runs before the end is emitted: a listener that exits then would interrupt the hook.
				if (event.type === "agent_end") await this.#stopping(session);
				this.#onEvent(event);
			}),
		);
		const { agents } = this.#parts;
		if (agents && (this.#asker.has("SubagentStart") || this.#asker.has("SubagentStop")))
			owned.use(agents.addHook(this.#agentHook()));
		owned.defer(() => this.#idle?.[Symbol.dispose]());
		this.#starting = this.#start(this.#startSource(session));
		return owned.move();
	}

	/** The last word of the session. What hooks still do then is ended. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#started();
		const reason = this.#parts.endReason();
		const moment = {
			event: "SessionEnd",
			subjects: [reason],
			facts: { reason },
			limitMs: limits.endMs,
		} as const;
		await this.#ask(moment, this.#ended.signal);
		this.#ended.abort();
	}

	/** A beginning that takes its time does not hold up the end. */
	async #started(): Promise<void> {
		const late = Promise.withResolvers<void>();
		using _timer = timer(limits.endMs, late.resolve);
		await Promise.race([this.#starting, late.promise]);
	}

	#calls(session: SessionHandle): CallHooks {
		const { resolve } = this.#parts;
		return new CallHooks({
			asker: this.#asker,
			resolve: (path) => resolve(path),
			later: (answer) => this.#later(answer),
			stop: (reason) => this.#stop(session, reason),
		});
	}

	#onEvent(event: Extract<SessionEvent, { type: (typeof watchedEvents)[number] }>): void {
		if (event.type === "compaction_start")
			this.#compactionReason = event.reason === "manual" ? "manual" : "auto";
		if (event.type === "agent_start") {
			this.#isRunning = true;
			this.#idle?.[Symbol.dispose]();
		}
		if (event.type === "agent_end") {
			this.#isRunning = false;
			this.#waitForUser();
		}
		// A notification has to report that the answer waits for the user.
		if (event.type === "tool_execution_start" && builtinTool(event.toolName)?.asksUser)
			void this.#notify("elicitation_dialog", "Tau has a question");
		if (event.type === "tool_approval_requested")
			void this.#notify("permission_prompt", `Tau needs your permission to use ${event.toolName}`);
	}

	#startSource({ state }: SessionHandle): StartSource {
		return this.#parts.source ?? (state.messages.length > 0 ? "resume" : "startup");
	}

	async #start(source: StartSource): Promise<void> {
		const model = this.#session?.model.id;
		const { context } = await this.#ask({
			event: "SessionStart",
			subjects: [source],
			facts: { source, model },
		});
		if (context !== undefined) this.#context.push(context);
	}

	async #prompt(prompt: Prompt): Promise<Prompt> {
		// A prompt of an extension is not a prompt of the user, so hooks do not apply.
		if (prompt.source === "extension") return prompt;
		this.#stops = 0;
		this.#isStopped = false;
		const answer = await this.#ask({ event: "UserPromptSubmit", facts: { prompt: prompt.text } });
		const { verdict, reason, stop, context } = answer;
		if (verdict === "deny" || stop !== undefined) {
			const denied = `A hook blocked the prompt: ${stop ?? reason ?? "no reason given"}`;
			// Awaited: print mode ends right after a prompt that was blocked.
			await this.#notifyUser(denied);
			throw new PromptDenied(denied);
		}
		if (context === undefined) return prompt;
		// A queued prompt carries it, because it is not prepared like one that starts a run.
		if (this.#isRunning && !prompt.text.startsWith("/"))
			return { ...prompt, text: `${prompt.text}\n\n${context}` };
		this.#context.push(context);
		return prompt;
	}

	/** The model would stop: a hook may make it continue. */
	async #stopping(session: SessionHandle): Promise<void> {
		if (session.isAborted || this.#isStopped) return;
		const last = session.state.messages.findLast(({ role }) => role === "assistant");
		if (last?.role === "assistant" && last.failure) {
			const { kind, message } = last.failure;
			await this.#ask({
				event: "StopFailure",
				subjects: [kind],
				facts: { error: kind, error_details: message },
			});
			return;
		}
		const facts = { stop_hook_active: this.#stops > 0, last_assistant_message: wordsOf(last) };
		const { verdict, reason, stop } = await this.#ask({ event: "Stop", facts });
		if (stop !== undefined) await this.#notifyUser(stop);
		if (verdict !== "deny" || stop !== undefined || session.isAborted) return;
		if (++this.#stops > limits.stopsInARow) {
			await this.#notifyUser(
				`A Stop hook made the model continue ${limits.stopsInARow} times in a row. It is now ignored.`,
			);
			return;
		}
		await session.deliver(hookMessage("Stop", reason ?? "Continue."), "followUp");
	}

	#agentHook(): AgentHook {
		const factsOf = ({ id, type, sessionFile }: HookedAgent) => ({
			agent_id: id,
			agent_type: type,
			agent_transcript_path: sessionFile ?? "",
		});
		return {
			starting: async (agent, signal) => {
				const moment = { event: "SubagentStart", subjects: [agent.type], facts: factsOf(agent) } as const;
				return (await this.#ask(moment, signal)).context;
			},
			stopping: async (agent, { lastText, isContinued }, signal) => {
				const facts = {
					...factsOf(agent),
					stop_hook_active: isContinued,
					last_assistant_message: lastText,
				};
				const moment = { event: "SubagentStop", subjects: [agent.type], facts } as const;
				const { verdict, reason, stop } = await this.#ask(moment, signal);
				return verdict === "deny" && stop === undefined ? (reason ?? "Continue.") : undefined;
			},
		};
	}

	async #beforeCompaction(
		instructions: string | undefined,
		signal: AbortSignal,
	): Promise<{ cancel: true } | undefined> {
		const trigger = this.#compactionReason;
		const facts = { trigger, custom_instructions: instructions ?? "" };
		const answer = await this.#ask({ event: "PreCompact", subjects: [trigger], facts }, signal);
		if (answer.verdict !== "deny" && answer.stop === undefined) return undefined;
		await this.#notifyUser(
			`A hook blocked the compaction: ${answer.stop ?? answer.reason ?? "no reason given"}`,
		);
		return { cancel: true };
	}

	async #afterCompaction(): Promise<void> {
		const trigger = this.#compactionReason;
		await this.#ask({ event: "PostCompact", subjects: [trigger], facts: { trigger } });
		// The compaction has summarized the context of the session's start, so hooks can add it again.
		await this.#start("compact");
	}

	#waitForUser(): void {
		if (!this.#asker.has("Notification") || this.#ended.signal.aborted) return;
		this.#idle = timer(this.#parts.idleMs ?? limits.idleMs, () => {
			void this.#notify("idle_prompt", "Tau is waiting for your input");
		});
	}

	async #notify(type: string, message: string): Promise<void> {
		const facts = { message, title: "Tau", notification_type: type };
		await this.#ask({ event: "Notification", subjects: [type], facts });
	}

	async #ask(moment: HookMoment, signal?: AbortSignal): Promise<HookAnswer> {
		if (!this.#asker.has(moment.event)) return {};
		const until = signal ?? this.#session?.signal ?? this.#ended.signal;
		return this.#asker.ask(moment, until, (answer) => this.#later(answer));
	}

	#later({ context, message }: HookAnswer): void {
		if (context !== undefined) this.#context.push(context);
		if (message !== undefined) void this.#notifyUser(message);
	}

	#stop(session: SessionHandle, reason: string): void {
		this.#isStopped = true;
		void this.#notifyUser(reason);
		session.stop();
	}

	#takeContext(): AgentMessage[] {
		const lines = this.#context;
		this.#context = [];
		return lines.map(contextMessage);
	}

	async #notifyUser(message: string): Promise<void> {
		await this.#session?.emit({
			type: "notice",
			level: "warning",
			message: oneLine(message, limits.noticeChars),
		});
	}
}

/** The message is for the model only: the user knows the hook. */
function contextMessage(text: string): CustomMessage {
	return { role: "custom", customType: "hook-context", content: text, display: false, timestamp: Date.now() };
}

function hookMessage(event: string, text: string): CustomMessage {
	return {
		role: "custom",
		customType: "hook",
		content: `[${event} hook] ${text}`,
		display: true,
		timestamp: Date.now(),
	};
}

function wordsOf(message: AgentMessage | undefined): string {
	if (message?.role !== "assistant") return "";
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
