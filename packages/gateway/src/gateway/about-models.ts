/** What clients ask about models without asking them: their list, and the tokens of a request, in each vendor's form. */
import {
	addCost,
	failure,
	type AssistantContent,
	type AssistantMessage,
	type ImageContent,
	type Message,
	type Model,
	type TextContent,
	type Usage,
} from "@tau/ai";
import { object, RequestProblem, type Json, type ServedProtocol } from "@tau/ai/serving";

import type { MostUse } from "../keys/index.ts";
import type { Exchange } from "./attempts.ts";
import { failureResponse } from "./failures.ts";
import { decoded } from "./routes.ts";

/** Undefined for an address that is no list. */
export function modelList(
	request: Request,
	pathname: string,
	models: readonly Model[],
): Response | undefined {
	const [, version, name] = /^\/(v1beta|v1)\/models(?:\/(.+))?$/.exec(pathname) ?? [];
	if (request.method !== "GET" || version === undefined) return undefined;
	const form = version === "v1beta" ? google : request.headers.has("anthropic-version") ? anthropic : openai;
	if (name === undefined) return Response.json(form.list(models));
	const wanted = decoded(name);
	const model = models.find(({ provider, id }) => wanted === `${provider}/${id}` || wanted === id);
	return model && Response.json(form.one(model));
}

interface ListForm {
	one(model: Model): object;
	list(models: readonly Model[]): object;
}

const openai: ListForm = {
	one: (model) => ({ id: nameOf(model), object: "model", created: 0, owned_by: model.provider }),
	list: (models) => ({ object: "list", data: models.map(openai.one) }),
};

const anthropic: ListForm = {
	one: (model) => ({
		type: "model",
		id: nameOf(model),
		display_name: model.name,
		created_at: "1970-01-01T00:00:00Z",
	}),
	list: (models) => {
		const data = models.map(anthropic.one);
		const ends = [models[0], models.at(-1)].map((model) => (model ? nameOf(model) : null));
		return { data, has_more: false, first_id: ends[0], last_id: ends[1] };
	},
};

const google: ListForm = {
	one: (model) => ({
		name: `models/${nameOf(model)}`,
		displayName: model.name,
		inputTokenLimit: model.contextWindow,
		outputTokenLimit: model.maxTokens,
		supportedGenerationMethods: ["generateContent", "countTokens"],
	}),
	list: (models) => ({ models: models.map(google.one) }),
};

/** As clients and keys name it. */
export function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

/** Text in most languages and code have about this many characters in a token. */
const charsPerToken = 4;
/** What most vendors count for an image of usual size. */
const imageTokens = 1500;

/** For a model whose provider is not asked: by estimate, which the answer says. */
export function estimateTokens(protocol: ServedProtocol, body: Json): Response {
	try {
		// A count has no limit of its own.
		const { context } = protocol.request({ max_tokens: 1, ...body });
		const tools = JSON.stringify(context.tools ?? []).length;
		const text = (context.systemPrompt?.length ?? 0) + tools;
		const tokens =
			Math.ceil(text / charsPerToken) + context.messages.reduce((sum, each) => sum + tokensOf(each), 0);
		const count = protocol.api === "anthropic-messages" ? { input_tokens: tokens } : { totalTokens: tokens };
		return Response.json(count, { headers: { "x-tau-estimated": "true" } });
	} catch (error) {
		if (!(error instanceof RequestProblem)) throw error;
		return failureResponse(protocol, failure("invalid_request", error.message));
	}
}

/** What a request uses at most, about: by its length and the longest answer that it allows. */
export function mostUse({ cost, maxTokens }: Model, chars: number, body: Json): MostUse {
	const { max_tokens, max_completion_tokens, max_output_tokens } = body;
	const [inConfig, inOptions] = [object(body.generationConfig), object(body.options)];
	const wanted = [
		max_tokens,
		max_completion_tokens,
		max_output_tokens,
		inConfig.maxOutputTokens,
		inOptions.maxTokens,
	].find((value) => typeof value === "number" && value >= 0);
	const input = chars / charsPerToken;
	const output = Math.min(Number(wanted ?? maxTokens), maxTokens);
	const dollars = (input * Math.max(cost.input, cost.cacheWrite) + output * cost.output) / 1e6;
	return { cost: dollars, tokens: input + output };
}

/**
 * What an answer used. A stream that was cut has no counts, or those of its beginning, and some providers send none:
 * the tokens that are missing are estimated, so that no limit is passed by leaving before the end.
 */
export function countedUsage(
	{ model, text }: Pick<Exchange, "model" | "text">,
	message: AssistantMessage,
	isCut: boolean,
): Usage {
	const { usage, content } = message;
	const input = usage.input + usage.cacheRead + usage.cacheWrite;
	if (content.length === 0 || (!isCut && input + usage.output > 0)) return usage;
	const chars = content.reduce((sum, block) => sum + charsOf(block), 0);
	const counted = {
		...usage,
		...(input > 0 ? {} : { input: Math.ceil(text.length / charsPerToken) }),
		output: Math.max(usage.output, Math.ceil(chars / charsPerToken)),
		cost: { ...usage.cost },
	};
	addCost(counted, model.cost);
	return counted;
}

/** What the model wrote; signatures are not its words. */
function charsOf(block: AssistantContent): number {
	if (block.type === "text") return block.text.length;
	return block.type === "thinking" ? block.thinking.length : JSON.stringify(block.arguments).length;
}

function tokensOf({ content }: Message): number {
	if (typeof content === "string") return Math.ceil(content.length / charsPerToken);
	return content.reduce((sum, block) => {
		if (isMedia(block)) return sum + imageTokens;
		return sum + Math.ceil(JSON.stringify(block).length / charsPerToken);
	}, 0);
}

function isMedia(block: { type: string }): block is ImageContent {
	return block.type === ("image" satisfies (TextContent | ImageContent)["type"]);
}
