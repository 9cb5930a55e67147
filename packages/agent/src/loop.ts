/** The loop: a prompt goes to the model, the tools it asks for are run, their results go back, until it stops. */
import {
	accessOptions,
	MessageBuilder,
	modelAt,
	failure,
	type AssistantMessage,
	type AssistantMessageEventStream,
	type Message,
	type ThinkingLevel,
	type ToolCall,
} from "@tau/ai/portable";
import { abortable, EventStream, listen, shareTurn } from "@tau/utils/portable";

import { limits } from "./limits.ts";
import { reasonOf } from "./reason.ts";
import { runTools } from "./run-tools.ts";
import type {
	AgentContext,
	AgentEvent,
	AgentLoopConfig,
	AgentMessage,
	AnswerInterruption,
	Interrupted,
	ModelRequest,
} from "./types.ts";

export type AgentStream = EventStream<AgentEvent, AgentMessage[]>;

/** Everything one run needs to hand around. */
interface Run {
	context: AgentContext;
	config: AgentLoopConfig;
	signal: AbortSignal;
	emit(event: AgentEvent): void;
	/** Resolves when the reader is not too far behind, or has stopped the run. */
	caughtUp(): Promise<void>;
	/** Resolves when the reader has dealt with all events so far. */
	drained(): Promise<void>;
	/** The messages of this run, in order: what `agent_end` reports. */
	messages: AgentMessage[];
}

/**
 * Never throws: a failed or aborted answer ends the run, and is in the events. `context.messages` is not touched;
 * the result holds what the run added. The run continues only while its events are read.
 */
export function agentLoop(
	prompts: readonly AgentMessage[],
	context: AgentContext,
	config: AgentLoopConfig,
	signal?: AbortSignal,
): AgentStream {
	const reader = new AbortController();
	const stream: AgentStream = new EventStream({
		merge: mergeUpdates,
		limit: limits.unreadEvents,
		onCancel: () => reader.abort(),
	});
	const stop = signal ? AbortSignal.any([signal, reader.signal]) : reader.signal;
	const run: Run = {
		context: { ...context, messages: [...context.messages] },
		config,
		signal: stop,
		emit: (event) => {
			// Tools cannot be made to wait; but what they show on the way, the next update or the result shows again.
			if (event.type === "tool_execution_update" && stream.unread >= limits.unreadEvents) return;
			stream.push(event);
		},
		caughtUp: async () => {
			// An abort ends the wait, and the answer of this request reports it.
			if (stream.unread >= limits.unreadEvents) await abortable(stream.ready(), stop).catch(() => {});
		},
		drained: async () => {
			if (!stream.isIdle) await abortable(stream.idle(), stop).catch(() => {});
		},
		messages: [],
	};
	void converse(prompts, run).then(
		() => stream.end(run.messages),
		(error: unknown) => stream.fail(error),
	);
	return stream;
}

async function converse(prompts: readonly AgentMessage[], run: Run): Promise<void> {
	run.emit({ type: "agent_start" });
	let waiting: readonly AgentMessage[] | undefined = prompts;
	while (waiting) waiting = await turn(waiting, run);
	run.emit({ type: "agent_end", messages: run.messages, ...outcomeOf(run) });
}

function outcomeOf({ messages }: Run): Pick<AssistantMessage, "stopReason" | "errorMessage"> | undefined {
	const answer = messages.findLast((message) => message.role === "assistant");
	if (!answer) return undefined;
	const { stopReason, errorMessage } = answer;
	return errorMessage === undefined ? { stopReason } : { stopReason, errorMessage };
}

/** Sends the pending messages, receives the answer, runs its calls. Returns the next messages; none ends the run. */
async function turn(
	waiting: readonly AgentMessage[],
	run: Run,
): Promise<readonly AgentMessage[] | undefined> {
	run.emit({ type: "turn_start" });
	for (const message of waiting) add(run, message);
	const { answer, interruption } = await ask(run);
	const calls = toolCalls(answer);
	const toolResults = calls.length > 0 ? await runTools(calls, run) : [];
	for (const result of toolResults) add(run, result);
	run.emit({ type: "turn_end", message: answer, toolResults, ...interrupted(interruption) });
	const failed = answer.stopReason === "error" || answer.stopReason === "aborted";
	// Queued messages stay in the queues: they expect a conversation that went well.
	if (run.signal.aborted || (failed && !interruption)) return undefined;
	if (await wantsStop(run)) return undefined;
	const next = nextMessages(run.config, calls.length > 0, interruption);
	return next && [...(run.config.takeNotes?.() ?? []), ...next];
}

/** What the next request adds; undefined if none is due. */
function nextMessages(
	config: AgentLoopConfig,
	hasResults: boolean,
	interruption: AnswerInterruption | undefined,
): AgentMessage[] | undefined {
	const steering = config.steering?.take() ?? [];
	if (interruption) return [interruption.message, ...steering];
	if (steering.length > 0 || hasResults) return steering;
	const followUps = config.followUps?.take() ?? [];
	return followUps.length > 0 ? followUps : undefined;
}

/** Wait for listeners: one of them may request the stop. */
async function wantsStop({ config, drained, signal }: Run): Promise<boolean> {
	if (!config.shouldStop) return false;
	await drained();
	return config.shouldStop() || signal.aborted;
}

interface ModelReply {
	answer: AssistantMessage;
	/** What cut the answer short. */
	interruption: AnswerInterruption | undefined;
}

/** One request: streams the answer into the events and returns it whole. */
async function ask(run: Run): Promise<ModelReply> {
	const { interrupt: gate } = run.config;
	const stop = new AbortController();
	using _follow = listen(run.signal, "abort", () => stop.abort(run.signal.reason));
	if (run.signal.aborted) stop.abort(run.signal.reason);
	gate?.open(() => stop.abort());
	const began = performance.now();
	await shareTurn(limits.pieceMs);
	const { answers, thinkingLevel } = await request(run, stop.signal);
	let firstAt: number | undefined;
	for await (const event of answers) {
		await shareTurn();
		if (event.type === "start") run.emit({ type: "message_start", message: event.partial });
		else if (event.type !== "done" && event.type !== "error") {
			firstAt ??= performance.now();
			run.emit({ type: "message_update", message: event.partial, assistantMessageEvent: event });
		}
		await run.caughtUp();
	}
	const answer = await answers.result();
	Object.assign(answer, {
		thinkingLevel,
		durationMs: Math.round(performance.now() - began),
		...(firstAt === undefined ? {} : { ttftMs: Math.round(firstAt - began) }),
	});
	// Deliver the whole answer before acting on it, so that listeners can interrupt it.
	if (gate) await run.drained();
	await shareTurn(limits.pieceMs);
	const requested = gate?.close();
	const interruption = run.signal.aborted ? undefined : requested;
	if (interruption) cutShort(answer, interruption);
	else if (isEmpty(answer)) failEmpty(answer);
	if (!interruption?.discard) run.context.messages.push(answer);
	run.messages.push(answer);
	run.emit({ type: "message_end", message: answer, ...interrupted(interruption) });
	return { answer, interruption };
}

/** However far it had come, and whatever it was going to ask for: none of it was finished. */
function cutShort(answer: AssistantMessage, { reason }: AnswerInterruption): void {
	answer.stopReason = "aborted";
	answer.errorMessage = reason;
	answer.failure = failure("unknown", reason);
}

/** Neither text nor a call: it is useless, and a script would mistake it for a success. */
function isEmpty({ stopReason, content }: AssistantMessage): boolean {
	if (stopReason !== "stop" && stopReason !== "length") return false;
	return content.every(
		(block) => block.type === "thinking" || (block.type === "text" && !/\S/.test(block.text)),
	);
}

function failEmpty(answer: AssistantMessage): void {
	answer.failure =
		answer.stopReason === "length"
			? failure("output_limit", "The model reached its output limit before it wrote anything")
			: failure("invalid_response", "The model's answer is empty");
	answer.stopReason = "error";
	answer.errorMessage = answer.failure.message;
}

function interrupted(interruption: AnswerInterruption | undefined): { interrupted?: Interrupted } {
	if (!interruption) return {};
	return { interrupted: { reason: interruption.reason, discarded: interruption.discard } };
}

/** What goes wrong on the way to the model fails like an answer of it: a run has one way to fail. */
async function request(
	run: Run,
	signal: AbortSignal,
): Promise<{ answers: AssistantMessageEventStream; thinkingLevel: ThinkingLevel }> {
	const { config } = run;
	const { model, reasoning, systemPrompt, tools } = config.settings();
	const thinkingLevel = reasoning ?? "off";
	if (tools) run.context.tools = tools;
	if (systemPrompt !== undefined) run.context.systemPrompt = systemPrompt;
	try {
		const access = await abortable(Promise.resolve(config.access(model)), signal);
		const messages = await readable(run, signal);
		const made: ModelRequest = {
			model: modelAt(model, access),
			context: { systemPrompt: run.context.systemPrompt, messages, tools: run.context.tools },
			options: {
				...config.options,
				signal,
				...accessOptions(access, config.options),
				...(reasoning === undefined ? {} : { reasoning }),
			},
			stream: config.stream,
		};
		const sent = config.beforeRequest?.(made) ?? made;
		const stream = sent.stream.for?.(sent.model) ?? sent.stream;
		return { answers: stream(sent.model, sent.context, sent.options), thinkingLevel };
	} catch (error) {
		const builder = new MessageBuilder(model);
		if (signal.aborted) builder.abort();
		else builder.fail(failure("unknown", reasonOf(error)));
		return { answers: builder.stream, thinkingLevel };
	}
}

async function readable({ config, context, drained }: Run, signal: AbortSignal): Promise<Message[]> {
	// Context transforms have received every event in it; without a gate there may be no listener.
	if (config.interrupt && config.transformContext) await drained();
	const transformed = await abortable(
		Promise.resolve(config.transformContext?.(context.messages, signal) ?? context.messages),
		signal,
	);
	return config.convertToLlm(transformed);
}

/** A failed or aborted answer asks for nothing: its calls were cut off before anyone checked them. */
function toolCalls({ stopReason, content }: AssistantMessage): ToolCall[] {
	if (stopReason === "error" || stopReason === "aborted") return [];
	const calls = content.filter((block) => block.type === "toolCall");
	const last = content.at(-1);
	if (stopReason !== "length" || last?.type !== "toolCall" || Object.keys(last.arguments).length > 0) {
		return calls;
	}
	// Cut off before its first argument, a call looks like one that has none.
	return [...calls.slice(0, -1), { ...last, malformed: "the answer was cut off at its length limit" }];
}

function add(run: Run, message: AgentMessage): void {
	run.emit({ type: "message_start", message });
	run.context.messages.push(message);
	run.messages.push(message);
	run.emit({ type: "message_end", message });
}

/** A slow reader gets one long delta instead of many short ones, and of a running tool the latest news only. */
function mergeUpdates(previous: AgentEvent, next: AgentEvent): AgentEvent | undefined {
	if (previous.type === "tool_execution_update" && next.type === "tool_execution_update") {
		return previous.toolCallId === next.toolCallId ? next : undefined;
	}
	if (previous.type !== "message_update" || next.type !== "message_update") return undefined;
	const [before, after] = [previous.assistantMessageEvent, next.assistantMessageEvent];
	if (!("delta" in before) || !("delta" in after)) return undefined;
	if (before.type !== after.type || before.contentIndex !== after.contentIndex) return undefined;
	return { ...next, assistantMessageEvent: { ...after, delta: before.delta + after.delta } };
}
