/** The vocabulary of the loop's tests: scripted model answers and labels of events. */
import type { AssistantMessage, ToolResultMessage } from "@tau/ai";

import type { AgentMessage } from "../types.ts";

export interface CallBlock {
	toolCall: { name: string; arguments: Record<string, unknown> | string };
}

type ScriptedBlock = CallBlock | { text: string; chunks?: number } | { thinking: string; signature?: string };

/** A call in a script; arguments given as a string are sent unchanged. */
export function call(name: string, args: Record<string, unknown> | string = {}): CallBlock {
	return { toolCall: { name, arguments: args } };
}

/** A step of a script: one answer with these blocks. */
export function asks(...blocks: ScriptedBlock[]): { answer: { blocks: ScriptedBlock[] } } {
	return { answer: { blocks } };
}

export const opening = ["agent_start", "turn_start", "message_start user", "message_end user"];
export const speaking = [
	"message_start assistant",
	"text_start",
	"text_delta",
	"text_end",
	"message_end assistant",
];
/** An answer that failed before its first text. */
export const speechless = ["message_start assistant", "message_end assistant"];
export const closing = ["turn_end", "agent_end"];

export function results(messages: readonly AgentMessage[]): ToolResultMessage[] {
	return messages.filter((message) => message.role === "toolResult");
}

export function resultTexts(messages: readonly AgentMessage[]): string[] {
	return results(messages).map(({ content }) =>
		content.map((part) => (part.type === "text" ? part.text : part.mimeType)).join(""),
	);
}

export function lastAnswer(messages: readonly AgentMessage[]): AssistantMessage {
	const answer = messages.findLast((message) => message.role === "assistant");
	if (answer === undefined) throw new Error("there is no answer");
	return answer;
}
