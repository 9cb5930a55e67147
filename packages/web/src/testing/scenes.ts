/** Played sessions that show what the page can draw. */
import type { EventFrame, SessionFacts, UserRequest, WireAnswer, WireMessage } from "@tau/wire";

import type { MockSession } from "./mock-session.ts";

const usage = {
	input: 1200,
	output: 300,
	cacheRead: 9000,
	cacheWrite: 400,
	totalTokens: 10_900,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.031 },
};

const model = {
	id: "claude-sonnet-5-5",
	name: "Claude Sonnet 5.5",
	api: "anthropic-messages",
	provider: "anthropic",
	baseUrl: "",
	reasoning: true,
	input: ["text", "image"] as ("text" | "image")[],
	cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
	contextWindow: 200_000,
	maxTokens: 64_000,
};

export function factsOf(id: string, name: string, more: Partial<SessionFacts> = {}): SessionFacts {
	return {
		session: { id, name, cwd: "/home/ada/work/parser", isTrusted: true },
		phase: "idle",
		isCompacting: false,
		model,
		thinkingLevel: "medium",
		approvals: { mode: "auto", boundary: "sandbox" },
		queue: { steering: [], followUp: [] },
		queueModes: { steering: "all", followUp: "all" },
		usage: { input: 42_000, output: 9100, cacheRead: 310_000, cacheWrite: 28_000, cost: 0.42 },
		context: { tokens: 48_200, contextWindow: 200_000, percent: 24.1, exact: true },
		goal: null,
		todos: [],
		agents: [],
		hiddenTools: [],
		machine: null,
		...more,
	};
}

let clock = Date.UTC(2026, 10, 16, 9);

export function user(content: string): WireMessage {
	return { role: "user", content, timestamp: (clock += 1000) };
}

export function answer(content: WireAnswer["content"], more: Partial<WireAnswer> = {}): WireAnswer {
	const head = { role: "assistant", api: model.api, provider: model.provider, model: model.id } as const;
	return { ...head, content, usage, stopReason: "stop", timestamp: (clock += 1000), ...more };
}

export function text(value: string): WireAnswer["content"][number] {
	return { type: "text", text: value };
}

export function call(id: string, name: string, args: Record<string, unknown>): WireAnswer["content"][number] {
	return { type: "toolCall", id, name, arguments: args };
}

export function result(
	id: string,
	name: string,
	value: string,
	details?: unknown,
	isError = false,
): WireMessage {
	return {
		role: "toolResult",
		toolCallId: id,
		toolName: name,
		content: [{ type: "text", text: value }],
		details,
		isError,
		timestamp: (clock += 1000),
		durationMs: 340,
	};
}

/** Streams one answer as a model does, then makes it an entry. `pace` is called between two pieces. */
export async function stream(
	session: MockSession,
	whole: string,
	pieces: number,
	pace: () => Promise<void>,
): Promise<void> {
	const empty = answer([]);
	const { content: _, ...head } = empty;
	const update = (event: Extract<EventFrame, { type: "message_update" }>["assistantMessageEvent"]): void =>
		session.emit({ type: "message_update", message: head, assistantMessageEvent: event });
	session.change({ phase: "running" });
	session.emit({ type: "agent_start" });
	session.emit({ type: "message_start", message: empty });
	update({ type: "text_start", contentIndex: 0 });
	const size = Math.ceil(whole.length / pieces);
	for (let at = 0; at < whole.length; at += size) {
		update({ type: "text_delta", contentIndex: 0, delta: whole.slice(at, at + size) });
		await pace();
	}
	update({ type: "text_end", contentIndex: 0, content: whole });
	const message = { ...empty, content: [text(whole)] };
	const { id } = session.message(message);
	session.emit({ type: "message_end", message, entryId: id });
	session.emit({ type: "agent_end", messages: [] });
	session.change({ phase: "idle" });
}

export function ask(session: MockSession, request: UserRequest): void {
	session.emit({ type: "request_opened", request } as EventFrame);
}

export const shellApproval: UserRequest = {
	kind: "approval",
	id: "approve-1",
	openedAt: clock,
	call: {
		toolCallId: "c9",
		toolName: "bash",
		args: { command: "git push --force-with-lease origin parser" },
	},
	tier: "exec",
	touches: [
		{ kind: "exec", command: "git push --force-with-lease origin parser", cwd: "/home/ada/work/parser" },
	],
	reason: "The command reaches github.com, which no rule covers.",
	choices: [
		{ id: "once", label: "Allow once", allows: true, scope: "once" },
		{
			id: "session",
			label: "Allow for this session",
			allows: true,
			scope: "session",
			covers: ["Bash(git push:*)"],
		},
		{ id: "no", label: "Decline", allows: false, scope: "once" },
		{
			id: "instead",
			label: "Decline, and say what to do instead",
			allows: false,
			scope: "once",
			takesMessage: true,
		},
	],
};
