/** Counts what a session has said, and puts it beside what it has used and paid. */
import type { AgentMessage } from "@tau/agent";

import type { RpcHost } from "./host.ts";
import type { RpcSessionStats } from "./protocol.ts";

export function sessionStats({ session, log }: Pick<RpcHost, "session" | "log">): RpcSessionStats {
	const { messages } = session.state;
	const of = (role: AgentMessage["role"]): number =>
		messages.filter((message) => message.role === role).length;
	const toolCalls = messages.flatMap((message) =>
		message.role === "assistant" ? message.content.filter(({ type }) => type === "toolCall") : [],
	);
	const sessionFile = log.getSessionFile();
	const { input, output, cacheRead, cacheWrite, totalTokens: total, cost } = session.usage.totals;
	const { tokens, contextWindow, percent } = session.contextUsage();
	return {
		...(sessionFile === undefined ? {} : { sessionFile }),
		sessionId: log.getSessionId(),
		userMessages: of("user"),
		assistantMessages: of("assistant"),
		toolCalls: toolCalls.length,
		toolResults: of("toolResult"),
		totalMessages: messages.length,
		tokens: { input, output, cacheRead, cacheWrite, total },
		cost: cost.total,
		...(contextWindow > 0 ? { contextUsage: { tokens, contextWindow, percent } } : {}),
	};
}
