/** Encodes a context as the body of a ConverseStream request. */
import { object, string, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions, Tool } from "../../types.ts";
import {
	interleavedThinking,
	thinkingOf as anthropicThinkingOf,
	wantsInterleaving,
	type Thinking,
} from "../anthropic-messages/thinking.ts";
import { cacheRetention } from "../cache.ts";
import { objectSchema } from "../schema/index.ts";
import { outputTokens, wireLevel } from "../thinking.ts";
import { markLast, type WireMessage } from "../turns.ts";
import { encodeMessages } from "./messages.ts";

/** Tiers of other vendors without a name here mean the default one. */
const serviceTiers: ReadonlySet<string> = new Set(["default", "flex", "priority", "reserved"]);

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { compat = {} } = model;
	const { temperature, serviceTier = "" } = options;
	const point = cachePoint(model, options);
	const messages = encodeMessages(model, context.messages);
	const toolConfig = encodeTools(model, context.tools ?? [], messages, options, point);
	if (point) markPrefix(messages, point);
	const thinking = thinkingOf(model, context, options);
	const hasTemperature = temperature !== undefined && !thinking.on && compat.supportsTemperature !== false;
	return {
		...(context.systemPrompt ? { system: [{ text: context.systemPrompt }, ...(point ? [point] : [])] } : {}),
		messages,
		inferenceConfig: { maxTokens: thinking.maxTokens, ...(hasTemperature ? { temperature } : {}) },
		...(toolConfig ? { toolConfig } : {}),
		...(Object.keys(thinking.fields).length > 0 ? { additionalModelRequestFields: thinking.fields } : {}),
		...(serviceTiers.has(serviceTier) ? { serviceTier: { type: serviceTier } } : {}),
		...compat.extraBody,
	};
}

/** A model without a price for cache writes accepts no cache points: it refuses them, or caches by itself. */
function cachePoint(model: Model, options: StreamOptions): Json | undefined {
	const retention = cacheRetention(model, options);
	if (retention === "none" || model.cost.cacheWrite <= 0) return undefined;
	return { cachePoint: { type: "default", ...(retention === "long" ? { ttl: "1h" } : {}) } };
}

/** The API cannot forbid tools, and refuses calls in the conversation without the tools that they call. */
function encodeTools(
	model: Model,
	tools: readonly Tool[],
	messages: readonly WireMessage[],
	{ toolChoice }: StreamOptions,
	point: Json | undefined,
): Json | undefined {
	const called = calledTools(messages);
	const offered = toolChoice === "none" && called.size === 0 ? [] : tools;
	const specs = offered.map(encodeTool);
	if (specs.length === 0)
		specs.push(...[...called].map((name) => encodeTool({ name, description: "", parameters: {} })));
	if (specs.length === 0) return undefined;
	const isMarked = point !== undefined && model.compat?.supportsCacheControlOnTools !== false;
	const choice = offered.length === 0 ? undefined : encodeChoice(toolChoice);
	return { tools: isMarked ? [...specs, point] : specs, ...(choice ? { toolChoice: choice } : {}) };
}

function encodeTool({ name, description, parameters }: Tool): Json {
	// The API refuses an empty description.
	const described = description.trim() === "" ? {} : { description };
	return { toolSpec: { name, ...described, inputSchema: { json: objectSchema(parameters) } } };
}

function encodeChoice(choice: StreamOptions["toolChoice"]): Json | undefined {
	if (choice === "auto") return { auto: {} };
	if (choice === "required") return { any: {} };
	return typeof choice === "object" ? { tool: { name: choice.name } } : undefined;
}

function calledTools(messages: readonly WireMessage[]): Set<string> {
	const names = messages.flatMap(({ content }) => content.map((block) => string(object(block.toolUse).name)));
	return new Set(names.filter((name) => name !== ""));
}

/**
 * The conversation only grows at its end, so a point after the last prompt caches everything before the next turn.
 * The point of the previous turn stays: the model searches only a few blocks back for an entry. Together with those
 * of system prompt and tools these are four, the API's maximum.
 */
function markPrefix(messages: WireMessage[], point: Json): void {
	markLast(messages, 2, (content) => [...content, point]);
}

/** Anthropic's fields, unless the model's data says that it takes an effort as OpenAI's models do, or nothing. */
function thinkingOf(model: Model, context: Context, options: StreamOptions): Thinking {
	const { thinkingFormat, supportsReasoningEffort } = model.compat ?? {};
	const maxTokens = outputTokens(model, options);
	if (supportsReasoningEffort === false) return { on: false, maxTokens, fields: {} };
	if (thinkingFormat === "openai") {
		const effort = wireLevel(model, options.reasoning);
		return { on: false, maxTokens, fields: effort === undefined ? {} : { reasoning_effort: effort } };
	}
	const thinking = anthropicThinkingOf(model, options);
	if (!wantsInterleaving(model, context, options)) return thinking;
	return { ...thinking, fields: { ...thinking.fields, anthropic_beta: [interleavedThinking] } };
}
