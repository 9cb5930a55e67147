/** Puts what a client asks for beyond our own options into the body of a request, in the words of its protocol. */
import { isObject, object, type Json } from "../../json.ts";
import type { Api, Model, StreamOptions } from "../../types.ts";
import { strictSchema } from "../schema/index.ts";
import type { Extras } from "./types.ts";

type Name = keyof Extras;
type Write = (payload: Json, value: never) => void;

/** How a protocol says each of them: by a field of the same value, or in another form. */
type Fields = Readonly<Partial<Record<Name, string | Write>>>;

const protocols: Readonly<Record<string, Fields>> = {
	"anthropic-messages": {
		stop: "stop_sequences",
		topP: "top_p",
		topK: "top_k",
		parallelTools: (payload) => {
			const choice = isObject(payload.tool_choice) ? payload.tool_choice : { type: "auto" };
			if (payload.tools) payload.tool_choice = { ...choice, disable_parallel_tool_use: true };
		},
		format: (payload, format: Extras["format"]) => {
			const schema = typeof format === "object" ? format.schema : { type: "object" };
			const wanted = { type: "json_schema", schema: strictSchema(schema) ?? schema };
			payload.output_config = { ...object(payload.output_config), format: wanted };
		},
	},
	"openai-completions": {
		stop: "stop",
		topP: "top_p",
		seed: "seed",
		presencePenalty: "presence_penalty",
		frequencyPenalty: "frequency_penalty",
		parallelTools: (payload, value: boolean) => {
			if (payload.tools) payload.parallel_tool_calls = value;
		},
		format: (payload, format: NonNullable<Extras["format"]>) => {
			payload.response_format =
				format === "json" ? { type: "json_object" } : { type: "json_schema", json_schema: named(format) };
		},
	},
	"openai-responses": responsesFields({ topP: "top_p" }),
	"azure-openai-responses": responsesFields({ topP: "top_p" }),
	// The service for subscriptions refuses all sampling.
	"openai-codex-responses": responsesFields({}),
	"google-generative-ai": googleFields(),
	"google-vertex": googleFields(),
	"bedrock-converse-stream": {
		stop: (payload, stop: unknown) => inside(payload, "inferenceConfig", { stopSequences: stop }),
		topP: (payload, topP: unknown) => inside(payload, "inferenceConfig", { topP }),
	},
	"ollama-chat": {
		stop: (payload, stop: unknown) => inside(payload, "options", { stop }),
		topP: (payload, value: unknown) => inside(payload, "options", { top_p: value }),
		topK: (payload, value: unknown) => inside(payload, "options", { top_k: value }),
		seed: (payload, seed: unknown) => inside(payload, "options", { seed }),
		format: (payload, format: Extras["format"]) => {
			payload.format = typeof format === "object" ? format.schema : "json";
		},
	},
};

/** Names of extras in the words of most clients, for the list of what was dropped. */
const words: Readonly<Record<Name, string>> = {
	stop: "stop",
	topP: "top_p",
	topK: "top_k",
	seed: "seed",
	presencePenalty: "presence_penalty",
	frequencyPenalty: "frequency_penalty",
	parallelTools: "parallel_tool_calls",
	format: "response_format",
};

/** What the protocol has no words for. */
export function unsupportedExtras(api: Api, extras: Extras): string[] {
	const known = protocols[api] ?? {};
	return present(extras).flatMap(([name]) => (known[name] === undefined ? [words[name]] : []));
}

/** Changes the payload. */
export function addExtras(api: Api, extras: Extras, payload: Json): void {
	for (const [name, value] of present(extras)) {
		const field = protocols[api]?.[name];
		if (typeof field === "string") payload[field] = value;
		else field?.(payload, value as never);
	}
}

type Options = Pick<StreamOptions, "temperature" | "maxTokens" | "serviceTier" | "reasoning">;

/** The fields of our options in the bodies of all protocols, at their top or one step below. */
const optionFields: Readonly<Record<keyof Options, readonly string[]>> = {
	temperature: ["temperature"],
	maxTokens: [
		"max_tokens",
		"max_completion_tokens",
		"max_output_tokens",
		"maxOutputTokens",
		"maxTokens",
		"num_predict",
	],
	serviceTier: ["service_tier", "serviceTier"],
	reasoning: [],
};

/** The options that are not in a payload: its protocol, its model or another option does not allow them. */
export function leftOut({ reasoning }: Model, options: Options, payload: Json): string[] {
	const places = [payload, payload.generationConfig, payload.inferenceConfig, payload.options].map(object);
	const has = (name: keyof Options): boolean =>
		options[name] === undefined || places.some((place) => optionFields[name].some((field) => field in place));
	return [
		...(has("temperature") ? [] : ["temperature"]),
		...(has("maxTokens") ? [] : ["max_tokens"]),
		...(has("serviceTier") ? [] : ["service_tier"]),
		...(reasoning || (options.reasoning ?? "off") === "off" ? [] : ["reasoning"]),
	];
}

function present(extras: Extras): [Name, unknown][] {
	return Object.entries(extras).filter(([, value]) => value !== undefined) as [Name, unknown][];
}

function responsesFields(more: Fields): Fields {
	return {
		...more,
		parallelTools: (payload: Json, value: boolean) => {
			if (payload.tools) payload.parallel_tool_calls = value;
		},
		format: (payload: Json, format: NonNullable<Extras["format"]>) => {
			const wanted = format === "json" ? { type: "json_object" } : { type: "json_schema", ...named(format) };
			inside(payload, "text", { format: wanted });
		},
	};
}

function googleFields(): Fields {
	const config =
		(field: string): Write =>
		(payload: Json, value: unknown) =>
			inside(payload, "generationConfig", { [field]: value });
	return {
		stop: config("stopSequences"),
		topP: config("topP"),
		topK: config("topK"),
		seed: config("seed"),
		presencePenalty: config("presencePenalty"),
		frequencyPenalty: config("frequencyPenalty"),
		format: (payload: Json, format: NonNullable<Extras["format"]>) =>
			inside(payload, "generationConfig", {
				responseMimeType: "application/json",
				...(format === "json" ? {} : { responseJsonSchema: format.schema }),
			}),
	};
}

function named({ name, schema }: Exclude<NonNullable<Extras["format"]>, "json">): Json {
	const strict = strictSchema(schema);
	return { name, schema: strict ?? schema, strict: strict !== undefined };
}

function inside(payload: Json, field: string, values: Json): void {
	payload[field] = { ...object(payload[field]), ...values };
}
