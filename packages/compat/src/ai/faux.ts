/** pi's model for tests of extensions: answers from a list, piece by piece, without a server. */
import {
	MessageBuilder,
	failure,
	noUsage,
	type AssistantContent,
	type AssistantMessage,
	type Context,
	type Model,
	type StreamFunction,
	type StreamOptions,
	type TextContent,
	type ThinkingContent,
	type ToolCall,
} from "@tau/ai";
import { delay, shortId } from "@tau/utils";

import { registerInScope } from "./asking.ts";

interface State {
	callCount: number;
}

type Factory = (
	context: Context,
	options: StreamOptions | undefined,
	state: State,
	model: Model,
) => AssistantMessage | Promise<AssistantMessage>;

type Step = AssistantMessage | Factory;

export interface FauxOptions {
	api?: string;
	provider?: string;
	models?: (Partial<Model> & { id: string })[];
	tokensPerSecond?: number;
	tokenSize?: { min?: number; max?: number };
}

export function fauxText(text: string): TextContent {
	return { type: "text", text };
}

function fauxThinking(thinking: string): ThinkingContent {
	return { type: "thinking", thinking };
}

export function fauxToolCall(
	name: string,
	args: ToolCall["arguments"],
	{ id = `call_${shortId()}` }: { id?: string } = {},
): ToolCall {
	return { type: "toolCall", id, name, arguments: args };
}

export function fauxAssistantMessage(
	content: string | AssistantContent | AssistantContent[],
	options: Partial<Pick<AssistantMessage, "stopReason" | "errorMessage" | "responseId" | "timestamp">> = {},
): AssistantMessage {
	const given = typeof content === "string" ? fauxText(content) : content;
	const blocks = Array.isArray(given) ? given : [given];
	const calls = blocks.some(({ type }) => type === "toolCall");
	return {
		role: "assistant",
		content: blocks,
		api: "faux",
		provider: "faux",
		model: "faux-1",
		usage: noUsage(),
		stopReason: calls ? "toolUse" : "stop",
		timestamp: Date.now(),
		...options,
	};
}

/** The model without a base URL: its creator registers it. */
function createFauxCore(options: FauxOptions = {}) {
	const { api = "faux", provider = "faux", models: wanted = [{ id: "faux-1" }] } = options;
	const models = wanted.map((model) => fauxModel(api, provider, model));
	const state: State = { callCount: 0 };
	let steps: Step[] = [];
	const stream: StreamFunction = (model, context, streamOptions) => {
		state.callCount++;
		const builder = new MessageBuilder(model);
		void play(builder, { step: steps.shift(), model, context, streamOptions, state, options });
		return builder.stream;
	};
	return {
		api,
		provider,
		models,
		state,
		stream,
		streamSimple: stream,
		getModel: (id?: string) => (id === undefined ? models[0] : models.find((model) => model.id === id)),
		setResponses: (next: Step[]) => void (steps = [...next]),
		appendResponses: (more: Step[]) => void steps.push(...more),
		getPendingResponseCount: () => steps.length,
	};
}

export function registerFauxProvider(options?: FauxOptions) {
	// Each has a unique name: tests run in parallel.
	const api = options?.api ?? `faux:${shortId()}`;
	const core = createFauxCore({ ...options, api });
	const registered = registerInScope(api, core.stream);
	return { ...core, unregister: () => registered[Symbol.dispose]() };
}

/** The same as a provider of pi's newer kind. */
export function fauxProvider(options?: FauxOptions) {
	const core = createFauxCore(options);
	const { provider: id, models, stream, streamSimple } = core;
	const provider = {
		id,
		name: id,
		auth: { apiKey: { name: id, resolve: async () => ({ auth: {} }) } },
		getModels: () => models,
		stream,
		streamSimple,
	};
	return { ...core, provider };
}

function fauxModel(api: string, provider: string, given: Partial<Model> & { id: string }): Model {
	return {
		name: given.id,
		api,
		provider,
		baseUrl: "http://localhost:0",
		reasoning: false,
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 128_000,
		maxTokens: 16_384,
		...given,
	};
}

interface Play {
	step: Step | undefined;
	model: Model;
	context: Context;
	streamOptions: StreamOptions | undefined;
	state: State;
	options: FauxOptions;
}

async function play(builder: MessageBuilder, about: Play): Promise<void> {
	const { step, model, context, streamOptions: options, state } = about;
	try {
		if (!step) throw new Error("No more faux responses queued");
		const answer = typeof step === "function" ? await step(context, options, state, model) : step;
		builder.start();
		for (const block of answer.content) await emit(builder, block, about);
		builder.setUsage(usageOf(context, answer));
		const { stopReason } = answer;
		if (stopReason === "aborted" || options?.signal?.aborted) builder.abort();
		else if (stopReason === "error") builder.fail(failure("unknown", answer.errorMessage ?? "It failed."));
		else builder.done(stopReason);
	} catch (error) {
		if (options?.signal?.aborted) builder.abort();
		else builder.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	}
}

async function emit(
	builder: MessageBuilder,
	block: AssistantContent,
	{ options, streamOptions }: Play,
): Promise<void> {
	const [index, text] = open(builder, block);
	const { min = 3, max = 5 } = options.tokenSize ?? {};
	// About four characters a token; in the middle of what was asked for, so that a test is the same each time.
	const size = Math.max(1, Math.round((min + max) / 2) * 4);
	for (let at = 0; at < text.length; at += size) {
		if (options.tokensPerSecond)
			await delay((size / 4 / options.tokensPerSecond) * 1000, streamOptions?.signal);
		if (streamOptions?.signal?.aborted) return;
		builder.append(index, text.slice(at, at + size));
	}
	builder.close(index);
}

function open(builder: MessageBuilder, block: AssistantContent): [index: number, text: string] {
	if (block.type === "text") return [builder.openText(), block.text];
	if (block.type === "thinking") return [builder.openThinking(), block.thinking];
	return [builder.openToolCall(block.id, block.name), JSON.stringify(block.arguments)];
}

function usageOf(context: Context, { content }: AssistantMessage): { input: number; output: number } {
	const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
	return { input: tokens([context.systemPrompt, context.messages]), output: tokens(content) };
}

/** What extensions get of it. */
export const fauxExports = {
	fauxText,
	fauxThinking,
	fauxToolCall,
	fauxAssistantMessage,
	createFauxCore,
	registerFauxProvider,
	fauxProvider,
};
