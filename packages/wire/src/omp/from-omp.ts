/** What an omp host says, as frames of a session: entries, events and facts in the shapes that every client draws. */
import { isRecord } from "@tau/utils/portable";

import type { EventFrame, EventFrameOf } from "../events.ts";
import type { WireAnswer, WireMessage } from "../messages.ts";
import type { ClientInfo, ThinkingLevel } from "../session-shapes.ts";
import type { AgentFacts, Entry, SessionFacts } from "../view.ts";
import { cleanName } from "../room/names.ts";
import { ompPromptType } from "./frames.ts";

type Fields = Readonly<Record<string, unknown>>;

const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } as const;
const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Undefined if it is not an entry. Guests' prompts become named user messages; what only omp has is hidden. */
export function entryFromOmp(value: unknown): Entry | undefined {
	if (!isRecord(value) || typeof value.type !== "string" || typeof value.id !== "string") return undefined;
	const { timestamp, parentId } = value;
	const entry: Entry = {
		...value,
		type: value.type,
		id: value.id,
		parentId: typeof parentId === "string" ? parentId : null,
		timestamp: typeof timestamp === "string" ? timestamp : new Date(0).toISOString(),
	};
	if (entry.type === "custom_message" && entry.customType === ompPromptType) {
		const { type: _, id, customType: __, content: ___, details: ____, display: _____, ...head } = entry;
		return { ...head, type: "message", id, message: messageFromOmp({ ...entry, role: "custom" }) };
	}
	if (entry.type !== "message") return entry;
	const message = messageFromOmp(entry.message);
	return message ? { ...entry, message } : { ...entry, type: "custom", customType: "omp.message" };
}

/** Undefined for roles that users do not see, and if it is not a message. */
export function messageFromOmp(value: unknown): WireMessage | undefined {
	if (!isRecord(value)) return undefined;
	const timestamp =
		typeof value.timestamp === "number" ? value.timestamp : Date.parse(String(value.timestamp)) || 0;
	const message = { ...value, timestamp };
	switch (value.role) {
		case "assistant":
			return answerFromOmp(message);
		case "custom":
			return value.customType === ompPromptType
				? { role: "user", content: value.content as string, timestamp, ...author(value.details) }
				: (message as unknown as WireMessage);
		case "user":
		case "toolResult":
		case "bashExecution":
		case "pythonExecution":
		case "branchSummary":
		case "compactionSummary":
			// omp and Tau have these from the same format of session files.
			return message as unknown as WireMessage;
		default:
			return undefined;
	}
}

function author(details: unknown): { by?: string } {
	const name = isRecord(details) && typeof details.from === "string" ? cleanName(details.from) : "";
	return name === "" ? {} : { by: name };
}

/** With every member that Tau's own answers have: a host of another version may leave some out. */
function answerFromOmp(value: Fields): WireAnswer {
	const usage = isRecord(value.usage) ? value.usage : {};
	const cost = isRecord(usage.cost) ? usage.cost : {};
	const content = Array.isArray(value.content) ? value.content.filter(isRecord) : [];
	return {
		api: "",
		provider: "",
		model: "",
		stopReason: "stop",
		...value,
		role: "assistant",
		usage: { ...noTokens, totalTokens: 0, ...usage, cost: { ...noTokens, total: 0, ...cost } },
		content: content.map((part) =>
			part.type === "redactedThinking" ? { type: "thinking", thinking: "", redacted: true } : part,
		),
	} as unknown as WireAnswer;
}

/** Puts together the steps between one state of an answer and the next: omp sends it whole each time. */
export function answerSteps(before: WireAnswer | undefined, after: WireAnswer): EventFrame[] {
	const { content, ...head } = after;
	return content.flatMap((part, contentIndex) =>
		partSteps(before?.content[contentIndex], part, contentIndex).map(
			(assistantMessageEvent) =>
				({
					type: "message_update",
					message: head,
					assistantMessageEvent,
				}) satisfies EventFrameOf<"message_update">,
		),
	);
}

type Part = WireAnswer["content"][number];
type Step = EventFrameOf<"message_update">["assistantMessageEvent"];

function partSteps(before: Part | undefined, part: Part, contentIndex: number): Step[] {
	if (part.type === "toolCall") {
		if (before && JSON.stringify(before) === JSON.stringify(part)) return [];
		const start: Step[] = before
			? []
			: [{ type: "toolcall_start", contentIndex, id: part.id, name: part.name }];
		return [...start, { type: "toolcall_end", contentIndex, toolCall: part }];
	}
	const kind = part.type;
	const text = part.type === "text" ? part.text : part.thinking;
	const known =
		before?.type === "text" ? before.text : before?.type === "thinking" ? before.thinking : undefined;
	const start: Step[] = known === undefined ? [{ type: `${kind}_start`, contentIndex }] : [];
	if (text === (known ?? "")) return start;
	if (text.startsWith(known ?? ""))
		return [...start, { type: `${kind}_delta`, contentIndex, delta: text.slice((known ?? "").length) }];
	return [...start, { type: `${kind}_end`, contentIndex, content: text }];
}

/** An event of omp that has the same meaning here; undefined for the others. Answers are put together elsewhere. */
export function eventFromOmp(event: Fields): EventFrame | undefined {
	switch (event.type) {
		case "agent_start":
		case "turn_start":
			return { type: event.type };
		case "agent_end":
			return { type: "agent_end", messages: [] };
		case "tool_execution_start":
		case "tool_execution_update":
		case "tool_execution_end":
			return callFromOmp(event);
		case "notice":
			return {
				type: "notice",
				level: event.level === "info" ? "info" : "warning",
				message: String(event.message),
			};
		case "auto_retry_start":
		case "auto_retry_end":
			return event as unknown as EventFrame;
		case "auto_compaction_start":
			return { type: "compaction_start", reason: "threshold", willRetry: false };
		case "auto_compaction_end":
			return {
				type: "compaction_end",
				reason: "threshold",
				result: null,
				aborted: event.aborted === true,
				willRetry: event.willRetry === true,
				...(typeof event.errorMessage === "string" ? { errorMessage: event.errorMessage } : {}),
			};
		default:
			return undefined;
	}
}

function callFromOmp(event: Fields): EventFrame {
	const call = { toolCallId: String(event.toolCallId), toolName: String(event.toolName) };
	const args = isRecord(event.args) ? event.args : {};
	if (event.type === "tool_execution_start") return { type: "tool_execution_start", ...call, args };
	if (event.type === "tool_execution_update")
		return { type: "tool_execution_update", ...call, args, partialResult: resultOf(event.partialResult) };
	const result = resultOf(event.result);
	return { type: "tool_execution_end", ...call, result, isError: event.isError === true };
}

function resultOf(value: unknown): EventFrameOf<"tool_execution_end">["result"] {
	if (!isRecord(value) || !Array.isArray(value.content))
		return { content: typeof value === "string" ? [{ type: "text", text: value }] : [] };
	return value as EventFrameOf<"tool_execution_end">["result"];
}

export interface OmpFacts {
	readonly header: Fields;
	readonly state: Fields;
	readonly agents: readonly unknown[];
	/** The cost of the answers that were received. */
	readonly entries: readonly Entry[];
}

export function factsFromOmp({ header, state, agents, entries }: OmpFacts): SessionFacts {
	const usage = isRecord(state.contextUsage) ? state.contextUsage : {};
	const { sessionName } = state;
	return {
		session: {
			id: String(header.id),
			...(typeof sessionName === "string" ? { name: sessionName } : {}),
			cwd: String(state.cwd ?? header.cwd),
			isTrusted: false,
		},
		phase: state.isStreaming === true ? "running" : "idle",
		isCompacting: false,
		model: modelFromOmp(state.model),
		thinkingLevel: levels.find((each) => each === state.thinkingLevel) ?? "off",
		approvals: null,
		queue: { steering: [], followUp: [] },
		queueModes: { steering: "one-at-a-time", followUp: "one-at-a-time" },
		usage: usageOf(entries),
		context: {
			tokens: numberOf(usage.tokens),
			contextWindow: numberOf(usage.contextWindow),
			percent: numberOf(usage.percent),
			exact: false,
		},
		goal: null,
		todos: [],
		machine: null,
		agents: agents.filter(isRecord).flatMap(agentFromOmp),
		hiddenTools: [],
	};
}

function modelFromOmp(value: unknown): SessionFacts["model"] {
	const model = isRecord(value) ? value : {};
	return {
		id: String(model.id ?? "unknown"),
		name: String(model.name ?? model.id ?? "unknown"),
		api: String(model.api ?? ""),
		provider: String(model.provider ?? ""),
		// Where a host's model is asked is the host's own business.
		baseUrl: "",
		reasoning: model.reasoning === true,
		input: ["text"],
		cost: noTokens,
		contextWindow: numberOf(model.contextWindow),
		maxTokens: numberOf(model.maxTokens),
	};
}

function usageOf(entries: readonly Entry[]): SessionFacts["usage"] {
	const sum = { ...noTokens, cost: 0 } as Record<
		"input" | "output" | "cacheRead" | "cacheWrite" | "cost",
		number
	>;
	for (const { message } of entries) {
		if (!isRecord(message) || message.role !== "assistant") continue;
		const { usage } = message as unknown as WireAnswer;
		for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) sum[key] += usage[key];
		sum.cost += usage.cost.total;
	}
	return sum;
}

function agentFromOmp(agent: Fields): AgentFacts[] {
	if (agent.kind !== "sub" || typeof agent.id !== "string") return [];
	const state = agent.status === "running" ? "running" : agent.status === "aborted" ? "aborted" : "completed";
	const startedAt = numberOf(agent.createdAt);
	return [
		{
			id: agent.id,
			name: String(agent.displayName ?? agent.id),
			model: "",
			state,
			lastAction: "",
			tokens: 0,
			cost: 0,
			turns: 0,
			startedAt,
			...(state === "running" ? {} : { endedAt: numberOf(agent.lastActivity) || startedAt }),
		},
	];
}

/** Everybody in the room; the host first. omp's participants have no ids. */
export function clientsFromOmp(participants: unknown): ClientInfo[] {
	if (!Array.isArray(participants)) return [];
	return participants.filter(isRecord).map((each, at) => ({
		id: `omp-${at}`,
		name: cleanName(String(each.name)),
		rights: each.role === "host" ? "control" : each.readOnly === true ? "view" : "prompt",
		kinds: [],
	}));
}

function numberOf(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
