/** What extensions get when they import pi's package of models. */
import {
	builtinModels,
	keyFrom,
	providerOf,
	providers,
	registerApi,
	stream,
	type AssistantMessage,
	type Context,
	type Model,
	type StreamFunction,
	type StreamOptions,
	type Tool,
	type ToolCall,
	type Usage,
} from "@tau/ai";

import { fittingLevel, levelsOf } from "../../../modes/shared/thinking.ts";
import { checkValue, StringEnum, Type } from "../../typebox/index.ts";
import { AssistantMessageEventStream, EventStream } from "./event-stream.ts";

export function aiExports(): Record<string, unknown> {
	return {
		Type,
		StringEnum,
		EventStream,
		AssistantMessageEventStream,
		createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
		stream,
		streamSimple: stream,
		complete,
		completeSimple: complete,
		getModel: (provider: string, id: string) => builtinModels(provider).find((model) => model.id === id),
		getModels: (provider: string) => builtinModels(provider),
		getProviders: () => providers.map(({ id }) => id),
		getEnvApiKey,
		calculateCost,
		getSupportedThinkingLevels: levelsOf,
		clampThinkingLevel: fittingLevel,
		modelsAreEqual: (one?: Model | null, other?: Model | null) =>
			Boolean(one && other && one.provider === other.provider && one.id === other.id),
		isContextOverflow: ({ failure }: AssistantMessage) => failure?.kind === "overflow",
		registerApiProvider: ({ api, streamSimple }: { api: string; streamSimple: StreamFunction }) =>
			void registerApi(api, streamSimple),
		validateToolArguments,
		validateToolCall: (tools: readonly Tool[], call: ToolCall) => {
			const tool = tools.find(({ name }) => name === call.name);
			if (!tool) throw new Error(`There is no tool "${call.name}".`);
			return validateToolArguments(tool, call);
		},
	};
}

function complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
	return stream(model, context, options).result();
}

function getEnvApiKey(provider: string): string | undefined {
	const row = providerOf(provider);
	return row && keyFrom(row, process.env)?.value;
}

function calculateCost({ cost }: Model, usage: Usage): Usage["cost"] {
	const part = (name: "input" | "output" | "cacheRead" | "cacheWrite"): number =>
		(cost[name] / 1_000_000) * usage[name];
	const [input, output, cacheRead, cacheWrite] = [
		part("input"),
		part("output"),
		part("cacheRead"),
		part("cacheWrite"),
	];
	usage.cost = { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
	return usage.cost;
}

function validateToolArguments({ name, parameters }: Tool, { arguments: given }: ToolCall): unknown {
	const checked = checkValue(parameters, given);
	if (checked.ok) return checked.value;
	throw new Error(`Bad arguments for ${name}: ${checked.problems.join("; ")}`);
}
