/** Computes context usage: exactly after an answer, with an estimate for later messages. */
import { tokensIn, type AgentMessage, type AgentState, type LoopState } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";

import { contextTokens, type PastMessages } from "@tau/log";

export interface ContextUsage {
	tokens: number;
	/** 0 where it is not known. */
	contextWindow: number;
	/** Of the window; 0 where that is not known. */
	percent: number;
	/** The provider counted, and there are no later messages. */
	exact: boolean;
}

export function contextUsage({
	messages,
	model,
	systemPrompt,
	tools,
}: Pick<AgentState, "messages" | "model" | "systemPrompt" | "tools">): ContextUsage {
	const at = lastCounted(messages);
	const counted = messages[at];
	const elided = counted?.role === "assistant" ? elidedSince(messages, at, counted.timestamp) : 0;
	const before =
		counted?.role === "assistant"
			? Math.max(0, counted.usage.totalTokens - elided)
			: tokensIn(systemPrompt.length + sum(tools, toolChars));
	const tokens = before + sum(messages.slice(at + 1), contextTokens);
	const { contextWindow } = model;
	const isSameModel =
		counted?.role === "assistant" && counted.provider === model.provider && counted.model === model.id;
	return {
		tokens: Math.ceil(tokens),
		contextWindow,
		percent: contextWindow > 0 ? (tokens / contextWindow) * 100 : 0,
		exact: isSameModel && at === messages.length - 1 && elided === 0,
	};
}

/**
 * The provider has counted what was removed afterwards, and not what is back since. Asked after every turn, so it copies
 * nothing of the conversation.
 */
function elidedSince(messages: readonly AgentMessage[], at: number, time: number): number {
	let tokens = 0;
	for (let index = 0; index <= at; index++) {
		const message = messages[index];
		if (message && "elided" in message && message.elided && message.elided.at >= time)
			tokens += message.elided.tokens;
	}
	return tokens;
}

/** The end of a conversation, from the last answer that a provider counted: what comes before is in the count. */
function countedEnd(past: PastMessages): { messages: AgentMessage[]; isAll: boolean } {
	if (past.isCompacted) return { messages: past.all(), isAll: true };
	const messages: AgentMessage[] = [];
	for (const message of past.backwards()) {
		messages.push(message);
		if (message.role === "assistant" && isWhole(message))
			return { messages: messages.toReversed(), isAll: false };
	}
	return { messages: messages.toReversed(), isAll: true };
}

/** -1 where no provider has counted what is in the context now. */
function lastCounted(messages: readonly AgentMessage[]): number {
	const compacted = lastWith("compactionSummary", messages)?.timestamp ?? 0;
	return messages.findLastIndex(
		(message) =>
			// The provider counted what a compaction kept together with what it removed.
			message.role === "assistant" && isWhole(message) && message.timestamp >= compacted,
	);
}

/** A plain loop, which the engine compiles soon: where there is none, the whole conversation is searched at every turn. */
function lastWith(role: AgentMessage["role"], messages: readonly AgentMessage[]): AgentMessage | undefined {
	for (let at = messages.length - 1; at >= 0; at--) if (messages[at]?.role === role) return messages[at];
	return undefined;
}

/** An answer that was broken off has not been counted to its end. A file of another program may hold anything. */
function isWhole({ stopReason, usage }: Partial<AssistantMessage>): boolean {
	return stopReason !== "error" && stopReason !== "aborted" && (usage?.totalTokens ?? 0) > 0;
}

function toolChars({ name, description, parameters }: AgentState["tools"][number]): number {
	return name.length + description.length + schemaChars(parameters);
}

function schemaChars(parameters: object): number {
	const known = countedSchemas.get(parameters);
	if (known !== undefined) return known;
	const { length } = JSON.stringify(parameters);
	countedSchemas.set(parameters, length);
	return length;
}

/** Sessions and their agents share the schemas of tools. */
const countedSchemas = new WeakMap<object, number>();

function sum<T>(items: readonly T[], of: (item: T) => number): number {
	return items.reduce((total, item) => total + of(item), 0);
}

/** Of a conversation whose beginning may not be read yet: as much of it is read as the count needs. */
export function usageOf(
	loop: Pick<LoopState, "withoutPast" | "state" | "restore">,
	past: PastMessages | undefined,
): ContextUsage {
	const { withoutPast, state } = loop;
	if (!withoutPast || !past) return contextUsage(state);
	const { messages, isAll } = countedEnd(past);
	if (isAll) loop.restore(messages);
	const { model, systemPrompt, tools } = state;
	return contextUsage({ model, systemPrompt, tools, messages: [...messages, ...withoutPast] });
}
