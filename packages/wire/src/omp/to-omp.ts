/** A session as an omp guest draws it: entries, events and facts in omp's shapes. */
import { isRecord } from "@tau/utils/portable";

import type { EventFrame } from "../events.ts";
import type { WireMessage } from "../messages.ts";
import type { ClientInfo } from "../session-shapes.ts";
import type { AgentFacts, Entry, SessionFacts } from "../view.ts";
import {
	ompPromptType,
	type OmpAgent,
	type OmpEvent,
	type OmpHeader,
	type OmpModel,
	type OmpParticipant,
	type OmpState,
} from "./frames.ts";
import { ompLimits as limits } from "./limits.ts";

/** Small enough for a frame. Prompts of guests become omp's custom messages, and models have omp's names. */
export function entryToOmp(entry: Entry): Entry {
	const { message } = entry;
	if (entry.type === "model_change" && entry.model === undefined)
		return { ...entry, model: `${String(entry.provider)}/${String(entry.modelId)}` };
	if (entry.type !== "message" || !isRecord(message)) return fitting(entry);
	const prompt = promptOf(message as unknown as WireMessage);
	if (!prompt) return fitting(entry);
	const { message: _, ...head } = entry;
	return fitting({ ...head, type: "custom_message", ...prompt });
}

/** What a guest has said, with its name for people. */
function promptOf(message: WireMessage): Record<string, unknown> | undefined {
	if (message.role !== "user" || message.by === undefined) return undefined;
	return {
		customType: ompPromptType,
		content: message.content,
		display: true,
		details: { from: message.by },
	};
}

function messageToOmp(message: WireMessage): object {
	const prompt = promptOf(message);
	return prompt ? { role: "custom", ...prompt, timestamp: message.timestamp } : message;
}

/** Undefined for events that omp does not have. The caller sends growing answers whole. */
export function eventToOmp(event: EventFrame): OmpEvent | undefined {
	switch (event.type) {
		case "agent_start":
		case "turn_start":
		case "auto_retry_start":
		case "auto_retry_end":
		case "tool_execution_start":
		case "tool_execution_update":
		case "tool_execution_end":
			return fitting(event);
		case "agent_end":
		case "turn_end":
			return fitting({ ...event, type: event.type });
		case "message_start":
		case "message_end":
			return fitting({ type: event.type, message: messageToOmp(event.message) });
		case "notice":
			if (event.own) return undefined;
			return { type: "notice", level: event.level, message: event.message };
		case "auto_compaction_start":
			return { type: event.type, reason: event.reason, action: "compact" };
		case "auto_compaction_end":
			return fitting({ ...event, type: event.type });
		default:
			return undefined;
	}
}

export function headerToOmp({ session }: SessionFacts, timestamp: string): OmpHeader {
	const title = session.name === undefined ? {} : { title: session.name };
	return { type: "session", version: 3, id: session.id, timestamp, cwd: session.cwd, ...title };
}

export function stateToOmp(facts: SessionFacts, clients: readonly ClientInfo[], host: string): OmpState {
	const { session, phase, queue, thinkingLevel, context } = facts;
	const guests = clients.filter(({ rights }) => rights !== "control");
	const { tokens, contextWindow, percent } = context;
	return {
		isStreaming: phase !== "idle" && phase !== "closed",
		queuedMessageCount: queue.steering.length + queue.followUp.length,
		...(session.name === undefined ? {} : { sessionName: session.name }),
		cwd: session.cwd,
		model: modelToOmp(facts.model),
		thinkingLevel,
		contextUsage: { tokens, contextWindow, percent },
		participants: [
			{ name: host, role: "host" },
			...guests.map(({ name, rights }): OmpParticipant => ({
				name,
				role: "guest",
				...(rights === "view" ? { readOnly: true } : {}),
			})),
		],
	};
}

/** Without what says where it is asked. */
function modelToOmp({ baseUrl: _, compat: __, ...model }: SessionFacts["model"]): OmpModel {
	return { ...model, baseUrl: "" };
}

export function agentsToOmp(
	{ agents, session }: SessionFacts,
	startedAt: number,
	isRunning: boolean,
): OmpAgent[] {
	const now = Date.now();
	const main: OmpAgent = {
		id: "main",
		displayName: session.name ?? "main",
		kind: "main",
		status: isRunning ? "running" : "idle",
		hasSessionFile: false,
		createdAt: startedAt,
		lastActivity: now,
	};
	return [main, ...agents.map((agent) => agentToOmp(agent, now))];
}

function agentToOmp({ id, name, parentId, state, startedAt, endedAt }: AgentFacts, now: number): OmpAgent {
	const isOver = state === "completed" || state === "failed";
	return {
		id,
		displayName: name,
		kind: "sub",
		parentId: parentId ?? "main",
		status: state === "aborted" ? "aborted" : isOver ? "parked" : state === "waiting" ? "idle" : "running",
		// Its messages are made into one when they are asked for.
		hasSessionFile: true,
		createdAt: startedAt,
		lastActivity: endedAt ?? now,
	};
}

/** An agent's start, its progress and its end, as omp's own agents tell them. */
export function busToOmp(agent: AgentFacts, index: number): { lifecycle: object; progress: object } {
	const { id, name, task = "", state, tokens, cost, turns, lastAction, startedAt, endedAt } = agent;
	const kind = agent.agent ?? name;
	const isEnd = state === "completed" || state === "failed" || state === "aborted";
	const status = isEnd ? state : "running";
	const progress = {
		index,
		id,
		agent: kind,
		status,
		task,
		lastIntent: lastAction,
		recentTools: [],
		recentOutput: [],
		toolCount: turns,
		requests: turns,
		tokens,
		cost,
		durationMs: (endedAt ?? Date.now()) - startedAt,
	};
	return {
		lifecycle: { id, agent: kind, description: task, status: isEnd ? state : "started", index },
		progress: { index, agent: kind, task, progress },
	};
}

/** Cut, without its images if need be, so that it fits into a frame. */
export function fitting<T extends object>(value: T): T {
	if (JSON.stringify(value).length <= limits.chunkBytes) return value;
	return cut(value) as T;
}

function cut(value: unknown): unknown {
	if (typeof value === "string")
		return value.length <= limits.cutChars
			? value
			: `${value.slice(0, limits.cutChars)}\n[cut: too large for omp's rooms]`;
	if (Array.isArray(value)) return value.slice(0, 200).map(cut);
	if (!isRecord(value)) return value;
	if (value.type === "image") return { type: "text", text: "[image left out: too large for omp's rooms]" };
	return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each)]));
}

/** Entries in parts of a bounded size; at least one part, also of nothing. */
export function chunksOf(entries: readonly Entry[]): Entry[][] {
	const chunks: Entry[][] = [[]];
	let bytes = 0;
	for (const entry of entries) {
		const size = JSON.stringify(entry).length;
		if (bytes > 0 && bytes + size > limits.chunkBytes) {
			chunks.push([]);
			bytes = 0;
		}
		chunks.at(-1)?.push(entry);
		bytes += size;
	}
	return chunks;
}
