/** Encodes a context as the body of a Responses request: the parts that all variants share. */
import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { cacheRetention } from "../cache.ts";
import { encodeToolOnce } from "../encode-once.ts";
import { objectSchema, strictSchema } from "../schema/index.ts";
import { outputLimit, wireLevel } from "../thinking.ts";
import { limits } from "./limits.ts";

/** The fields that every server of the family accepts. */
export function sharedBody(model: Model, context: Context, options: StreamOptions): Json {
	const { serviceTier, sessionId } = options;
	return {
		model: model.id,
		stream: true,
		...encodeTools(model, context.tools ?? [], options),
		...encodeReasoning(model, options),
		...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
		...(sessionId && cacheRetention(model, options) !== "none"
			? { prompt_cache_key: sessionId.slice(0, limits.cacheKeyChars) }
			: {}),
	};
}

/** Additional fields of the public API. */
export function platformBody(model: Model, context: Context, options: StreamOptions): Json {
	const { compat = {} } = model;
	const { temperature, metadata } = options;
	const maxTokens = outputLimit(model, options);
	return {
		...sharedBody(model, context, options),
		...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(limits.leastOutputTokens, maxTokens) }),
		// Models that reason refuse a temperature, unless their data says otherwise.
		...(temperature !== undefined && (compat.supportsTemperature ?? !model.reasoning) ? { temperature } : {}),
		...(cacheRetention(model, options) === "long" ? { prompt_cache_retention: "24h" } : {}),
		...(metadata ? { metadata: encodeMetadata(metadata) } : {}),
	};
}

/** A message instead of `instructions`, which some servers of the family do not read. */
export function encodeSystem(model: Model, { systemPrompt }: Context): Json[] {
	if (!systemPrompt) return [];
	const role = model.reasoning && model.compat?.supportsDeveloperRole !== false ? "developer" : "system";
	return [{ type: "message", role, content: [{ type: "input_text", text: systemPrompt }] }];
}

const encodeTool = encodeToolOnce((model, { name, description, parameters, strict }) => ({
	type: "function",
	name,
	description,
	...encodeParameters(parameters, model.compat?.supportsStrictMode, strict),
}));

function encodeTools(
	model: Model,
	tools: NonNullable<Context["tools"]>,
	{ toolChoice }: StreamOptions,
): Json {
	if (tools.length === 0) return {};
	const { compat = {} } = model;
	const choice = typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice;
	return {
		tools: tools.map((tool) => encodeTool(model, tool)),
		...(choice === undefined ? {} : { tool_choice: choice }),
		...(compat.parallelTools === undefined ? {} : { parallel_tool_calls: compat.parallelTools }),
	};
}

/** Without the flag this API makes every schema strict by itself, and refuses those that it cannot. */
function encodeParameters(
	parameters: Json,
	supportsStrict: boolean | undefined,
	wantsStrict: boolean | undefined = supportsStrict,
): Json {
	const strict = wantsStrict && supportsStrict !== false ? strictSchema(parameters) : undefined;
	if (strict) return { parameters: strict, strict: true };
	return { parameters: objectSchema(parameters), ...(supportsStrict === false ? {} : { strict: false }) };
}

function encodeReasoning(model: Model, { reasoning: level }: StreamOptions): Json {
	if (!model.reasoning) return {};
	const effort = model.compat?.supportsReasoningEffort === false ? undefined : wireLevel(model, level);
	const thinks = level !== undefined && level !== "off";
	return {
		...(effort === undefined ? {} : { reasoning: { effort, ...(thinks ? { summary: "auto" } : {}) } }),
		// The reasoning is returned to be sent back with the next request; models that do not reason refuse this.
		include: ["reasoning.encrypted_content"],
	};
}

/** Names and values must be short strings, or the request is refused. */
function encodeMetadata(metadata: Record<string, unknown>): Json {
	const pairs = Object.entries(metadata).flatMap(([name, value]) => {
		const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
		if (typeof text !== "string") return [];
		return [[name.slice(0, limits.metadataNameChars), text.slice(0, limits.metadataValueChars)] as const];
	});
	return Object.fromEntries(pairs.slice(0, limits.metadataPairs));
}
