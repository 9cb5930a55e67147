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

/** An `import` of a loaded module takes 30 µs, at every request. */
const loaded = new Map<Api, Codec>();

export async function codecFor(api: Api): Promise<Codec | undefined> {
	const known = loaded.get(api);
	if (known || !Object.hasOwn(codecs, api)) return known;
	const codec = await codecs[api]?.();
	if (codec) loaded.set(api, codec);
	return codec;
}
