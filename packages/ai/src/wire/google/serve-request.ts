/** Reads a client's Gemini `generateContent` request; the address has named the model, and whether it is streamed. */
import { isObject, list, object, string, type Json } from "../../json.ts";
import type {
	AssistantContent,
	ImageContent,
	JsonSchema,
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
import { restoredAnswer, restoredThinking, unseal, type Sealed } from "../serving/seal.ts";
import type { ServedRequest, Extras } from "../serving/types.ts";
import { limits } from "../schema/limits.ts";

const known = [
	"model",
	"stream",
	"contents",
	"systemInstruction",
	"tools",
	"toolConfig",
	"generationConfig",
	"serviceTier",
];
const knownConfig = [
	"temperature",
	"topP",
	"topK",
	"maxOutputTokens",
	"stopSequences",
	"seed",
	"presencePenalty",
	"frequencyPenalty",
	"responseMimeType",
	"responseSchema",
	"responseJsonSchema",
	"thinkingConfig",
	"candidateCount",
];

export function readRequest(given: Json): ServedRequest {
	const body = camelFields(given);
	const reader = new Reader();
	const messages = messagesOf(body, "contents").flatMap((content) => reader.content(content));
	const config = object(body.generationConfig);
	const thinking = object(config.thinkingConfig);
	const dropped = [...unknownFields(body, known), ...unknownFields(config, knownConfig, "generationConfig.")];
	if (Number(config.candidateCount) > 1) dropped.push("generationConfig.candidateCount");
	const tools = reader.tools(body.tools);
	const calling = object(object(body.toolConfig).functionCallingConfig);
	const toolChoice = choiceOf(calling);
	if (calling.mode !== undefined && !toolChoice) dropped.push("toolConfig.mode");
	if (list(calling.allowedFunctionNames).length > 1) dropped.push("toolConfig.allowedFunctionNames");
	return {
		model: modelOf(body),
		stream: body.stream === true,
		context: present({ systemPrompt: reader.system(body.systemInstruction), messages, tools }),
		options: present({
			maxTokens: numberOf(config.maxOutputTokens),
			temperature: numberOf(config.temperature),
			...thinkingOf(thinking),
			toolChoice,
			serviceTier: textOf(body.serviceTier),
		}),
		extras: present<Extras>({
			stop: stringsOf(config.stopSequences),
			topP: numberOf(config.topP),
			topK: numberOf(config.topK),
			seed: numberOf(config.seed),
			presencePenalty: numberOf(config.presencePenalty),
			frequencyPenalty: numberOf(config.frequencyPenalty),
			format: formatOf(config),
		}),
		dropped: [...reader.dropped, ...dropped],
		wantsUsage: true,
		...(thinking.includeThoughts === true ? {} : { hidesThoughts: true }),
	};
}

/** The API takes the names of its fields in both spellings. */
function camelFields(body: Json): Json {
	const named = {
		systemInstruction: body.system_instruction,
		generationConfig: body.generation_config,
		toolConfig: body.tool_config,
	};
	const { system_instruction: _, generation_config: __, tool_config: ___, ...rest } = body;
	return { ...present<Json>(named), ...rest };
}

function thinkingOf({
	thinkingLevel,
	thinkingBudget,
}: Json): Pick<ServedRequest["options"], "reasoning" | "thinkingBudgets"> {
	const reasoning = levelOf(thinkingLevel);
	if (reasoning) return { reasoning };
	// A negative number leaves it to the model.
	return typeof thinkingBudget === "number" && thinkingBudget >= 0 ? budgetOf(thinkingBudget) : {};
}

function choiceOf({ mode, allowedFunctionNames }: Json): ToolChoice | undefined {
	const [only, ...others] = list(allowedFunctionNames);
	if (mode === "ANY") return typeof only === "string" && others.length === 0 ? { name: only } : "required";
	return mode === "NONE" ? "none" : mode === "AUTO" ? "auto" : undefined;
}

function formatOf(config: Json): Extras["format"] {
	if (config.responseMimeType !== "application/json") return undefined;
	const schema = isObject(config.responseJsonSchema)
		? config.responseJsonSchema
		: isObject(config.responseSchema)
			? plainSchema(config.responseSchema)
			: undefined;
	return schema ? { name: "answer", schema } : "json";
}

/** Google's own dialect of schemas writes types in capitals, and has a word of its own for `null`. */
function plainSchema(schema: Json, depth = 0): JsonSchema {
	if (depth > limits.depth) return {};
	const out: Json = {};
	for (const [name, value] of Object.entries(schema)) {
		if (name === "type" && typeof value === "string") out.type = value.toLowerCase();
		else if (name === "properties" && isObject(value))
			out.properties = Object.fromEntries(
				Object.entries(value).map(([key, each]) => [key, plainSchema(object(each), depth + 1)]),
			);
		else if (name === "items" && isObject(value)) out.items = plainSchema(value, depth + 1);
		else if (name === "anyOf") out.anyOf = list(value).map((each) => plainSchema(object(each), depth + 1));
		else if (name !== "nullable" && name !== "propertyOrdering") out[name] = value;
	}
	if (schema.nullable === true && typeof out.type === "string") out.type = [out.type, "null"];
	return out;
}

class Reader {
	readonly dropped: string[] = [];
	/** Calls that wait for their results, in order: most clients send no ids. */
	#calls: { id: string; name: string }[] = [];
	#count = 0;

	system(instruction: unknown): string | undefined {
		if (typeof instruction === "string") return instruction || undefined;
		const texts = list(object(instruction).parts).map((part) => string(object(part).text));
		return texts.join("\n\n") || undefined;
	}

	tools(tools: unknown): Tool[] | undefined {
		const own = list(tools)
			.map(object)
			.flatMap((tool): Tool[] => {
				const declared = list(tool.functionDeclarations ?? tool.function_declarations).map(object);
				for (const name of unknownFields(tool, ["functionDeclarations", "function_declarations"]))
					this.dropped.push(`tools.${name}`);
				return declared.map(({ name, description, parameters, parametersJsonSchema }) => ({
					name: string(name),
					description: string(description),
					parameters: isObject(parametersJsonSchema)
						? parametersJsonSchema
						: { type: "object", properties: {}, ...plainSchema(object(parameters)) },
				}));
			});
		return own.length > 0 ? own : undefined;
	}

	content({ role, parts }: Json): Message[] {
		const all = list(parts).map(object);
		if (role === "model") return [this.#answer(all)];
		const results = all.flatMap((part) =>
			isObject(part.functionResponse) ? [this.#result(part.functionResponse)] : [],
		);
		const content = all.flatMap((part) => (isObject(part.functionResponse) ? [] : this.#part(part)));
		return content.length > 0 ? [...results, { role: "user", content, timestamp: 0 }] : results;
	}

	#part(part: Json): (TextContent | ImageContent)[] {
		if (typeof part.text === "string") return [{ type: "text", text: part.text }];
		const inline = object(part.inlineData ?? part.inline_data);
		if (typeof inline.data === "string") return [media(inline.mimeType ?? inline.mime_type, inline.data)];
		const file = object(part.fileData ?? part.file_data);
		const linked = linkedMedia(file.fileUri ?? file.file_uri, "file", file.mimeType ?? file.mime_type);
		if (linked) return [linked];
		this.dropped.push(...unknownFields(part, [], "contents."));
		return [];
	}

	#result({ id, name, response, parts }: Json): Message {
		const at = this.#calls.findIndex((call) =>
			typeof id === "string" ? call.id === id : call.name === name,
		);
		const [call] = at < 0 ? [] : this.#calls.splice(at, 1);
		const { output, error, result } = object(response);
		const value = error ?? output ?? result ?? response;
		const text = typeof value === "string" ? value : JSON.stringify(value ?? {});
		const shown = list(parts).flatMap((part) => this.#part(object(part)));
		return resultOf(
			call?.id ?? string(id),
			call?.name ?? string(name),
			[{ type: "text", text }, ...shown],
			error !== undefined,
		);
	}

	#answer(parts: readonly Json[]): Message {
		const seals: Sealed[] = [];
		const content: AssistantContent[] = [];
		for (const part of joined(parts)) {
			const sealed = unseal(part.thoughtSignature);
			if (sealed) seals.push(sealed);
			if (part.thought === true) {
				content.push(...restoredThinking(string(part.text), part.thoughtSignature, []));
			} else if (isObject(part.functionCall)) content.push(this.#call(part.functionCall, sealed));
			else if (typeof part.text === "string") {
				const signature = sealed?.texts?.[0];
				content.push({ type: "text", text: part.text, ...(signature ? { textSignature: signature } : {}) });
			} else this.dropped.push(...unknownFields(part, ["thoughtSignature"], "contents."));
		}
		// Each part has its own seal here, so that none is applied by its order.
		return restoredAnswer(
			content,
			seals.map(({ provider, model }) => ({ provider, model })),
		);
	}

	#call(call: Json, sealed: Sealed | undefined): AssistantContent {
		const id = textOf(call.id) ?? `call_${this.#count++}`;
		const name = string(call.name);
		this.#calls.push({ id, name });
		const signature = sealed?.calls?.[id] ?? Object.values(sealed?.calls ?? {})[0];
		return {
			type: "toolCall",
			id,
			name,
			arguments: object(call.args),
			...(signature ? { thoughtSignature: signature } : {}),
		};
	}
}

/** A client sends an answer back in the pieces of its stream: the pieces of a block end with its signature. */
function joined(parts: readonly Json[]): Json[] {
	const out: Json[] = [];
	for (const part of parts) {
		const last = out.at(-1);
		const isPiece = typeof part.text === "string" && typeof last?.text === "string";
		if (last && isPiece && (last.thought === true) === (part.thought === true) && !last.thoughtSignature) {
			last.text = string(last.text) + string(part.text);
			if (part.thoughtSignature) last.thoughtSignature = part.thoughtSignature;
		} else if (part.text !== "" || part.thoughtSignature) out.push({ ...part });
	}
	return out;
}
