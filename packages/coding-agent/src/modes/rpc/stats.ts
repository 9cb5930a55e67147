/** Counts what a session has said, used and paid, and estimates how full the model's context is. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";

import type { RpcHost } from "./host.ts";
import type { RpcSessionStats } from "./protocol.ts";

/** What most tokenizers come near to, for text and for code. */
const charsPerToken = 4;
/** A picture of about a megapixel, by the formulas that providers publish. */
const tokensPerImage = 1400;

export function sessionStats({ session, log }: Pick<RpcHost, "session" | "log">): RpcSessionStats {
	const { messages, model } = session.state;
	const answers = messages.filter((message) => message.role === "assistant");
	const sum = (count: (answer: AssistantMessage) => number): number =>
		answers.reduce((total, answer) => total + count(answer), 0);
	const of = (role: AgentMessage["role"]): number =>
		messages.filter((message) => message.role === role).length;
	const sessionFile = log.getSessionFile();
	const tokens = contextTokens(messages);
	const { contextWindow } = model;
	return {
		...(sessionFile === undefined ? {} : { sessionFile }),
		sessionId: log.getSessionId(),
		userMessages: of("user"),
		assistantMessages: answers.length,
		toolCalls: sum(({ content }) => content.filter(({ type }) => type === "toolCall").length),
		toolResults: of("toolResult"),
		totalMessages: messages.length,
		tokens: {
			input: sum(({ usage }) => usage.input),
			output: sum(({ usage }) => usage.output),
			cacheRead: sum(({ usage }) => usage.cacheRead),
			cacheWrite: sum(({ usage }) => usage.cacheWrite),
			total: sum(({ usage }) => usage.totalTokens),
		},
		cost: sum(({ usage }) => usage.cost.total),
		...(contextWindow > 0
			? { contextUsage: { tokens, contextWindow, percent: (tokens / contextWindow) * 100 } }
			: {}),
	};
}

/** Exact up to the last answer whose provider counted, estimated for what was said since. */
function contextTokens(messages: readonly AgentMessage[]): number {
	const at = messages.findLastIndex(
		(message) => message.role === "assistant" && message.usage.totalTokens > 0,
	);
	const counted = messages[at];
	const exact = counted?.role === "assistant" ? counted.usage.totalTokens : 0;
	const since = messages.slice(at + 1).reduce((sum, message) => sum + estimate(message), 0);
	return exact + Math.ceil(since);
}

function estimate(message: AgentMessage): number {
	let images = 0;
	const text = JSON.stringify(message, (key, value: unknown) => {
		// Models do not see details, and a picture is not read as the text that it is sent as.
		if (key === "details") return undefined;
		if (key !== "data") return value;
		images++;
		return undefined;
	});
	return text.length / charsPerToken + images * tokensPerImage;
}
