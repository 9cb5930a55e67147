/** Runs the loop against a model at a base URL and collects all of its events. */
import { stream, type Message, type Model } from "@tau/ai";
import { testModel } from "@tau/ai/testing";

import { agentLoop, type AgentStream } from "../loop.ts";
import type { AgentEvent, AgentLoopConfig, AgentMessage, AgentTool, AgentToolResult } from "../types.ts";
import { assertWellFormedRun } from "./well-formed.ts";

export interface CollectOptions {
	/** The base URL of an Anthropic Messages server. */
	url: string;
	tools?: AgentTool[];
	signal?: AbortSignal;
	config?: Partial<AgentLoopConfig>;
	/** Messages from before the run. */
	history?: AgentMessage[];
}

export interface Collected {
	events: AgentEvent[];
	/** The run as text: see `label`. */
	story: string[];
	messages: AgentMessage[];
}

export function begin({ url, tools = [], signal, config, history = [] }: CollectOptions): AgentStream {
	return agentLoop(
		[{ role: "user", content: "Go on.", timestamp: 1 }],
		{ systemPrompt: "Be brief.", messages: history, tools },
		{
			settings: () => ({ model: modelAt(url) }),
			stream,
			convertToLlm: (messages) => messages.filter(isForModels),
			access: () => ({ apiKey: "key" }),
			...config,
		},
		signal,
	);
}

/** Reads a run to its end and checks its order; `onEvent` receives each event as it is read. */
export async function collect(
	conversation: CollectOptions,
	onEvent: (event: AgentEvent) => void = () => {},
): Promise<Collected> {
	const run = begin(conversation);
	const events: AgentEvent[] = [];
	for await (const event of run) {
		events.push(event);
		onEvent(event);
	}
	assertWellFormedRun(events);
	return { events, story: emit(events), messages: await run.result() };
}

/** A tool that accepts anything. */
export function tool(
	name: string,
	execute: AgentTool["execute"],
	more: Partial<Pick<AgentTool, "concurrency" | "validate" | "approval" | "touches">> = {},
): AgentTool {
	return {
		name,
		label: name,
		description: `The tool ${name}.`,
		parameters: { type: "object" },
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value }),
		execute,
		...more,
	};
}

export function textOutcome(text: string): AgentToolResult {
	return { content: [{ type: "text", text }] };
}

/** The types in order, with roles, names of tools and the model's own events; repeated ones count once. */
function emit(events: readonly AgentEvent[]): string[] {
	const labels = events.map(label);
	return labels.filter((text, index) => text !== labels[index - 1]);
}

function label(event: AgentEvent): string {
	switch (event.type) {
		case "message_start":
		case "message_end":
			return `${event.type} ${event.message.role}`;
		case "message_update":
			return event.assistantMessageEvent.type;
		case "tool_execution_start":
		case "tool_execution_update":
		case "tool_execution_end":
			return `${event.type} ${event.toolName}`;
		default:
			return event.type;
	}
}

function isForModels(message: AgentMessage): message is Message {
	return ["user", "assistant", "toolResult"].includes(message.role);
}

/** The played model as an Anthropic Messages server. */
export function modelAt(baseUrl: string): Model {
	return testModel({ baseUrl, input: ["text"], contextWindow: 100_000 });
}
