/** Counts the messages of a session, with its usage and cost. */
import type { AgentMessage } from "@tau/agent";

import type { SessionManager } from "@tau/log";
import type { AgentSession } from "./agent-session.ts";

export interface SessionStats {
	sessionFile?: string;
	sessionId: string;
	userMessages: number;
	assistantMessages: number;
	toolCalls: number;
	toolResults: number;
	totalMessages: number;
	tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
	/** US dollars */
	cost: number;
	/** Absent when the model's window is not known. */
	contextUsage?: { tokens: number; contextWindow: number; percent: number };
}

export function sessionStats({ session, log }: { session: AgentSession; log: SessionManager }): SessionStats {
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
