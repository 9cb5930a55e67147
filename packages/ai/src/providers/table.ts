/** The providers: who speaks which protocol where, and which variables hold the key. One row each, no code. */
import type { Api, Compat } from "../types.ts";

export interface Provider {
	id: string;
	label: string;
	api: Api;
	baseUrl: string;
	/** Variables that may hold the key, strongest first. */
	keys: readonly string[];
	compat?: Compat;
}

const anthropic = "anthropic-messages";
const openai = "openai-completions";
const maxTokens: Compat = { maxTokensField: "max_tokens" };

// In the order in which a default is looked for when several keys are there.
export const providers: readonly Provider[] = [
	row("anthropic", "Anthropic", anthropic, "https://api.anthropic.com", ["ANTHROPIC_API_KEY"]),
	row("openai", "OpenAI", openai, "https://api.openai.com/v1", ["OPENAI_API_KEY"], {
		supportsStore: true,
		supportsDeveloperRole: true,
	}),
	row("openrouter", "OpenRouter", openai, "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"]),
	row("deepseek", "DeepSeek", openai, "https://api.deepseek.com", ["DEEPSEEK_API_KEY"], maxTokens),
	row("groq", "Groq", openai, "https://api.groq.com/openai/v1", ["GROQ_API_KEY"]),
	row("cerebras", "Cerebras", openai, "https://api.cerebras.ai/v1", ["CEREBRAS_API_KEY"]),
];

function row(
	id: string,
	label: string,
	api: Api,
	baseUrl: string,
	keys: readonly string[],
	compat?: Compat,
): Provider {
	return { id, label, api, baseUrl, keys, ...(compat ? { compat } : {}) };
}
