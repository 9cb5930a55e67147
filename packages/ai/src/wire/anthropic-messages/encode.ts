/** Writes a context as the body of an Anthropic Messages request. */
import type {
	AssistantMessage,
	Context,
	ImageContent,
	Message,
	Model,
	StreamOptions,
	TextContent,
	ThinkingLevel,
	ToolResultMessage,
} from "../../types.ts";
import { conversationFor } from "../conversation.ts";
import type { Json } from "../../json.ts";

const budgets: Record<Exclude<ThinkingLevel, "off">, number> = {
	minimal: 1024,
	low: 2048,
	medium: 8192,
	high: 16_384,
	xhigh: 32_768,
};

/** The API wants at least this much room for the answer besides the thinking. */
const leastAnswerTokens = 1024;

const ephemeral = { type: "ephemeral" };

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const maxTokens = Math.min(options.maxTokens ?? model.maxTokens, model.maxTokens);
	const messages = encodeMessages(conversationFor(model, context.messages));
	markPrefix(messages);
	const tools = context.tools?.map((tool) => ({
		name: tool.name,
		description: tool.description,
		input_schema: tool.parameters,
	}));
	const thinking = encodeThinking(model, options.reasoning, maxTokens);
	return {
		model: model.id,
		max_tokens: maxTokens,
		stream: true,
		...(context.systemPrompt
			? { system: [{ type: "text", text: context.systemPrompt, cache_control: ephemeral }] }
			: {}),
		messages,
		...(tools && tools.length > 0 ? { tools } : {}),
		...(thinking ? { thinking } : {}),
		// The API refuses a temperature while it thinks.
		...(options.temperature !== undefined && !thinking ? { temperature: options.temperature } : {}),
		...model.compat?.extraBody,
	};
}

function encodeThinking(model: Model, level: ThinkingLevel | undefined, maxTokens: number): Json | undefined {
	if (!model.reasoning || level === undefined || level === "off") return undefined;
	const budget = Math.min(budgets[level], maxTokens - leastAnswerTokens);
	return budget >= budgets.minimal ? { type: "enabled", budget_tokens: budget } : undefined;
}

interface WireMessage {
	role: "user" | "assistant";
	content: Json[];
}

function encodeMessages(messages: readonly Message[]): WireMessage[] {
	const out: WireMessage[] = [];
	for (const message of messages) {
		const role = message.role === "assistant" ? "assistant" : "user";
		const content = encodeContent(message);
		if (content.length === 0) continue;
		const last = out.at(-1);
		// Results of parallel calls belong into one user message, and so does a prompt that follows them.
		if (last?.role === role) last.content.push(...content);
		else out.push({ role, content });
	}
	return out;
}

function encodeContent(message: Message): Json[] {
	switch (message.role) {
		case "user":
			return encodeParts(
				typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
			);
		case "toolResult":
			return [encodeResult(message)];
		case "assistant":
			return encodeAnswer(message);
	}
}

function encodeResult(message: ToolResultMessage): Json {
	return {
		type: "tool_result",
		tool_use_id: message.toolCallId,
		content: encodeParts(message.content),
		...(message.isError ? { is_error: true } : {}),
	};
}

function encodeAnswer(message: AssistantMessage): Json[] {
	return message.content.flatMap((block): Json[] => {
		switch (block.type) {
			case "text":
				return [{ type: "text", text: block.text }];
			case "thinking":
				if (!block.thinkingSignature) return [];
				return block.redacted
					? [{ type: "redacted_thinking", data: block.thinkingSignature }]
					: [{ type: "thinking", thinking: block.thinking, signature: block.thinkingSignature }];
			case "toolCall":
				return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments }];
		}
	});
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json[] {
	return parts.map((part): Json => {
		if (part.type === "text") return { type: "text", text: part.text };
		const source = { type: "base64", media_type: part.mimeType, data: part.data };
		return { type: "image", source };
	});
}

/**
 * The conversation only grows at its end, so a mark on the last block caches everything before the next turn.
 * Blocks of a user only: thinking takes no mark.
 */
function markPrefix(messages: readonly WireMessage[]): void {
	const last = messages.findLast(({ role }) => role === "user")?.content.at(-1);
	if (last) last.cache_control = ephemeral;
}
