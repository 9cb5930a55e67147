/** Reads a client's Anthropic Messages request. */
import { count, isObject, list, object, string, type Json } from "../../json.ts";
import type {
	AssistantContent,
	CacheRetention,
	ImageContent,
	Message,
	TextContent,
	Tool,
	ToolChoice,
} from "../../types.ts";
import {
	budgetOf,
	levelOf,
	linkedMedia,
	media,
	messagesOf,
	modelOf,
	numberOf,
	present,
	resultOf,
	stringsOf,
	textOf,
	unknownFields,
} from "../serving/read.ts";
import { restoredAnswer, restoredThinking, type Sealed } from "../serving/seal.ts";
import { RequestProblem, type ServedRequest, type Extras } from "../serving/types.ts";

const known = [
	"model",
	"messages",
	"system",
	"max_tokens",
	"stream",
	"temperature",
	"top_p",
	"top_k",
	"stop_sequences",
	"tools",
	"tool_choice",
	"thinking",
	"output_config",
	"output_format",
	"metadata",
	"service_tier",
	"cache_control",
];

/** The last asks for what happens anyway. */
const knownOfTools = [
	"name",
	"type",
	"description",
	"input_schema",
	"strict",
	"cache_control",
	"eager_input_streaming",
];
const knownOfDocuments = ["type", "source", "cache_control"];

export function readRequest(body: Json): ServedRequest {
	const reader = new Reader();
	const messages = messagesOf(body, "messages").flatMap((message) => reader.message(message));
	const systemPrompt = reader.system(body.system);
	const tools = reader.tools(body.tools);
	const thinking = thinkingOf(body);
	const userId = textOf(object(body.metadata).user_id);
	const choice = object(body.tool_choice);
	const format = formatOf(body);
	const toolChoice = choiceOf(choice);
	if (choice.type !== undefined && !toolChoice) reader.dropped.push("tool_choice");
	if (isObject(body.cache_control)) reader.mark(body.cache_control);
	return {
		model: modelOf(body),
		stream: body.stream === true,
		context: present({ systemPrompt, messages, tools }),
		options: present({
			maxTokens: numberOf(body.max_tokens),
			temperature: numberOf(body.temperature),
			...thinking,
			toolChoice,
			// Marks cost money there, so that a client without any wants no cache.
			cacheRetention: reader.retention,
			serviceTier: textOf(body.service_tier),
			sessionId: userId && sessionOf(userId),
			metadata: userId === undefined ? undefined : { user_id: userId },
		}),
		extras: present<Extras>({
			stop: stringsOf(body.stop_sequences),
			topP: numberOf(body.top_p),
			topK: numberOf(body.top_k),
			parallelTools: choice.disable_parallel_tool_use === true ? false : undefined,
			format,
		}),
		dropped: [...reader.dropped, ...unknownFields(body, known)],
		...((thinking.reasoning ?? "off") === "off" ? {} : { wantsThoughts: true as const }),
		wantsUsage: true,
	};
}

/** Claude Code ends the id of its user with the session; others have one user for each conversation or for all. */
function sessionOf(userId: string): string {
	return /session_([\w-]+)$/.exec(userId)?.[1] ?? Bun.hash(userId).toString(36);
}

function choiceOf({ type, name }: Json): ToolChoice | undefined {
	if (type === "any") return "required";
	if (type === "tool") return { name: string(name) };
	return type === "auto" || type === "none" ? type : undefined;
}

function thinkingOf(body: Json): Pick<ServedRequest["options"], "reasoning" | "thinkingBudgets"> {
	const { type, budget_tokens: budget } = object(body.thinking);
	const effort = levelOf(object(body.output_config).effort);
	if (type === "disabled") return { reasoning: "off" };
	if (type === "enabled") return effort ? { reasoning: effort } : budgetOf(count(budget));
	if (type === "adaptive") return { reasoning: effort ?? "high" };
	return {};
}

function formatOf(body: Json): Extras["format"] {
	const format = object(object(body.output_config).format ?? body.output_format);
	return format.type === "json_schema" ? { name: "answer", schema: object(format.schema) } : undefined;
}

class Reader {
	readonly dropped: string[] = [];
	retention: CacheRetention = "none";
	readonly #toolNames = new Map<string, string>();

	mark(control: unknown): void {
		if (!isObject(control)) return;
		if (control.ttl === "1h") this.retention = "long";
		else if (this.retention === "none") this.retention = "short";
	}

	system(system: unknown): string | undefined {
		if (typeof system === "string") return system || undefined;
		const texts = list(system).map((block) => {
			this.mark(object(block).cache_control);
			return string(object(block).text);
		});
		return texts.length > 0 ? texts.join("\n\n") : undefined;
	}

	tools(tools: unknown): Tool[] | undefined {
		const own = list(tools).flatMap((value): Tool[] => {
			const tool = object(value);
			this.mark(tool.cache_control);
			if (!isObject(tool.input_schema)) {
				// The vendor's servers run it.
				this.dropped.push(`tools.${string(tool.type) || string(tool.name)}`);
				return [];
			}
			this.dropped.push(...unknownFields(tool, knownOfTools, "tools."));
			return [
				{
					name: string(tool.name),
					description: string(tool.description),
					parameters: tool.input_schema,
					...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
				},
			];
		});
		return own.length > 0 ? own : undefined;
	}

	message({ role, content }: Json): Message[] {
		const blocks =
			typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(object);
		for (const { cache_control: control } of blocks) this.mark(control);
		if (role === "assistant") return [this.#answer(blocks)];
		if (role !== "user" && role !== "system")
			throw new RequestProblem(`messages: "${string(role)}" is not a role`);
		return this.#userMessages(blocks);
	}

	/** Results come before the text that a user adds to them. */
	#userMessages(blocks: readonly Json[]): Message[] {
		const results = blocks
			.filter(({ type }) => type === "tool_result")
			.map((block) => {
				const id = string(block.tool_use_id);
				const parts =
					typeof block.content === "string" ? [{ type: "text", text: block.content }] : list(block.content);
				const content = parts.map(object).flatMap((part) => this.#part(part));
				return resultOf(id, this.#toolNames.get(id) ?? "", content, block.is_error === true);
			});
		const content = blocks.filter(({ type }) => type !== "tool_result").flatMap((block) => this.#part(block));
		return content.length > 0 ? [...results, { role: "user", content, timestamp: 0 }] : results;
	}

	#part(part: Json): (TextContent | ImageContent)[] {
		const source = object(part.source);
		const { title, context, ...document } = part;
		const isText = part.type === "document" && source.type === "text";
		if (part.type === "document")
			this.dropped.push(...unknownFields(isText ? document : part, knownOfDocuments, "messages.document."));
		if (part.type === "text") return [{ type: "text", text: string(part.text) }];
		if ((part.type === "image" || part.type === "document") && source.type === "base64")
			return [media(source.media_type, source.data)];
		const linked = source.type === "url" && linkedMedia(source.url, part.type);
		if (linked) return [linked];
		if (isText) {
			const texts = [title, context, source.data].map(string).filter(Boolean);
			return [{ type: "text", text: texts.join("\n\n") }];
		}
		if (part.type === "document" && source.type === "content")
			return list(source.content).flatMap((each) => this.#part(object(each)));
		this.dropped.push(
			`messages.${string(part.type)}${source.type === undefined ? "" : `.${string(source.type)}`}`,
		);
		return [];
	}

	#answer(blocks: readonly Json[]): Message {
		const seals: Sealed[] = [];
		const content = blocks.flatMap((block): AssistantContent[] => {
			switch (block.type) {
				case "text":
					return [{ type: "text", text: string(block.text) }];
				case "thinking":
					return restoredThinking(string(block.thinking), block.signature, seals);
				case "redacted_thinking":
					return restoredThinking("", block.data, seals, true);
				case "tool_use": {
					const [id, name] = [string(block.id), string(block.name)];
					this.#toolNames.set(id, name);
					return [{ type: "toolCall", id, name, arguments: object(block.input) }];
				}
				default:
					this.dropped.push(`messages.${string(block.type)}`);
					return [];
			}
		});
		return restoredAnswer(content, seals);
	}
}
