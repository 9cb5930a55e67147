/** Says blocks of Claude Code's messages as a session says them. */
import type { AssistantContent, ImageContent, StopReason, TextContent, Usage } from "@tau/ai";

import { number, record, records, text } from "./fields.ts";
import { noUsage } from "./transcript.ts";

/** The content of a user message or a tool result. */
export function spokenBlocks(content: unknown): (TextContent | ImageContent)[] {
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return records(content).flatMap((block): (TextContent | ImageContent)[] => {
		switch (block.type) {
			case "text":
				return text(block.text) === "" ? [] : [{ type: "text", text: text(block.text) }];
			case "image":
				return [imageOf(record(block.source))];
			case "tool_result":
				return [];
			default:
				return [{ type: "text", text: `[${text(block.type) || "content"} that is not in the transcript]` }];
		}
	});
}

function imageOf(source: Record<string, unknown>): TextContent | ImageContent {
	if (source.type === "base64" && text(source.data) !== "") {
		return { type: "image", data: text(source.data), mimeType: text(source.media_type) || "image/png" };
	}
	return { type: "text", text: `[An image: ${text(source.url) || "not in the transcript"}]` };
}

/** What the model says. */
export function answerBlocks(content: unknown): AssistantContent[] {
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return records(content).flatMap((block): AssistantContent[] => {
		switch (block.type) {
			case "text":
				return text(block.text) === "" ? [] : [{ type: "text", text: text(block.text) }];
			case "thinking": {
				const signature = text(block.signature);
				const signed = signature === "" ? {} : { thinkingSignature: signature };
				return [{ type: "thinking", thinking: text(block.thinking), ...signed }];
			}
			case "redacted_thinking":
				return [{ type: "thinking", thinking: "", thinkingSignature: text(block.data), redacted: true }];
			case "tool_use":
			case "server_tool_use":
				return [
					{ type: "toolCall", id: text(block.id), name: text(block.name), arguments: record(block.input) },
				];
			default:
				return [];
		}
	});
}

export function usageOf(usage: Record<string, unknown>, dollars: unknown): Usage {
	const input = number(usage.input_tokens);
	const output = number(usage.output_tokens);
	const cacheRead = number(usage.cache_read_input_tokens);
	const cacheWrite = number(usage.cache_creation_input_tokens);
	const totalTokens = input + output + cacheRead + cacheWrite;
	return { ...noUsage(), input, output, cacheRead, cacheWrite, totalTokens, cost: costOf(number(dollars)) };
}

/** Older versions say the sum, and no version says more. */
function costOf(total: number): Usage["cost"] {
	return { ...noUsage().cost, total };
}

export function stopReasonOf(reason: unknown, content: readonly AssistantContent[]): StopReason {
	if (reason === "max_tokens") return "length";
	return content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
}
