/** The loop: a prompt goes to the model, the tools it asks for are run, their results go back, until it stops. */
import type { AssistantMessage, ToolCall } from "@tau/ai";
import { EventStream } from "@tau/utils";

import { limits } from "./limits.ts";
import { runTools } from "./run-tools.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage } from "./types.ts";

export type AgentStream = EventStream<AgentEvent, AgentMessage[]>;

/** Everything one run needs to hand around. */
interface Run {
	context: AgentContext;
	config: AgentLoopConfig;
	signal: AbortSignal;
	emit(event: AgentEvent): void;
	/** The messages of this run, in order: what `agent_end` reports. */
	messages: AgentMessage[];
}

/**
 * Never throws: a failed or aborted answer ends the run, and is in the events. `context.messages` is not touched;
 * the result holds what the run added.
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
	const run: Run = {
		context: { ...context, messages: [...context.messages] },
		config,
		signal: signal ? AbortSignal.any([signal, reader.signal]) : reader.signal,
		emit: (event) => void stream.push(event),
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
	let waiting = prompts;
	for (;;) {
		run.emit({ type: "turn_start" });
		for (const message of waiting) add(run, message);
		waiting = [];
		const answer = await ask(run);
		const calls = toolCalls(answer);
		const toolResults =
			calls.length > 0 ? await runTools(calls, run.context.tools, run.signal, run.emit) : [];
		for (const result of toolResults) add(run, result);
		run.emit({ type: "turn_end", message: answer, toolResults });
		if (calls.length === 0 || run.signal.aborted) break;
	}
	run.emit({ type: "agent_end", messages: run.messages });
}

/** One request: streams the answer into the events and returns it whole. */
async function ask(run: Run): Promise<AssistantMessage> {
	const { convertToLlm, getApiKey, stream, model, ...options } = run.config;
	const { systemPrompt, messages, tools } = run.context;
	const apiKey = await getApiKey(model.provider);
	const answers = stream(
		model,
		{ systemPrompt, messages: convertToLlm(messages), tools },
		{ ...options, signal: run.signal, ...(apiKey === undefined ? {} : { apiKey }) },
	);
	for await (const event of answers) {
		if (event.type === "start") run.emit({ type: "message_start", message: event.partial });
		else if (event.type !== "done" && event.type !== "error") {
			run.emit({ type: "message_update", message: event.partial, assistantMessageEvent: event });
		}
	}
	const answer = await answers.result();
	keep(run, answer);
	run.emit({ type: "message_end", message: answer });
	return answer;
}

/** A failed or aborted answer asks for nothing: its calls were cut off before anyone checked them. */
function toolCalls(answer: AssistantMessage): ToolCall[] {
	if (answer.stopReason === "error" || answer.stopReason === "aborted") return [];
	return answer.content.filter((block) => block.type === "toolCall");
}

function add(run: Run, message: AgentMessage): void {
	run.emit({ type: "message_start", message });
	keep(run, message);
	run.emit({ type: "message_end", message });
}

function keep(run: Run, message: AgentMessage): void {
	run.context.messages.push(message);
	run.messages.push(message);
}

/** A slow reader gets one long delta instead of many short ones. */
function mergeUpdates(previous: AgentEvent, next: AgentEvent): AgentEvent | undefined {
	if (previous.type !== "message_update" || next.type !== "message_update") return undefined;
	const [before, after] = [previous.assistantMessageEvent, next.assistantMessageEvent];
	if (!("delta" in before) || !("delta" in after)) return undefined;
	if (before.type !== after.type || before.contentIndex !== after.contentIndex) return undefined;
	return { ...next, assistantMessageEvent: { ...after, delta: before.delta + after.delta } };
}
