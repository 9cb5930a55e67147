/** Encodes a context as the body of an Ollama chat request. */
import { object, written, type Json } from "../../json.ts";
import type {
	AssistantMessage,
	Context,
	ImageContent,
	Message,
	Model,
	StreamOptions,
	TextContent,
	ToolResultMessage,
} from "../../types.ts";
import { conversationFor } from "../conversation.ts";
import { encodeMessageOnce, encodeToolOnce } from "../encode-once.ts";
import { imagesAfterResults, resultText } from "../results.ts";
import { objectSchema } from "../schema/index.ts";
import { outputLimit, wireLevel } from "../thinking.ts";

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { options: extraOptions, ...extra } = model.compat?.extraBody ?? {};
	// The API has no tool choice: forbidden tools are not sent.
	const tools = options.toolChoice === "none" ? [] : (context.tools ?? []);
	const think = encodeThink(model, options);
	const conversation = conversationFor(model, context.messages);
	const system = context.systemPrompt ? [{ role: "system", content: context.systemPrompt }] : [];
	const maxTokens = outputLimit(model, options);
	const parameters = {
		...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
		...(options.temperature === undefined ? {} : { temperature: options.temperature }),
		...object(extraOptions),
	};
	return {
		model: model.id,
		stream: true,
		messages: [...system, ...imagesAfterResults(conversation).map((message) => encodeOnce(model, message))],
		...(tools.length > 0 ? { tools: tools.map((tool) => encodeTool(model, tool)) } : {}),
		...(think === undefined ? {} : { think }),
		...(Object.keys(parameters).length > 0 ? { options: parameters } : {}),
		...extra,
	};
}

/** Most models can only switch thinking on and off, and refuse a level; those with levels say so in their data. */
function encodeThink(model: Model, { reasoning }: StreamOptions): boolean | string | undefined {
	const map = model.thinkingLevelMap ?? {};
	if (!model.reasoning || reasoning === undefined) return undefined;
	if (reasoning === "off") return map.off === null ? undefined : (map.off ?? false);
	const hasLevels = Object.entries(map).some(([level, word]) => level !== "off" && typeof word === "string");
	return hasLevels ? wireLevel(model, reasoning) : true;
}

const encodeTool = encodeToolOnce((_, { name, description, parameters }) => ({
	type: "function",
	function: { name, description, parameters: objectSchema(parameters) },
}));

const encodeOnce = encodeMessageOnce((_, message) => written(encodeMessage(message)));

function encodeMessage(message: Message): Json {
	switch (message.role) {
		case "user":
			return { role: "user", ...encodeUser(message.content) };
		case "assistant":
			return encodeAnswer(message);
		case "toolResult":
			return encodeResult(message);
	}
}

function encodeUser(content: string | (TextContent | ImageContent)[]): Json {
	return typeof content === "string" ? { content } : encodeParts(content);
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json {
	const images = parts.filter((part) => part.type === "image").map(({ data }) => data);
	const text = parts.filter((part) => part.type === "text").map((part) => part.text);
	return { content: text.join("\n"), ...(images.length > 0 ? { images } : {}) };
}

function encodeResult(message: ToolResultMessage): Json {
	return {
		role: "tool",
		content: resultText(message),
		// Older servers know the name only, and newer ones distinguish calls of one tool by the id.
		tool_name: message.toolName,
		tool_call_id: message.toolCallId,
	};
}

function encodeAnswer(message: AssistantMessage): Json {
	const parts = { text: "", thinking: "" };
	const calls: Json[] = [];
	for (const block of message.content) {
		if (block.type === "text") parts.text += block.text;
		else if (block.type === "thinking") parts.thinking += block.thinking;
		else calls.push({ id: block.id, function: { name: block.name, arguments: block.arguments } });
	}
	return {
		role: "assistant",
		content: parts.text,
		...(parts.thinking === "" ? {} : { thinking: parts.thinking }),
		...(calls.length > 0 ? { tool_calls: calls } : {}),
	};
}
