/** Writes a context as the body of an OpenAI Chat Completions request. */
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
import { notes } from "../notes/index.ts";

const efforts: Record<Exclude<ThinkingLevel, "off">, string> = {
	minimal: "minimal",
	low: "low",
	medium: "medium",
	high: "high",
	xhigh: "high",
};

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const compat = model.compat ?? {};
	const tools = context.tools?.map(({ name, description, parameters }) => ({
		type: "function",
		function: { name, description, parameters },
	}));
	const effort = options.reasoning && options.reasoning !== "off" ? efforts[options.reasoning] : undefined;
	return {
		model: model.id,
		stream: true,
		messages: [...encodeSystem(model, context), ...encodeMessages(conversationFor(model, context.messages))],
		...(compat.supportsUsageInStreaming === false ? {} : { stream_options: { include_usage: true } }),
		...(compat.supportsStore ? { store: false } : {}),
		...(options.maxTokens === undefined
			? {}
			: { [compat.maxTokensField ?? "max_completion_tokens"]: options.maxTokens }),
		...(options.temperature === undefined ? {} : { temperature: options.temperature }),
		...(tools && tools.length > 0 ? { tools } : {}),
		...(model.reasoning && effort && compat.supportsReasoningEffort !== false
			? { reasoning_effort: effort }
			: {}),
		...(compat.openRouterRouting ? { provider: compat.openRouterRouting } : {}),
		...(compat.vercelGatewayRouting ? { providerOptions: { gateway: compat.vercelGatewayRouting } } : {}),
		...compat.extraBody,
	};
}

function encodeSystem(model: Model, context: Context): Json[] {
	if (!context.systemPrompt) return [];
	const role = model.reasoning && model.compat?.supportsDeveloperRole ? "developer" : "system";
	return [{ role, content: context.systemPrompt }];
}

function encodeMessages(messages: readonly Message[]): Json[] {
	const out: Json[] = [];
	let images: ImageContent[] = [];
	const showImages = (): void => {
		// A tool message cannot carry images: they follow the results as a user message.
		if (images.length > 0) out.push({ role: "user", content: encodeParts(images) });
		images = [];
	};
	for (const message of messages) {
		if (message.role === "toolResult") {
			out.push(encodeResult(message));
			images.push(...message.content.filter((part) => part.type === "image"));
			continue;
		}
		showImages();
		if (message.role === "user") {
			const content = typeof message.content === "string" ? message.content : encodeParts(message.content);
			out.push({ role: "user", content });
		} else out.push(...encodeAnswer(message));
	}
	showImages();
	return out;
}

function encodeResult(message: ToolResultMessage): Json {
	const text = message.content.map((part) => (part.type === "text" ? part.text : notes.imageBelow));
	return { role: "tool", tool_call_id: message.toolCallId, content: text.join("\n") || notes.noOutput };
}

/** Thinking stays behind, so an answer of nothing else has nothing to say. */
function encodeAnswer(message: AssistantMessage): Json[] {
	const text: string[] = [];
	const calls: Json[] = [];
	for (const block of message.content) {
		if (block.type === "text") text.push(block.text);
		if (block.type === "toolCall") {
			const call = { name: block.name, arguments: JSON.stringify(block.arguments) };
			calls.push({ id: block.id, type: "function", function: call });
		}
	}
	if (text.length + calls.length === 0) return [];
	return [
		{
			role: "assistant",
			content: text.length > 0 ? text.join("") : null,
			...(calls.length > 0 ? { tool_calls: calls } : {}),
		},
	];
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json[] {
	return parts.map((part) =>
		part.type === "text"
			? { type: "text", text: part.text }
			: { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } },
	);
}
