/** The text of a models.yml that points Tau at a played model, as `played/played-1`. */

import { playedModelId, type PlayedModel } from "./server.ts";

export interface ModelsYmlOptions {
	api: "anthropic-messages" | "openai-completions" | "openai-responses";
	/** The name of an environment variable or the key itself; without it the provider needs no key. */
	apiKey?: string;
	reasoning?: boolean;
	input?: ("text" | "image" | "audio")[];
	contextWindow?: number;
	maxTokens?: number;
}

export function modelsYml(
	played: Pick<PlayedModel, "anthropicUrl" | "openaiUrl">,
	{
		api,
		apiKey,
		reasoning = false,
		input = ["text"],
		contextWindow = 200_000,
		maxTokens = 16_384,
	}: ModelsYmlOptions,
): string {
	const baseUrl = api === "anthropic-messages" ? played.anthropicUrl : played.openaiUrl;
	return `providers:
  played:
    baseUrl: ${baseUrl}
    api: ${api}
    ${apiKey === undefined ? "auth: none" : `apiKey: ${JSON.stringify(apiKey)}`}
    models:
      - id: ${playedModelId}
        name: Played model
        reasoning: ${reasoning}
        input: [${input.join(", ")}]
        cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
        contextWindow: ${contextWindow}
        maxTokens: ${maxTokens}
`;
}
