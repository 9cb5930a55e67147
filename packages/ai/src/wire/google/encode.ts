/** Encodes a context as the body of a Google `generateContent` request. */
import { isObject, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions, Tool, ToolChoice } from "../../types.ts";
import { conversationFor } from "../conversation.ts";
import { googleParameters } from "../schema/google.ts";
import { outputLimit, outputTokens } from "../thinking.ts";
import { encodeContents } from "./contents.ts";
import { encodeThinking } from "./thinking.ts";

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { systemPrompt, messages, tools = [] } = context;
	const generationConfig = encodeGeneration(model, options);
	const body: Json = {
		...(systemPrompt ? { systemInstruction: { parts: [{ text: systemPrompt }] } } : {}),
		contents: encodeContents(model, conversationFor(model, messages)),
		...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(encodeTool) }] } : {}),
		...(tools.length > 0 ? encodeChoice(options.toolChoice) : {}),
		...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
		...(options.serviceTier === undefined ? {} : { serviceTier: options.serviceTier }),
	};
	return withExtra(body, model.compat?.extraBody ?? {});
}

/** Vertex also supports billing by label. */
export function encodeVertex(model: Model, context: Context, options: StreamOptions): Json {
	const labels = labelsOf(options.metadata);
	const body = encode(model, context, options);
	return labels ? { labels, ...body } : body;
}

function encodeTool({ name, description, parameters }: Tool): Json {
	return { name, description, ...googleParameters(parameters) };
}

/** The server chooses by itself by default. */
function encodeChoice(choice: ToolChoice | undefined): Json {
	if (choice === undefined || choice === "auto") return {};
	const functionCallingConfig =
		typeof choice === "object"
			? { mode: "ANY", allowedFunctionNames: [choice.name] }
			: { mode: choice === "none" ? "NONE" : "ANY" };
	return { toolConfig: { functionCallingConfig } };
}

function encodeGeneration(model: Model, options: StreamOptions): Json {
	const maxTokens = outputTokens(model, options);
	const thinkingConfig = encodeThinking(model, options, maxTokens);
	return {
		...(outputLimit(model, options) === undefined ? {} : { maxOutputTokens: maxTokens }),
		...(options.temperature === undefined ? {} : { temperature: options.temperature }),
		...(thinkingConfig ? { thinkingConfig } : {}),
	};
}

/** Google's settings are nested, and an extra one there must not replace the others. */
function withExtra(body: Json, extra: Json): Json {
	const out: Json = { ...body };
	for (const [field, value] of Object.entries(extra)) {
		const before = out[field];
		out[field] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
	}
	return out;
}

/** An invalid label by the rules of Google Cloud would fail the request. */
function labelsOf(metadata: Record<string, unknown> | undefined): Record<string, string> | undefined {
	const labels: Record<string, string> = {};
	for (const [name, value] of Object.entries(metadata ?? {})) {
		const isLabel = /^[a-z][a-z0-9_-]{0,62}$/.test(name);
		if (isLabel && typeof value === "string" && /^[a-z0-9_-]{0,63}$/.test(value)) labels[name] = value;
	}
	return Object.keys(labels).length > 0 ? labels : undefined;
}
