/** The parts of a message that fill the context, and its content without those that the user has dropped. */
import { estimateTokens, tokensIn, type AgentMessage } from "@tau/agent";
import type { AssistantContent, AssistantMessage, ImageContent, TextContent, ToolCall } from "@tau/ai";

import { invocationOf } from "@tau/log";
import droppedFile from "../prompts/dropped-file.md" with { type: "text" };
import droppedMessage from "../prompts/dropped-message.md" with { type: "text" };
import droppedResult from "../prompts/dropped-result.md" with { type: "text" };
import { fill } from "@tau/utils";

export type SourceName =
	| "System prompt"
	| "Instructions"
	| "Rules"
	| "Skills"
	| "Tools"
	/** The tools of one server: each has its own sum. */
	| `MCP: ${string}`
	| "User messages"
	| "Files"
	| "Assistant"
	| "Thinking"
	| "Tool calls"
	| "Tool results"
	| "User commands"
	| "Extensions"
	| "Summaries";

export interface MessagePart {
	/** Unique in its message: `text`, `result`, `file:0`. */
	key: string;
	source: SourceName;
	name: string;
	text: string;
	tokens: number;
	canDrop: boolean;
}

type Content = string | (TextContent | ImageContent)[];
/** A file or directory that a prompt attaches. */
const attached = /<(file|directory) name="([^"]*)"[^>]*>\n[\s\S]*?\n<\/\1>/g;

/** `calls`: the tool calls of the conversation by their ids, to name results. */
export function partsOf(message: AgentMessage, calls: ReadonlyMap<string, ToolCall>): MessagePart[] {
	switch (message.role) {
		case "user":
			return userParts(message.content, invocationOf(message));
		case "assistant":
			return assistantParts(message.content);
		case "toolResult": {
			const call = calls.get(message.toolCallId);
			const name = [message.toolName, call ? callWords(call) : ""].join(" ").trim();
			return [part("result", "Tool results", name, message.content)];
		}
		case "bashExecution":
			return [part("command", "User commands", message.command, `${message.command}\n${message.output}`)];
		case "pythonExecution":
			return [part("command", "User commands", message.code, `${message.code}\n${message.output}`)];
		case "custom":
			return [part("text", "Extensions", message.customType, message.content)];
		case "branchSummary":
			return [part("text", "Summaries", "branch", message.summary)];
		case "compactionSummary":
			// /compact edit changes it.
			return [{ ...part("text", "Summaries", "compaction", message.summary), canDrop: false }];
		default:
			return [];
	}
}

/** What takes the place of a message's content when these parts are dropped. */
export function contentWithout(
	message: AgentMessage,
	dropped: ReadonlySet<string>,
	id: string,
): Content | AssistantContent[] {
	switch (message.role) {
		case "user":
		case "custom":
			return attachmentsWithout(message.content, dropped);
		case "assistant":
			return dropped.has("text") ? withoutText(message) : message.content;
		case "toolResult":
			return dropped.has("result")
				? [{ type: "text", text: fill(droppedResult, { id }).trim() }]
				: message.content;
		case "branchSummary":
			return dropped.has("text") ? droppedMessage.trim() : message.summary;
		default:
			return "";
	}
}

function userParts(content: Content, invocation: string | undefined): MessagePart[] {
	const files: MessagePart[] = [];
	const own = textOf(content).replaceAll(attached, (block: string, _, name: string) => {
		files.push(part(`file:${files.length}`, "Files", name, block));
		return "";
	});
	const images = typeof content === "string" ? [] : content.filter(({ type }) => type === "image");
	const name = invocation ?? own.trim();
	return [part("text", "User messages", name, [{ type: "text", text: own.trim() }, ...images]), ...files];
}

function assistantParts(content: readonly AssistantContent[]): MessagePart[] {
	const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	const thinking = content.flatMap((block) =>
		block.type === "thinking" ? [block.thinking + (block.thinkingSignature ?? "")] : [],
	);
	const calls = content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
	const shown = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("\n");
	return [
		...(text === "" ? [] : [part("text", "Assistant", text, text)]),
		...(thinking.length === 0
			? []
			: // Providers check that it is complete.
				[
					{
						...part("thinking", "Thinking", shown, thinking.join("\n")),
						text: shown,
						canDrop: false,
					},
				]),
		...calls.map((call, at) => {
			const name = `${call.name} ${callWords(call)}`.trim();
			const written = `${call.name} ${JSON.stringify(call.arguments, null, 2)}`;
			return { ...part(`call:${at}`, "Tool calls", name, written), canDrop: false };
		}),
	];
}

/** The calls stay, because servers reject results without them; and so does thinking that belongs to calls. */
function withoutText({ content }: AssistantMessage): AssistantContent[] {
	if (content.some(({ type }) => type === "toolCall")) return content.filter(({ type }) => type !== "text");
	return [{ type: "text", text: droppedMessage.trim() }];
}

function attachmentsWithout(content: Content, dropped: ReadonlySet<string>): Content {
	const kept: string[] = [];
	let files = 0;
	const text = textOf(content).replaceAll(attached, (block: string, tag: string, name: string) => {
		const isDropped = dropped.has(`file:${files++}`);
		const shown = isDropped ? `<${tag} name="${name}">\n${droppedFile.trim()}\n</${tag}>` : block;
		kept.push(shown);
		return shown;
	});
	if (dropped.has("text")) return [droppedMessage.trim(), ...kept].join("\n\n");
	if (typeof content === "string") return text;
	return [{ type: "text", text }, ...content.filter(({ type }) => type === "image")];
}

function part(key: string, source: SourceName, name: string, content: Content): MessagePart {
	const text = textOf(content);
	const images = typeof content === "string" ? [] : content.filter(({ type }) => type === "image");
	const tokens = Math.ceil(tokensIn(text.length)) + images.length * tokensPerImage();
	return { key, source, name, text, tokens, canDrop: true };
}

function tokensPerImage(): number {
	const image: ImageContent = { type: "image", data: "", mimeType: "" };
	return estimateTokens({ role: "user", content: [image], timestamp: 0 });
}

function textOf(content: Content): string {
	if (typeof content === "string") return content;
	return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

/** The most informative argument: the command, the path, the pattern. */
function callWords({ arguments: args }: ToolCall): string {
	for (const key of ["command", "path", "pattern", "query", "url"]) {
		const value = args[key];
		if (typeof value === "string") return value;
	}
	return "";
}
