/** Gives tool calls the ids that Mistral wants: exactly nine letters and digits. */
import type { Message } from "../../types.ts";

const wanted = /^[a-zA-Z0-9]{9}$/;

/** The same id always becomes the same, so that the beginning of a conversation does not change as it grows. */
export function withNineCharIds(messages: readonly Message[]): Message[] {
	return messages.map((message): Message => {
		if (message.role === "toolResult") return { ...message, toolCallId: nineChars(message.toolCallId) };
		if (message.role !== "assistant") return message;
		const content = message.content.map((block) =>
			block.type === "toolCall" ? { ...block, id: nineChars(block.id) } : block,
		);
		return { ...message, content };
	});
}

function nineChars(id: string): string {
	if (wanted.test(id)) return id;
	return Bun.hash(id).toString(36).padStart(9, "0").slice(-9);
}
