/** Parses the model lists of servers, each in its own format. */
import { isRecord } from "@tau/utils";

export interface ModelFacts {
	id: string;
	name?: string;
	contextWindow?: number;
	maxTokens?: number;
	reasoning?: boolean;
	images?: boolean;
	/** Dollars per million tokens. */
	cost?: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

/** The fields with the context size: OpenRouter and its kin, vLLM, LM Studio, llama.cpp, Venice, Anthropic, LiteLLM. */
const contextFields = [
	"context_length",
	"max_model_len",
	"max_context_length",
	"context_window",
	"meta.n_ctx",
	"meta.n_ctx_train",
	"model_spec.availableContextTokens",
	"max_input_tokens",
	"top_provider.context_length",
];
const outputFields = [
	"max_output_tokens",
	"max_completion_tokens",
	"top_provider.max_completion_tokens",
	"model_spec.maxCompletionTokens",
	"max_output_length",
];
const modalityFields = ["architecture.input_modalities", "input_modalities", "modalities.input"];
const visionFields = ["capabilities.vision", "model_spec.capabilities.supportsVision", "vision"];
const thinkingFields = ["capabilities.reasoning", "model_spec.capabilities.supportsReasoning", "reasoning"];
const parameterFields = ["supported_parameters", "supported_features"];
const nameFields = ["display_name", "model_spec.name", "name"];

/** Matches the kinds of models that are not for chat. */
const silent = /embed|rerank|image|audio|video|speech|transcri|moderation|tts|asr|upscale|inpaint|music/i;

/** Reads `{data: [{id}]}`, or Ollama's `{models: [{name}]}`. Any other shape comes from another program. */
export function readList(body: unknown): ModelFacts[] | undefined {
	const list = isRecord(body) ? (body.data ?? body.models) : body;
	if (!Array.isArray(list)) return undefined;
	return list.flatMap((entry: unknown) => readEntry(entry) ?? []);
}

/** Reads the facts that Ollama's `/api/show` adds. */
export function readOllamaModel(body: unknown): Omit<ModelFacts, "id"> & { canChat?: boolean } {
	const info = at(body, "model_info");
	const sizes = isRecord(info)
		? Object.entries(info).filter(([name]) => name.endsWith(".context_length"))
		: [];
	const contextWindow = size(sizes[0]?.[1]);
	const abilities = at(body, "capabilities");
	const can = (ability: string): boolean => Array.isArray(abilities) && abilities.includes(ability);
	return {
		...(contextWindow === undefined ? {} : { contextWindow }),
		...(Array.isArray(abilities)
			? { reasoning: can("thinking"), images: can("vision"), canChat: can("completion") || can("tools") }
			: {}),
	};
}

function readEntry(entry: unknown): ModelFacts | undefined {
	const id = at(entry, "id") ?? at(entry, "name") ?? at(entry, "model");
	const kind = at(entry, "type") ?? at(entry, "object");
	if (typeof id !== "string" || id.trim() === "" || (typeof kind === "string" && silent.test(kind))) {
		return undefined;
	}
	const name = first(nameFields, entry, (value) =>
		typeof value === "string" && value !== id ? value : undefined,
	);
	const contextWindow = first(contextFields, entry, size);
	const maxTokens = first(outputFields, entry, size);
	const images = seesImages(entry);
	const reasoning = thinks(entry);
	const cost = prices(entry);
	return {
		id,
		...(name === undefined ? {} : { name }),
		...(contextWindow === undefined ? {} : { contextWindow }),
		...(maxTokens === undefined ? {} : { maxTokens }),
		...(images === undefined ? {} : { images }),
		...(reasoning === undefined ? {} : { reasoning }),
		...(cost === undefined ? {} : { cost }),
	};
}

function seesImages(entry: unknown): boolean | undefined {
	if (at(entry, "type") === "vlm") return true;
	const modalities = first(modalityFields, entry, (value) => (Array.isArray(value) ? value : undefined));
	return modalities ? modalities.includes("image") : first(visionFields, entry, flag);
}

function thinks(entry: unknown): boolean | undefined {
	const parameters = first(parameterFields, entry, (value) => (Array.isArray(value) ? value : undefined));
	if (parameters) return parameters.includes("reasoning") || parameters.includes("reasoning_effort");
	return first(thinkingFields, entry, flag);
}

/** Reads OpenRouter's prices, a format that others adopted: dollars per token, as text. */
function prices(entry: unknown): ModelFacts["cost"] {
	const price = (field: string): number | undefined => {
		const value = at(entry, `pricing.${field}`);
		const number = typeof value === "string" ? Number.parseFloat(value.replace(/^\$/, "")) : Number.NaN;
		return Number.isFinite(number) && number >= 0 ? Number((number * 1_000_000).toFixed(6)) : undefined;
	};
	const input = price("prompt");
	const output = price("completion");
	if (input === undefined || output === undefined) return undefined;
	return {
		input,
		output,
		cacheRead: price("input_cache_read") ?? 0,
		cacheWrite: price("input_cache_write") ?? 0,
	};
}

function first<T>(
	fields: readonly string[],
	entry: unknown,
	read: (value: unknown) => T | undefined,
): T | undefined {
	for (const field of fields) {
		const value = read(at(entry, field));
		if (value !== undefined) return value;
	}
	return undefined;
}

function size(value: unknown): number | undefined {
	return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
	return typeof value === "boolean" ? value : undefined;
}

function at(value: unknown, path: string): unknown {
	let current = value;
	for (const name of path.split(".")) {
		if (!isRecord(current)) return undefined;
		current = Object.hasOwn(current, name) ? current[name] : undefined;
	}
	return current;
}
