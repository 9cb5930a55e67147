/** pi's loop by its own functions: Tau's loop with pi's configuration, asked where pi asks. */
import {
	agentLoop as ourLoop,
	defaultConvertToLlm,
	type AgentEvent,
	type AgentLoopConfig,
	type AgentMessage,
	type AgentTool,
	type AgentToolResult,
	type CheckedCall,
	type ToolGate,
} from "@tau/agent";
import type { AssistantMessage, Message, StreamFunction, ToolCall, ToolResultMessage } from "@tau/ai";
import { laterStream } from "@tau/extensions/providers";
import { perScope } from "@tau/extensions/support";
import { checkValue } from "@tau/extensions/typebox";

import { stream as askModel } from "../ai/asking.ts";
import { EventStream } from "../support/event-stream.ts";
import type { EventSink, PiContext, PiLoopConfig, PiTool, StreamFn } from "./types.ts";

/** Of each session's extensions. */
const defaults = perScope((): { stream?: StreamFn | undefined } => ({}));

/** The default options of requests. */
function setDefaultStreamFn(stream: StreamFn | undefined): void {
	defaults().stream = stream;
}

export function agentLoop(
	prompts: AgentMessage[],
	context: PiContext,
	config: PiLoopConfig,
	signal?: AbortSignal,
	streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
	const events = new EventStream<AgentEvent, AgentMessage[]>(
		({ type }) => type === "agent_end",
		(event) => (event.type === "agent_end" ? event.messages : []),
	);
	const run = new Run(context, config, streamFn);
	void run
		.converse(prompts, (event) => events.push(event), signal)
		.then(
			(messages) => events.end(messages),
			(error: unknown) => events.fail(error),
		);
	return events;
}

export function agentLoopContinue(
	context: PiContext,
	config: PiLoopConfig,
	signal?: AbortSignal,
	streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
	assertContinuable(context);
	return agentLoop([], context, config, signal, streamFn);
}

export function runAgentLoop(
	prompts: AgentMessage[],
	context: PiContext,
	config: PiLoopConfig,
	emit: EventSink,
	signal?: AbortSignal,
	streamFn?: StreamFn,
): Promise<AgentMessage[]> {
	return new Run(context, config, streamFn).converse(prompts, emit, signal);
}

async function runAgentLoopContinue(
	context: PiContext,
	config: PiLoopConfig,
	emit: EventSink,
	signal?: AbortSignal,
	streamFn?: StreamFn,
): Promise<AgentMessage[]> {
	assertContinuable(context);
	return runAgentLoop([], context, config, emit, signal, streamFn);
}

function assertContinuable({ messages }: PiContext): void {
	const last = messages.at(-1);
	if (!last) throw new Error("Cannot continue: no messages in context");
	if (last.role === "assistant") throw new Error("Cannot continue from message role: assistant");
}

class Run {
	readonly #context: Required<PiContext>;
	readonly #streamFn: StreamFn;
	readonly #added: AgentMessage[] = [];
	readonly #terminating = new Set<string>();
	#config: PiLoopConfig;
	/** The answer whose calls are run. */
	#answer: AssistantMessage | undefined;
	#stops = false;
	#steering: AgentMessage[] = [];
	#followUps: AgentMessage[] = [];

	constructor(context: PiContext, config: PiLoopConfig, streamFn: StreamFn | undefined) {
		this.#context = {
			systemPrompt: context.systemPrompt ?? "",
			messages: [...context.messages],
			tools: [...(context.tools ?? [])],
		};
		this.#config = config;
		this.#streamFn = streamFn ?? defaults().stream ?? askModel;
	}

	async converse(
		prompts: readonly AgentMessage[],
		emit: EventSink,
		signal: AbortSignal | undefined,
	): Promise<AgentMessage[]> {
		const { systemPrompt, messages } = this.#context;
		const context = { systemPrompt, messages: [...messages], tools: this.#tools() };
		for await (const event of ourLoop(prompts, context, this.#ours(), signal)) {
			if (event.type === "message_end") {
				this.#added.push(event.message);
				this.#context.messages.push(event.message);
			}
			await emit(event);
			// The loop waits for all listeners before it continues: decisions made here take effect.
			if (event.type === "turn_end") await this.#decide(event.message, event.toolResults);
		}
		return this.#added;
	}

	async #decide(message: AssistantMessage, toolResults: ToolResultMessage[]): Promise<void> {
		const { shouldStopAfterTurn, prepareNextTurn, getSteeringMessages, getFollowUpMessages } = this.#config;
		const turn = { message, toolResults, context: this.#context, newMessages: this.#added };
		if (message.stopReason === "error" || message.stopReason === "aborted") return;
		const ended =
			toolResults.length > 0 && toolResults.every(({ toolCallId }) => this.#terminating.has(toolCallId));
		this.#stops = ended || ((await shouldStopAfterTurn?.(turn)) ?? false);
		if (this.#stops) return;
		const update = await prepareNextTurn?.(turn);
		if (update?.context) Object.assign(this.#context, update.context);
		if (update?.model) this.#config = { ...this.#config, model: update.model };
		if (update?.thinkingLevel) this.#config = { ...this.#config, reasoning: update.thinkingLevel };
		this.#steering = [...((await getSteeringMessages?.()) ?? [])];
		if (this.#steering.length > 0 || toolResults.length > 0) return;
		this.#followUps = [...((await getFollowUpMessages?.()) ?? [])];
	}

	#ours(): AgentLoopConfig {
		const { convertToLlm = defaultConvertToLlm, transformContext, getApiKey, apiKey } = this.#config;
		return {
			options: requestOptions(this.#config),
			settings: () => {
				const { model, reasoning } = this.#config;
				const { systemPrompt } = this.#context;
				return { model, systemPrompt, tools: this.#tools(), ...(reasoning ? { reasoning } : {}) };
			},
			// pi's may take its time to convert: that is done with what else is done to the messages.
			transformContext: async (messages, signal) =>
				convertToLlm((await transformContext?.([...messages], signal)) ?? [...messages]),
			convertToLlm: (messages) => messages as readonly Message[] as Message[],
			access: async ({ provider }) => {
				const key = (await getApiKey?.(provider)) ?? apiKey;
				return key === undefined ? {} : { apiKey: key };
			},
			stream: this.#stream,
			shouldStop: () => this.#stops,
			// The queue is not checked while tools run: pi does not skip calls for a message of the user.
			steering: { waiting: 0, take: () => this.#steering.splice(0) },
			followUps: { waiting: 0, take: () => this.#followUps.splice(0) },
			toolGates: () => [this.#gate],
		};
	}

	/** pi's two hooks. What `beforeToolCall` writes into the arguments is validated like any other rewrite. */
	readonly #gate: ToolGate = {
		name: "beforeToolCall",
		// pi lets its hooks take as long as they need; an abort ends the wait.
		deadlineMs: Infinity,
		rewrite: async (call, signal) => {
			const args = structuredClone<Record<string, unknown>>(call.arguments);
			const facts = { assistantMessage: this.#answerNow(), toolCall: this.#called(call), args };
			const verdict = await this.#config.beforeToolCall?.({ ...facts, context: this.#context }, signal);
			if (verdict?.block) return { deny: verdict.reason ?? `${call.name} was blocked.` };
			return Bun.deepEquals(args, call.arguments, true) ? undefined : { arguments: args };
		},
		change: async (call, result, signal) => {
			const args = structuredClone<Record<string, unknown>>(call.arguments);
			const facts = { assistantMessage: this.#answerNow(), toolCall: this.#called(call), args };
			const about = { ...facts, result, isError: result.isError === true, context: this.#context };
			const patch = await this.#config.afterToolCall?.(about, signal);
			if (patch?.terminate !== undefined) this.#note(call.id, patch.terminate);
			return patch ? { ...result, ...patch } : undefined;
		},
	};

	/** The call as the model wrote it. */
	#called({ id, name, arguments: args }: CheckedCall): ToolCall {
		const calls = this.#answerNow().content.filter((part) => part.type === "toolCall");
		return calls.find((call) => call.id === id) ?? { type: "toolCall", id, name, arguments: { ...args } };
	}

	readonly #stream: StreamFunction = (model, context, options) => {
		const given = this.#streamFn(model, context, options);
		const answer = given instanceof Promise ? laterStream(model, () => given) : given;
		// Hooks of calls get the answer that contains them. The stream itself reports a failure.
		void answer.result().then(
			(message) => void (this.#answer = message),
			() => {},
		);
		return answer;
	};

	#answerNow(): AssistantMessage {
		if (!this.#answer) throw new Error("No answer requested this call.");
		return this.#answer;
	}

	#tools(): AgentTool[] {
		const sequential = this.#config.toolExecution === "sequential";
		return this.#context.tools.map((tool) => runnable(tool, sequential, (id) => this.#note(id, true)));
	}

	#note(toolCallId: string, terminates: boolean): void {
		if (terminates) this.#terminating.add(toolCallId);
		else this.#terminating.delete(toolCallId);
	}
}

interface OneCall extends Pick<PiLoopConfig, "beforeToolCall" | "afterToolCall"> {
	tools: readonly PiTool[];
	assistantMessage: AssistantMessage;
	context: PiContext;
	signal?: AbortSignal;
	onUpdate?(partial: AgentToolResult): void;
}

/** One call with all that is done to a call of a model, for tools that call tools. Never rejects. */
export async function runToolCall(
	toolCall: ToolCall,
	{ tools, assistantMessage, context, beforeToolCall, afterToolCall, ...call }: OneCall,
): Promise<{ toolCall: ToolCall; result: AgentToolResult; isError: boolean; durationMs?: number }> {
	const { signal = new AbortController().signal, onUpdate = () => {} } = call;
	const failed = (reason: string) => {
		const result = { content: [{ type: "text" as const, text: reason }], isError: true };
		return { toolCall, result, isError: true };
	};
	try {
		const piTool = tools.find(({ name }) => name === toolCall.name);
		if (!piTool) return failed(`There is no tool "${toolCall.name}".`);
		const tool = runnable(piTool, true, () => {});
		const valid = tool.validate(toolCall.arguments);
		if (!valid.ok) return failed(`Bad arguments for ${toolCall.name}: ${valid.reason}`);
		const facts = { assistantMessage, toolCall, args: valid.value, context };
		const verdict = await beforeToolCall?.(facts, signal);
		if (verdict?.block) return failed(verdict.reason ?? `${toolCall.name} was blocked.`);
		// The hook may have written into the arguments.
		const changed = tool.validate(valid.value);
		if (!changed.ok)
			return failed(
				`beforeToolCall changed the arguments of ${toolCall.name}, and they are not valid: ${changed.reason}`,
			);
		const began = performance.now();
		const ran = await tool.execute(toolCall.id, changed.value, signal, onUpdate);
		const durationMs = performance.now() - began;
		const about = { ...facts, result: ran, isError: ran.isError === true };
		const result = { ...ran, ...(await afterToolCall?.(about, signal)) };
		return { toolCall, result, isError: result.isError === true, durationMs };
	} catch (error) {
		return failed(error instanceof Error ? error.message : String(error));
	}
}

/** What belongs to requests and not to the loop. */
function requestOptions(config: PiLoopConfig): NonNullable<AgentLoopConfig["options"]> {
	const { maxTokens, temperature, thinkingBudgets, toolChoice, cacheRetention, serviceTier } = config;
	const { headers, sessionId, metadata, onPayload, onResponse } = config;
	const all = { maxTokens, temperature, thinkingBudgets, toolChoice, cacheRetention, serviceTier };
	const rest = { headers, sessionId, metadata, onPayload, onResponse };
	const defined = Object.entries({ ...all, ...rest }).filter(([, value]) => value !== undefined);
	return Object.fromEntries(defined);
}

function runnable(tool: PiTool, sequential: boolean, onTerminate: (id: string) => void): AgentTool {
	const { name, description, parameters, label = name } = tool;
	return {
		name,
		description,
		parameters,
		label,
		concurrency: sequential || tool.executionMode === "sequential" ? "exclusive" : "shared",
		// pi's tools do not say what they may do.
		approval: "exec",
		validate(input) {
			const prepared = tool.prepareArguments ? tool.prepareArguments(input) : input;
			const checked = checkValue(parameters, prepared);
			return checked.ok
				? { ok: true, value: checked.value as Record<string, unknown> }
				: { ok: false, reason: checked.problems.join("; ") };
		},
		async execute(id, params, signal, onUpdate) {
			// pi's tools may write into their arguments.
			const { terminate, ...result } = await tool.execute(id, structuredClone(params), signal, onUpdate);
			if (terminate) onTerminate(id);
			return result;
		},
	};
}

/** What extensions get of it. */
export const loopExports = {
	setDefaultStreamFn,
	agentLoop,
	agentLoopContinue,
	runAgentLoop,
	runAgentLoopContinue,
	runToolCall,
};
