/** Reads a client's Chat Completions request. */
import { count, isObject, list, object, parseObject, string, type Json } from "../../json.ts";
import type {
	AssistantContent,
	CacheRetention,
	ImageContent,
	Message,
	TextContent,
	Tool,
	ToolCall,
	ToolChoice,
} from "../../types.ts";
import {
	budgetOf,
	levelOf,
	linkedMedia,
	mediaOf,
	messagesOf,
	modelOf,
	numberOf,
	present,
	resultOf,
	stringsOf,
	textOf,
	unknownFields,
} from "../serving/read.ts";
import { restoredAnswer, unseal, type Layout } from "../serving/seal.ts";
import { RequestProblem, type ServedRequest, type Extras } from "../serving/types.ts";
import { thinkingFields } from "../thinking-field.ts";

const known = [
	"model",
	"messages",
	"stream",
	"stream_options",
	"max_tokens",
	"max_completion_tokens",
	"temperature",
	"top_p",
	"top_k",
	"stop",
	"seed",
	"presence_penalty",
	"frequency_penalty",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"reasoning_effort",
	"reasoning",
	"response_format",
	"prompt_cache_key",
	"prompt_cache_retention",
	"service_tier",
	"user",
	"safety_identifier",
	"functions",
	"function_call",
];

export function readRequest(body: Json): ServedRequest {
	const reader = new Reader();
	const messages = messagesOf(body, "messages").flatMap((message) => reader.message(message));
	// What tools were called before.
	const functions = list(body.functions).map((each) => ({ type: "function", function: each }));
	const tools = reader.tools([...list(body.tools), ...functions]);
	const choice = body.tool_choice ?? body.function_call;
	const toolChoice = choiceOf(choice);
	if (count(body.n) > 1) reader.dropped.push("n");
	if (choice && !toolChoice) reader.dropped.push("tool_choice");
	return {
		model: modelOf(body),
		stream: body.stream === true,
		context: present({ systemPrompt: reader.systemPrompt, messages, tools }),
		options: present({
			maxTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
			temperature: numberOf(body.temperature),
			...reasoningOf(body),
			toolChoice,
			// This vendor caches by itself; what has to be asked for it elsewhere is asked for.
			cacheRetention: body.prompt_cache_retention === "24h" ? "long" : reader.retention,
			serviceTier: textOf(body.service_tier),
			sessionId: textOf(body.prompt_cache_key),
			metadata: metadataOf(body),
		}),
		extras: present<Extras>({
			stop: stringsOf(body.stop),
			topP: numberOf(body.top_p),
			topK: numberOf(body.top_k),
			seed: numberOf(body.seed),
			presencePenalty: numberOf(body.presence_penalty) || undefined,
			frequencyPenalty: numberOf(body.frequency_penalty) || undefined,
			parallelTools: body.parallel_tool_calls === false ? false : undefined,
			format: formatOf(object(body.response_format)),
		}),
		dropped: [...reader.dropped, ...unknownFields(body, [...known, ...(body.store ? [] : ["store"]), "n"])],
		...(object(body.stream_options).include_usage === true ? { wantsUsage: true } : {}),
	};
}

function metadataOf(body: Json): Json | undefined {
	const user = textOf(body.safety_identifier) ?? textOf(body.user);
	return user === undefined ? undefined : { user_id: user };
}

/** OpenRouter's own field may give a number of tokens. */
function reasoningOf(body: Json): Pick<ServedRequest["options"], "reasoning" | "thinkingBudgets"> {
	const { effort, max_tokens: budget, enabled } = object(body.reasoning);
	const level = levelOf(body.reasoning_effort ?? effort);
	if (level) return { reasoning: level };
	if (typeof budget === "number") return budgetOf(budget);
	return enabled === true ? { reasoning: "medium" } : enabled === false ? { reasoning: "off" } : {};
}

function choiceOf(choice: unknown): ToolChoice | undefined {
	if (choice === "auto" || choice === "none" || choice === "required") return choice;
	const name = string(object(object(choice).function).name) || string(object(choice).name);
	return name === "" ? undefined : { name };
}

function formatOf({ type, json_schema: wanted }: Json): Extras["format"] {
	if (type === "json_object") return "json";
	if (type !== "json_schema") return undefined;
	const { name, schema } = object(wanted);
	return { name: string(name) || "answer", schema: object(schema) };
}

class Reader {
	readonly dropped: string[] = [];
	retention: CacheRetention | undefined;
	readonly #system: string[] = [];
	#hasBegun = false;
	readonly #toolNames = new Map<string, string>();
	/** Calls without an id, whose result is the next one. */
	#functionCalls = 0;

	get systemPrompt(): string | undefined {
		return this.#system.length > 0 ? this.#system.join("\n\n") : undefined;
	}

	tools(tools: unknown): Tool[] | undefined {
		const own = list(tools).flatMap((value): Tool[] => {
			const { type, function: fn } = object(value);
			if (!isObject(fn)) {
				this.dropped.push(`tools.${string(type)}`);
				return [];
			}
			return [
				{
					name: string(fn.name),
					description: string(fn.description),
					parameters: isObject(fn.parameters) ? fn.parameters : { type: "object", properties: {} },
					...(typeof fn.strict === "boolean" ? { strict: fn.strict } : {}),
				},
			];
		});
		return own.length > 0 ? own : undefined;
	}

	message(message: Json): Message[] {
		if (message.name !== undefined && message.role !== "function") this.dropped.push("messages.name");
		switch (message.role) {
			case "system":
			case "developer":
				return this.#instruct(message.content);
			case "user":
				this.#hasBegun = true;
				return this.#userMessages(this.#parts(message.content));
			case "assistant":
				this.#hasBegun = true;
				return [this.#answer(message)];
			case "tool":
			case "function": {
				const id = message.role === "tool" ? string(message.tool_call_id) : this.#functionId;
				return [resultOf(id, this.#toolNames.get(id) ?? string(message.name), this.#parts(message.content))];
			}
			default:
				throw new RequestProblem(`messages: "${string(message.role)}" is not a role`);
		}
	}

	/** Only the first ones are the system prompt: the others keep their place, as words of the user. */
	#instruct(content: unknown): Message[] {
		const parts = this.#parts(content);
		if (this.#hasBegun) {
			this.dropped.push("messages.role.system");
			return this.#userMessages(parts);
		}
		this.#system.push(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"));
		return [];
	}

	#userMessages(content: (TextContent | ImageContent)[]): Message[] {
		return content.length > 0 ? [{ role: "user", content, timestamp: 0 }] : [];
	}

	#parts(content: unknown): (TextContent | ImageContent)[] {
		if (typeof content === "string") return [{ type: "text", text: content }];
		return list(content)
			.map(object)
			.flatMap((part) => this.#part(part));
	}

	#part(part: Json): (TextContent | ImageContent)[] {
		// Gateways in front of Anthropic accept its marks, and so does this one.
		if (isObject(part.cache_control)) this.retention = part.cache_control.ttl === "1h" ? "long" : "short";
		if (part.type === "text") return [{ type: "text", text: string(part.text) }];
		const image = object(part.image_url);
		const found =
			part.type === "image_url"
				? (mediaOf(image.url) ?? linkedMedia(image.url, "image"))
				: mediaOf(object(part.file).file_data);
		const detail = textOf(image.detail);
		if (found) return [{ ...found, ...(detail ? { detail } : {}) }];
		this.dropped.push(`messages.${string(part.type)}`);
		return [];
	}

	#answer(message: Json): Message {
		const field = thinkingFields.find((name) => string(message[name]) !== "");
		const thought = field === undefined ? "" : string(message[field]);
		// Another's details can only go where they came from, which does not speak to us.
		const seals = list(message.reasoning_details).flatMap((detail) => unseal(object(detail).data) ?? []);
		const text = this.#parts(message.content)
			.flatMap((part) => (part.type === "text" ? [part.text] : []))
			.join("");
		const calls = list(message.tool_calls).map((call) => this.#call(object(call)));
		if (isObject(message.function_call)) {
			this.#functionCalls++;
			calls.push(this.#call({ id: this.#functionId, function: message.function_call }));
		}
		const parts: AnswerParts = { thought, text: text + string(message.refusal), calls };
		const hidden = seals.some(({ thoughts }) => thoughts);
		return restoredAnswer(arranged(parts, hidden, seals.find(({ layout }) => layout)?.layout), seals);
	}

	get #functionId(): string {
		return `call_function_${this.#functionCalls}`;
	}

	#call(call: Json): ToolCall {
		const fn = object(call.function);
		const [id, name] = [string(call.id), string(fn.name)];
		this.#toolNames.set(id, name);
		return { type: "toolCall", id, name, arguments: object(parseObject(string(fn.arguments))) };
	}
}

/** What this protocol has of an answer: the blocks of a kind are joined. */
interface AnswerParts {
	thought: string;
	text: string;
	calls: ToolCall[];
}

/** The blocks of an answer as the model wrote them. A client that changed its text gets the usual order. */
function arranged(
	{ thought, text, calls }: AnswerParts,
	hasThoughts: boolean,
	layout: Layout = [],
): AssistantContent[] {
	const chars = (type: string): number =>
		layout.reduce((sum, [kind, length]) => sum + (kind === type ? Number(length) : 0), 0);
	const fits =
		layout.length > 0 &&
		chars("text") === text.length &&
		(thought === "" || chars("thinking") === thought.length) &&
		layout.filter(([kind]) => kind === "toolCall").length === calls.length;
	if (!fits) {
		return [
			...(thought !== "" || hasThoughts ? [{ type: "thinking" as const, thinking: thought }] : []),
			...(text === "" ? [] : [{ type: "text" as const, text }]),
			...calls,
		];
	}
	let [thoughtAt, textAt] = [0, 0];
	return layout.flatMap(([kind, length]): AssistantContent[] => {
		if (kind === "toolCall") return calls.filter(({ id }) => id === length);
		const end = Number(length);
		if (kind === "text") return [{ type: "text", text: text.slice(textAt, (textAt += end)) }];
		return [{ type: "thinking", thinking: thought.slice(thoughtAt, (thoughtAt += end)) }];
	});
}
