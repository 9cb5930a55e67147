/** Says items of Codex's rollouts as a session says them. */
import type { AssistantContent, ImageContent, TextContent, ToolCall, Usage } from "@tau/ai";
import { isRecord } from "@tau/utils";

import { dataUrl, number, record, records, text } from "./fields.ts";
import type { Result } from "./transcript-entries.ts";
import { noUsage } from "./transcript.ts";

/** The content of a user message or a tool result: `input_text`, `input_image`, `output_text`. */
export function spokenParts(content: unknown): (TextContent | ImageContent)[] {
	return records(content).flatMap((part): (TextContent | ImageContent)[] => {
		if (part.type === "input_image") return [imageOf(text(part.image_url))];
		return text(part.text) === "" ? [] : [{ type: "text", text: text(part.text) }];
	});
}

function imageOf(url: string): TextContent | ImageContent {
	const inline = dataUrl(url);
	return inline
		? { type: "image", ...inline }
		: { type: "text", text: `[An image: ${url || "not in the rollout"}]` };
}

export function wordsOf(parts: readonly (TextContent | ImageContent)[]): string {
	return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** The summary, or the thinking itself if the model provides it; encrypted content is bound to its account. */
export function thoughtsOf(item: Record<string, unknown>): AssistantContent[] {
	const texts = [...records(item.summary), ...records(item.content)].map((part) => text(part.text));
	const thinking = texts.filter((content) => content !== "").join("\n\n");
	return thinking === "" ? [] : [{ type: "thinking", thinking }];
}

/** Undefined when the item is no call. */
export function callOf(item: Record<string, unknown>, key: string): ToolCall | undefined {
	const id = text(item.call_id) || text(item.id) || key;
	const name = text(item.name);
	switch (item.type) {
		case "function_call":
			return { type: "toolCall", id, name, arguments: argumentsOf(text(item.arguments)) };
		case "custom_tool_call":
			return { type: "toolCall", id, name, arguments: { input: text(item.input) } };
		case "local_shell_call":
			return { type: "toolCall", id, name: "local_shell", arguments: record(item.action) };
		case "web_search_call":
			return { type: "toolCall", id, name: "web_search", arguments: record(item.action) };
		default:
			return undefined;
	}
}

function argumentsOf(content: string): Record<string, unknown> {
	const value = parsed(content);
	return isRecord(value) ? value : { input: content };
}

/** Text, parts, or `{ content, success }`; the text of a command may be JSON with its output and exit code. */
export function resultOf(output: unknown): Result {
	if (Array.isArray(output)) return { content: spokenParts(output), isError: false };
	const { content, success } = record(output);
	const words = text(output) || text(content);
	const command = parsed(words);
	if (isRecord(command) && typeof command.output === "string" && isRecord(command.metadata)) {
		const { exit_code: code } = command.metadata;
		return { content: textContent(command.output), isError: typeof code === "number" && code !== 0 };
	}
	return {
		content: Array.isArray(content) ? spokenParts(content) : textContent(words),
		isError: success === false,
	};
}

function textContent(content: string): TextContent[] {
	return content === "" ? [] : [{ type: "text", text: content }];
}

/** Of one answer; cached tokens are part of the input there, and separate here. */
export function usageOf(last: Record<string, unknown>): Usage {
	const cacheRead = number(last.cached_input_tokens);
	const input = Math.max(0, number(last.input_tokens) - cacheRead);
	const output = number(last.output_tokens);
	const totalTokens = number(last.total_tokens) || input + cacheRead + output;
	return { ...noUsage(), input, output, cacheRead, totalTokens };
}

function parsed(content: string): unknown {
	if (!content.startsWith("{")) return undefined;
	try {
		return JSON.parse(content);
	} catch {
		// Then it is text.
		return undefined;
	}
}
