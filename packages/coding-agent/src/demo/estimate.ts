/** Estimates what an exchange would have cost a real model, in tokens of four characters. */
import type { AssistantMessage, Context, Message, Usage } from "@tau/ai";

const charsPerToken = 4;

export function estimateUsage(context: Context, answer: AssistantMessage): Partial<Omit<Usage, "cost">> {
	const input = tokens(contextChars(context));
	const output = tokens(messageChars(answer));
	return { input, output, totalTokens: input + output };
}

function tokens(chars: number): number {
	return Math.ceil(chars / charsPerToken);
}

function contextChars({ systemPrompt = "", messages, tools = [] }: Context): number {
	const said = messages.reduce((sum, message) => sum + messageChars(message), 0);
	return systemPrompt.length + said + (tools.length > 0 ? JSON.stringify(tools).length : 0);
}

function messageChars({ content }: Message): number {
	if (typeof content === "string") return content.length;
	return content.reduce((sum, part) => sum + partChars(part), 0);
}

/** Pictures count nothing: the demo does not look at them. */
function partChars(part: Exclude<Message["content"], string>[number]): number {
	switch (part.type) {
		case "text":
			return part.text.length;
		case "thinking":
			return part.thinking.length;
		case "toolCall":
			return part.name.length + JSON.stringify(part.arguments).length;
		case "image":
			return 0;
	}
}
