/** Encodes a context as the body of an Anthropic Messages request. */
import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions, Tool } from "../../types.ts";
import { cacheMark, type CacheMark } from "../cache.ts";
import { encodeToolOnce } from "../encode-once.ts";
import { objectSchema } from "../schema/index.ts";
import { markLast, type WireMessage } from "../turns.ts";
import { referencedTools } from "../tool-references.ts";
import { encodeMessages } from "./messages.ts";
import { isForced, thinkingOf, type Thinking } from "./thinking.ts";

/** The API has two tiers; the names of other vendors are mapped to the nearer one. */
const serviceTiers = new Map([
	["auto", "auto"],
	["priority", "auto"],
	["standard_only", "standard_only"],
	["default", "standard_only"],
]);

export function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { compat = {} } = model;
	const mark = cacheMark(model, options);
	const thinking = thinkingOf(model, options);
	const referenced = referencedTools(model, context);
	const messages = encodeMessages(model, context.messages, referenced);
	if (mark) markPrefix(messages, mark);
	const tools = encodeTools(model, context.tools ?? [], referenced, mark);
	const { temperature } = options;
	const serviceTier = serviceTiers.get(options.serviceTier ?? "");
	const userId = options.metadata?.user_id;
	return {
		model: model.id,
		max_tokens: thinking.maxTokens,
		stream: true,
		...(context.systemPrompt ? { system: [{ type: "text", text: context.systemPrompt, ...mark }] } : {}),
		messages,
		...(tools.length > 0 ? { tools, ...encodeChoice(model, options, thinking) } : {}),
		...thinking.fields,
		// The API refuses a temperature while it thinks, and the newest models refuse it always.
		...(temperature === undefined || thinking.on || compat.supportsTemperature === false
			? {}
			: { temperature }),
		...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
		...(typeof userId === "string" ? { metadata: { user_id: userId } } : {}),
		...compat.extraBody,
	};
}

function encodeTools(
	model: Model,
	tools: readonly Tool[],
	referenced: ReadonlySet<string>,
	mark: CacheMark | undefined,
): Json[] {
	const encoded = tools.map((tool) => {
		const plain = encodeTool(model, tool);
		return referenced.has(tool.name) ? { ...plain, defer_loading: true } : plain;
	});
	// A deferred tool is not cached, and accepts no mark.
	const last = tools.findLastIndex(({ name }) => !referenced.has(name));
	if (last < 0 || model.compat?.supportsCacheControlOnTools === false) return encoded;
	return encoded.with(last, { ...encoded[last], ...mark });
}

const encodeTool = encodeToolOnce((model, { name, description, parameters }) => ({
	name,
	description,
	input_schema: objectSchema(parameters),
	// Otherwise the input of a tool arrives in one piece at its end, minutes late for a long file.
	...(model.compat?.supportsEagerToolInputStreaming === false ? {} : { eager_input_streaming: true }),
}));

function encodeChoice(model: Model, options: StreamOptions, thinking: Thinking): Json {
	// A model that cannot stop thinking cannot be forced to use a tool either.
	const toolChoice = thinking.on && isForced(options) ? "auto" : options.toolChoice;
	const single = model.compat?.parallelTools === false ? { disable_parallel_tool_use: true } : {};
	if (toolChoice === "none") return { tool_choice: { type: "none" } };
	if (toolChoice === "required") return { tool_choice: { type: "any", ...single } };
	if (typeof toolChoice === "object")
		return { tool_choice: { type: "tool", name: toolChoice.name, ...single } };
	const isExplicit = toolChoice !== undefined || model.compat?.parallelTools === false;
	return isExplicit ? { tool_choice: { type: "auto", ...single } } : {};
}

/**
 * The conversation only grows at its end, so a mark on the last user block caches everything before the next turn.
 * The mark of the previous turn stays: the API searches only a few blocks back for an entry, and many concurrent
 * calls would put the last one out of its reach. Together with those of system prompt and tools these are four, the
 * API's maximum. Only user blocks are marked: thinking accepts no mark.
 */
function markPrefix(messages: WireMessage[], mark: CacheMark): void {
	markLast(messages, 2, (content) => [...content.slice(0, -1), { ...content.at(-1), ...mark }]);
}
