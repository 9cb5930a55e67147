/** The protocols that Tau speaks, each loaded when a model first needs it. */
import type { Api } from "../types.ts";
import type { Codec } from "./codec.ts";

const codecs: Readonly<Record<string, () => Promise<Codec>>> = {
	"anthropic-messages": async () => (await import("./anthropic-messages/index.ts")).anthropicMessages,
	"openai-completions": async () => (await import("./openai-completions/index.ts")).openaiCompletions,
};

export const codecNames: readonly Api[] = Object.keys(codecs);

export async function codecFor(api: Api): Promise<Codec | undefined> {
	return Object.hasOwn(codecs, api) ? codecs[api]?.() : undefined;
}
