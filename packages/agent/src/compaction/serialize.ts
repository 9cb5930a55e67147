/** Writes a conversation as text, so that a model summarizes it instead of continuing it. */
import type { AssistantMessage, ImageContent, Message, TextContent, ToolCall } from "@tau/ai/portable";
import { limits } from "./limits.ts";

export function serializeConversation(messages: readonly Message[]): string {
	return withoutUseless(messages).flatMap(serializeMessage).join("\n\n");
}

/** Without the calls whose results say nothing. */
export function withoutUseless(messages: readonly Message[]): Message[] {
	const useless = new Set(
		messages.flatMap((message) =>
			message.role === "toolResult" && message.useless ? [message.toolCallId] : [],
		),
	);
	if (useless.size === 0) return [...messages];
	return messages.flatMap((message): Message[] => {
		if (message.role === "toolResult") return useless.has(message.toolCallId) ? [] : [message];
		if (message.role !== "assistant") return [message];
		const content = message.content.filter((block) => block.type !== "toolCall" || !useless.has(block.id));
		return content.length === 0 ? [] : [{ ...message, content }];
	});
}

/** The parts of a message, each with its role. */
export function serializeMessage(message: Message): string[] {
	switch (message.role) {
		case "user":
			return labeled("User", textOf(message.content));
		case "assistant":
			return answer(message);
		case "toolResult":
			return labeled(
				message.isError ? "Tool error" : "Tool result",
				shortened(textOf(message.content), limits.toolResultChars),
			);
	}
}

function answer({ content }: AssistantMessage): string[] {
	const thinking = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
	const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
	const calls = content.filter((block) => block.type === "toolCall");
	return [
		...labeled("Assistant thinking", thinking.join("\n")),
		...labeled("Assistant", text.join("\n")),
		...labeled("Assistant tool calls", calls.map(callText).join("; ")),
	];
}

function labeled(who: string, what: string): string[] {
	return what.trim() === "" ? [] : [`[${who}]: ${what.trim()}`];
}

function callText({ name, arguments: args }: ToolCall): string {
	const named = Object.entries(args).map(
		([key, value]) => `${key}=${shortened(JSON.stringify(value) ?? "undefined", limits.argumentChars)}`,
	);
	return `${name}(${shortened(named.join(", "), limits.callChars)})`;
}

function textOf(content: string | readonly (TextContent | ImageContent)[]): string {
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/** The beginning shows the subject and the end the outcome, so the middle is left out. */
export function shortened(text: string, most: number): string {
	if (text.length <= most) return text;
	const head = Math.floor(most * 0.6);
	const tail = most - head;
	const left = text.length - head - tail;
	// Half a surrogate pair at either edge would be corrupted on the way to the model.
	return `${text.slice(0, head)}\n[… ${left} characters omitted …]\n${text.slice(-tail)}`.toWellFormed();
}
