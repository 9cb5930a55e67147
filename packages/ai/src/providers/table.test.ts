/** Every provider of the table can be found, reached and authenticated. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { wireApis } from "../types.ts";
import { compatFlags } from "./compat-flags.ts";
import { discoveryTypes } from "./provider.ts";
import { providerOf, providers } from "./table.ts";

test("there are at least forty-five, and no two share a name", () => {
	expect(providers.length).toBeGreaterThanOrEqual(45);
	const names = providers.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
	expect(new Set(names).size).toBe(names.length);
});

test.each(providers.map((provider) => [provider.id, provider] as const))(
	"%s can be reached",
	(_, provider) => {
		expect(wireApis.some((api) => api === provider.api)).toBe(true);
		const url = new URL(provider.baseUrl.replace(/\{[A-Z_]+\}/g, "x"));
		expect(url.protocol).toBe(provider.keyless ? "http:" : "https:");
		expect(provider.baseUrl).not.toEndWith("/");
		expect(provider.label.trim()).not.toBe("");
		for (const key of provider.keys) expect(key).toMatch(/^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|BEDROCK)$/);
		for (const key of provider.bearer ?? []) {
			expect([...provider.keys, ...(provider.gateway?.keys ?? [])]).toContain(key);
		}
	},
);

describe("the variables of the documentation work for their provider, in their order", () => {
	// environment-variables.md, section 1.
	const documented: [provider: string, variables: string][] = [
		["anthropic", "ANTHROPIC_OAUTH_TOKEN ANTHROPIC_API_KEY"],
		["openai", "OPENAI_API_KEY"],
		["google", "GEMINI_API_KEY GOOGLE_API_KEY"],
		["groq", "GROQ_API_KEY"],
		["cerebras", "CEREBRAS_API_KEY"],
		["fireworks", "FIREWORKS_API_KEY"],
		["firepass", "FIREPASS_API_KEY"],
		["together", "TOGETHER_API_KEY"],
		["aimlapi", "AIMLAPI_API_KEY"],
		["huggingface", "HUGGINGFACE_HUB_TOKEN HF_TOKEN"],
		["synthetic", "SYNTHETIC_API_KEY"],
		["nvidia", "NVIDIA_API_KEY"],
		["nanogpt", "NANO_GPT_API_KEY"],
		["venice", "VENICE_API_KEY"],
		["litellm", "LITELLM_API_KEY"],
		["lm-studio", "LM_STUDIO_API_KEY"],
		["ollama", "OLLAMA_API_KEY"],
		["llama.cpp", "LLAMA_CPP_API_KEY"],
		["xiaomi", "XIAOMI_API_KEY"],
		["moonshot", "MOONSHOT_API_KEY"],
		["xai", "XAI_API_KEY"],
		["xai-oauth", "XAI_OAUTH_TOKEN XAI_API_KEY"],
		["openrouter", "OPENROUTER_API_KEY"],
		["mistral", "MISTRAL_API_KEY"],
		["zai", "ZAI_API_KEY"],
		["zhipu-coding-plan", "ZHIPU_API_KEY"],
		["minimax", "MINIMAX_API_KEY"],
		["minimax-code", "MINIMAX_CODE_API_KEY"],
		["minimax-code-cn", "MINIMAX_CODE_CN_API_KEY"],
		["opencode-go", "OPENCODE_API_KEY"],
		["opencode-zen", "OPENCODE_API_KEY"],
		["qianfan", "QIANFAN_API_KEY"],
		["qwen-portal", "QWEN_OAUTH_TOKEN QWEN_PORTAL_API_KEY"],
		["zenmux", "ZENMUX_API_KEY"],
		["vllm", "VLLM_API_KEY"],
		["vercel-ai-gateway", "AI_GATEWAY_API_KEY"],
		["cloudflare-ai-gateway", "CLOUDFLARE_AI_GATEWAY_API_KEY"],
		["alibaba-coding-plan", "ALIBABA_CODING_PLAN_API_KEY"],
		["deepseek", "DEEPSEEK_API_KEY"],
		["kilo", "KILO_API_KEY"],
		["ollama-cloud", "OLLAMA_CLOUD_API_KEY"],
		["wafer-pass", "WAFER_PASS_API_KEY"],
		["wafer-serverless", "WAFER_SERVERLESS_API_KEY"],
		["gitlab-duo", "GITLAB_TOKEN"],
		["github-copilot", "COPILOT_GITHUB_TOKEN"],
		["amazon-bedrock", "AWS_BEARER_TOKEN_BEDROCK"],
		["azure-openai", "AZURE_OPENAI_API_KEY"],
		["google-vertex", "GOOGLE_CLOUD_API_KEY"],
	];
	test.each(documented)("%s: %s", (id, variables) => {
		expect(providerOf(id)?.keys).toEqual(variables.split(" "));
	});
});

test("the user documentation names every provider with its variables, and every flag", async () => {
	const docs = join(import.meta.dir, "../../../../docs");
	const page = await Bun.file(join(docs, "providers.md")).text();
	const names = providers.flatMap(({ id, keys, addresses = [] }) => [id, ...keys, ...addresses]);
	expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`${name}=`))).toEqual([]);
	const models = await Bun.file(join(docs, "models-file.md")).text();
	const words = [...wireApis, ...Object.keys(compatFlags), ...discoveryTypes];
	expect(words.filter((word) => !models.includes(word))).toEqual([]);
});

test("names of other programs lead to the same provider", () => {
	expect(providerOf("moonshotai")?.id).toBe("moonshot");
	expect(providerOf("azure")?.id).toBe("azure-openai");
	expect(providerOf("nobody")).toBeUndefined();
});
