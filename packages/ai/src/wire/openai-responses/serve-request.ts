/** Reads a client's Responses request. */
import { isObject, list, object, parseObject, string, type Json } from "../../json.ts";
import type { AssistantContent, ImageContent, Message, TextContent, Tool, ToolChoice } from "../../types.ts";
import {
	levelOf,
	linkedMedia,
	mediaOf,
	modelOf,
	numberOf,
	present,
	resultOf,
	textOf,
	unknownFields,
} from "../serving/read.ts";
import { restoredAnswer, restoredThinking, type Sealed } from "../serving/seal.ts";
import { RequestProblem, type ServedRequest, type Extras } from "../serving/types.ts";
import { joinCallId } from "./signatures.ts";

const known = [
	"type",
	"model",
	"input",
	"instructions",
	"stream",
	"max_output_tokens",
	"temperature",
	"top_p",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"reasoning",
	"text",
	"prompt_cache_key",
	"prompt_cache_retention",
	"service_tier",
	"client_metadata",
	"user",
	"safety_identifier",
	// Usage always comes.
	"stream_options",
	"previous_response_id",
];
/** Encrypted reasoning always comes back. */
const alwaysIncluded = "reasoning.encrypted_content";

export function readRequest(body: Json): ServedRequest {
	if (textOf(body.previous_response_id))
		throw new RequestProblem("previous_response_id: the gateway stores no answers. Send the whole input");
	const reader = new Reader();
	reader.instruct(textOf(body.instructions));
	if (typeof body.input === "string") reader.item({ role: "user", content: body.input });
	else for (const item of list(body.input)) reader.item(object(item));
	const messages = reader.finish();
	if (messages.length === 0) throw new RequestProblem("input: at least one item is required");
	const tools = reader.tools(body.tools);
	const toolChoice = choiceOf(body.tool_choice);
	if (body.tool_choice && !toolChoice) reader.dropped.push("tool_choice");
	const user = textOf(body.safety_identifier) ?? textOf(body.user);
	return {
		model: modelOf(body),
		stream: body.stream === true,
		context: present({ systemPrompt: reader.systemPrompt, messages, tools }),
		options: present({
			maxTokens: numberOf(body.max_output_tokens),
			temperature: numberOf(body.temperature),
			reasoning: levelOf(object(body.reasoning).effort),
			toolChoice,
			cacheRetention: body.prompt_cache_retention === "24h" ? ("long" as const) : undefined,
			serviceTier: textOf(body.service_tier),
			sessionId: textOf(body.prompt_cache_key),
			metadata: user === undefined ? undefined : { user_id: user },
		}),
		extras: present<Extras>({
			topP: numberOf(body.top_p),
			parallelTools: body.parallel_tool_calls === false ? false : undefined,
			format: formatOf(object(object(body.text).format)),
		}),
		dropped: [
			...reader.dropped,
			...unknownFields(body, [...known, "include", ...defaultsOf(body)]),
			...list(body.include).flatMap((each) => (each === alwaysIncluded ? [] : [`include.${string(each)}`])),
			...unknownFields(object(body.text), ["format"], "text."),
		],
		wantsUsage: true,
	};
}

/** The names of fields that ask for what happens anyway: nothing is stored or cut here. */
function defaultsOf({ store, truncation }: Json): string[] {
	return [...(store === true ? [] : ["store"]), ...(truncation === "disabled" ? ["truncation"] : [])];
}

function choiceOf(choice: unknown): ToolChoice | undefined {
	if (choice === "auto" || choice === "none" || choice === "required") return choice;
	const name = string(object(choice).name);
	return name === "" ? undefined : { name };
}

function formatOf({ type, name, schema }: Json): Extras["format"] {
	if (type === "json_object") return "json";
	return type === "json_schema" ? { name: string(name) || "answer", schema: object(schema) } : undefined;
}

class Reader {
	readonly dropped: string[] = [];
	readonly #system: string[] = [];
	readonly #messages: Message[] = [];
	/** The items of one answer, which come one after the other. */
	#answer: { content: AssistantContent[]; seals: Sealed[] } | undefined;
	readonly #calls = new Map<string, { id: string; name: string }>();

	get systemPrompt(): string | undefined {
		return this.#system.length > 0 ? this.#system.join("\n\n") : undefined;
	}

	instruct(text: string | undefined): void {
		if (text !== undefined) this.#system.push(text);
	}

	finish(): Message[] {
		if (this.#answer) this.#messages.push(restoredAnswer(this.#answer.content, this.#answer.seals));
		this.#answer = undefined;
		return this.#messages;
	}

	tools(tools: unknown): Tool[] | undefined {
		const own = list(tools).flatMap((value): Tool[] => {
			const tool = object(value);
			if (tool.type !== "function") {
				this.dropped.push(`tools.${string(tool.type)}`);
				return [];
			}
			return [
				{
					name: string(tool.name),
					description: string(tool.description),
					parameters: isObject(tool.parameters) ? tool.parameters : { type: "object", properties: {} },
					...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
				},
			];
		});
		return own.length > 0 ? own : undefined;
	}

	item(item: Json): void {
		switch (item.type ?? "message") {
			case "message":
				return this.#message(item);
			case "reasoning": {
				const { content, seals } = this.#open();
				const thought = [...list(item.summary), ...list(item.content)]
					.map((part) => string(object(part).text))
					.join("\n\n");
				content.push(...restoredThinking(thought, item.encrypted_content, seals));
				return;
			}
			case "function_call": {
				const call = { id: joinCallId(item), name: string(item.name) };
				this.#calls.set(string(item.call_id), call);
				const input = object(parseObject(string(item.arguments)));
				this.#open().content.push({ type: "toolCall", ...call, arguments: input });
				return;
			}
			case "function_call_output": {
				this.finish();
				const { id, name } = this.#calls.get(string(item.call_id)) ?? { id: string(item.call_id), name: "" };
				this.#messages.push(resultOf(id, name, this.#parts(item.output)));
				return;
			}
			default:
				this.dropped.push(`input.${string(item.type)}`);
		}
	}

	#open(): { content: AssistantContent[]; seals: Sealed[] } {
		this.#answer ??= { content: [], seals: [] };
		return this.#answer;
	}

	/** Only instructions before the conversation are the system prompt: later ones keep their place, as words of the user. */
	#message({ role, content }: Json): void {
		const parts = this.#parts(content);
		if (role === "assistant") {
			const texts = parts.filter((part) => part.type === "text");
			this.#open().content.push(...texts);
			return;
		}
		const isInstruction = role === "system" || role === "developer";
		if (!isInstruction && role !== "user") throw new RequestProblem(`input: "${string(role)}" is not a role`);
		this.finish();
		if (isInstruction && this.#messages.length === 0) {
			this.instruct(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"));
			return;
		}
		if (isInstruction) this.dropped.push("input.role.system");
		if (parts.length > 0) this.#messages.push({ role: "user", content: parts, timestamp: 0 });
	}

	#parts(content: unknown): (TextContent | ImageContent)[] {
		if (typeof content === "string") return [{ type: "text", text: content }];
		return list(content)
			.map(object)
			.flatMap((part) => this.#part(part));
	}

	#part(part: Json): (TextContent | ImageContent)[] {
		switch (part.type) {
			case "input_text":
			case "output_text":
			case "text":
				return [{ type: "text", text: string(part.text) }];
			case "refusal":
				return [{ type: "text", text: string(part.refusal) }];
			default: {
				const found =
					part.type === "input_image"
						? (mediaOf(part.image_url) ?? linkedMedia(part.image_url, "image"))
						: (mediaOf(part.file_data) ?? linkedMedia(part.file_url, "document"));
				const detail = textOf(part.detail);
				if (found) return [{ ...found, ...(detail ? { detail } : {}) }];
				this.dropped.push(`input.${string(part.type)}`);
				return [];
			}
		}
	}
}
