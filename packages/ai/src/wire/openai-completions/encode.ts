/** Encodes a context as the body of an OpenAI Chat Completions request. */
import { isObject, list, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { cacheMark, cacheRetention } from "../cache.ts";
import { encodeToolOnce } from "../encode-once.ts";
import { objectSchema, strictSchema } from "../schema/index.ts";
import { encodeMessages, words } from "./messages.ts";
import { encodeThinking } from "./thinking.ts";
import { outputLimit } from "../thinking.ts";

/** OpenAI refuses longer keys. */
const cacheKeyChars = 64;

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { compat = {} } = model;
	const messages = [...encodeSystem(model, context), ...encodeMessages(model, context.messages)];
	const tools = (context.tools ?? []).map((tool) => encodeTool(model, tool));
	if (compat.cacheControlFormat === "anthropic") markPrefix(model, options, messages, tools);
	const { temperature, serviceTier } = options;
	const maxTokens = outputLimit(model, options);
	return {
		model: model.id,
		stream: true,
		messages,
		...(compat.supportsUsageInStreaming === false ? {} : { stream_options: { include_usage: true } }),
		...(compat.supportsStore ? { store: false, ...encodeCache(model, options) } : {}),
		...(maxTokens === undefined ? {} : { [compat.maxTokensField ?? "max_completion_tokens"]: maxTokens }),
		...(temperature === undefined || compat.supportsTemperature === false ? {} : { temperature }),
		...(tools.length > 0 ? { tools, ...encodeToolUse(model, options) } : {}),
		...encodeThinking(model, options),
		...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
		...(compat.openRouterRouting ? { provider: compat.openRouterRouting } : {}),
		...(compat.vercelGatewayRouting ? { providerOptions: { gateway: compat.vercelGatewayRouting } } : {}),
		...compat.extraBody,
	};
}

function encodeSystem(model: Model, context: Context): Json[] {
	if (!context.systemPrompt) return [];
	const { compat = {} } = model;
	const role = model.reasoning && compat.supportsDeveloperRole ? "developer" : "system";
	return [{ role, content: words(compat, context.systemPrompt) }];
}

/** Servers that are not known to have strict mode may refuse the flag. */
const encodeTool = encodeToolOnce((model, tool) => {
	const { name, description, parameters, strict: wantsStrict = true } = tool;
	const strict = wantsStrict && model.compat?.supportsStrictMode ? strictSchema(parameters) : undefined;
	const schema = strict ? { parameters: strict, strict: true } : { parameters: objectSchema(parameters) };
	return { type: "function", function: { name, description, ...schema } };
});

function encodeToolUse(model: Model, { toolChoice }: StreamOptions): Json {
	const { parallelTools, zaiToolStream } = model.compat ?? {};
	const choice =
		typeof toolChoice === "object" ? { type: "function", function: { name: toolChoice.name } } : toolChoice;
	return {
		...(choice === undefined ? {} : { tool_choice: choice }),
		...(parallelTools === false ? { parallel_tool_calls: false } : {}),
		...(zaiToolStream ? { tool_stream: true } : {}),
	};
}

/** OpenAI finds the prefix by itself; the key routes a conversation to the machine that has it. */
function encodeCache(model: Model, options: StreamOptions): Json {
	const retention = cacheRetention(model, options);
	if (retention === "none") return {};
	return {
		...(options.sessionId ? { prompt_cache_key: options.sessionId.slice(0, cacheKeyChars) } : {}),
		...(retention === "long" ? { prompt_cache_retention: "24h" } : {}),
	};
}

/**
 * Gateways in front of Anthropic accept its marks: on the system prompt, on the last tool, on the end of the
 * conversation and on its end one turn before, where the last request left its mark.
 */
function markPrefix(model: Model, options: StreamOptions, messages: Json[], tools: Json[]): void {
	const mark = cacheMark(model, options);
	if (!mark) return;
	const last = tools.at(-1);
	if (last && model.compat?.supportsCacheControlOnTools !== false) tools.splice(-1, 1, { ...last, ...mark });
	const isSystem = ({ role }: Json): boolean => role === "system" || role === "developer";
	const isAnswered = (at: number): boolean => (messages[at + 1]?.role ?? "assistant") === "assistant";
	const ends = messages.flatMap(({ role }, at) => (role !== "assistant" && isAnswered(at) ? [at] : []));
	const system = messages.flatMap((message, at) => (isSystem(message) ? [at] : []));
	// A message may be part of the next request, too, where it has no mark.
	for (const at of new Set([...system, ...ends.slice(-2)])) {
		const content = list(messages[at]?.content);
		const part = content.at(-1);
		if (isObject(part))
			messages[at] = { ...messages[at], content: [...content.slice(0, -1), { ...part, ...mark }] };
	}
}
