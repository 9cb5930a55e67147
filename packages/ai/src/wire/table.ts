/** The protocols that Tau implements, each loaded when a model first needs it. */
import type { Api, wireApis } from "../types.ts";
import type { Codec } from "./codec.ts";

const codecs: Readonly<Record<string, () => Promise<Codec>>> = {
	"anthropic-messages": async () => (await import("./anthropic-messages/index.ts")).anthropicMessages,
	"bedrock-converse-stream": async () =>
		(await import("./bedrock-converse-stream/index.ts")).bedrockConverseStream,
	"google-gemini-cli": async () => (await import("./google/index.ts")).googleGeminiCli,
	"google-generative-ai": async () => (await import("./google/index.ts")).googleGenerativeAi,
	"google-vertex": async () => (await import("./google/index.ts")).googleVertex,
	"ollama-chat": async () => (await import("./ollama-chat/index.ts")).ollamaChat,
	"openai-completions": async () => (await import("./openai-completions/index.ts")).openaiCompletions,
	"openai-responses": async () => (await import("./openai-responses/index.ts")).openaiResponses,
	"openai-codex-responses": async () => (await import("./openai-responses/index.ts")).openaiCodexResponses,
	"azure-openai-responses": async () => (await import("./openai-responses/index.ts")).azureOpenaiResponses,
	"tau-gateway": async () => (await import("./tau-gateway/index.ts")).tauGateway,
} satisfies Record<(typeof wireApis)[number], () => Promise<Codec>>;

export async function codecFor(api: Api): Promise<Codec | undefined> {
	return Object.hasOwn(codecs, api) ? codecs[api]?.() : undefined;
}
