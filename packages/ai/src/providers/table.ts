/** The providers, one row each and no code, in the order in which a default is chosen when several keys are set. */
import type { Api, Compat } from "../types.ts";
import type { Provider } from "./provider.ts";

type Facts = Partial<Provider>;

const maker: Facts = { maker: true };
const bearer: Facts = { auth: "bearer" };
/** Servers that copied Chat Completions before OpenAI renamed the field. */
const older: Facts = { compat: { maxTokensField: "max_tokens" } };
/** They list their models, which change more often than Tau is released. */
const listed: Facts = { discovery: "openai" };
const alias = (...aliases: string[]): Facts => ({ aliases });
/** Servers that users run themselves. */
const own = (address: string, discovery: Provider["discovery"]): Facts => ({
	...older,
	addresses: [address],
	keyless: true,
	...(discovery ? { discovery } : {}),
});
const local: Facts = { local: true };
/** OpenAI's own servers. */
const compacting: Facts = { compat: { supportsCompaction: true } };

/** Mistral refuses unknown fields, and sends the usage without a request. */
const strict: Compat = { ...older.compat, supportsUsageInStreaming: false, supportsStore: false };

const foundry: Facts = {
	addresses: ["ANTHROPIC_BASE_URL"],
	bearer: ["ANTHROPIC_FOUNDRY_API_KEY"],
	gateway: {
		flag: "CLAUDE_CODE_USE_FOUNDRY",
		keys: ["ANTHROPIC_FOUNDRY_API_KEY"],
		addresses: ["FOUNDRY_BASE_URL"],
	},
	headersFrom: "ANTHROPIC_CUSTOM_HEADERS",
};

/** The client information that the Copilot servers expect. */
const copilot: Facts = {
	auth: "bearer",
	headers: {
		"User-Agent": "GitHubCopilotChat/0.35.0",
		"Editor-Version": "vscode/1.107.0",
		"Editor-Plugin-Version": "copilot-chat/0.35.0",
		"Copilot-Integration-Id": "vscode-chat",
		"Openai-Intent": "conversation-edits",
	},
	compat: { sendInitiatorHeaders: true },
	// The kinds of tokens that GitHub issues, by their documented prefixes.
	ticket: /^(?:gh[a-z]_|github_pat_)/,
};

/** Every way in which AWS provides credentials. */
const aws: Facts = {
	instead: [
		["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
		["AWS_PROFILE"],
		["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI|AWS_CONTAINER_CREDENTIALS_FULL_URI"],
		["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"],
		["AWS_BEDROCK_SKIP_AUTH"],
	],
};

const cloudProject = "GOOGLE_CLOUD_PROJECT|GCP_PROJECT|GCLOUD_PROJECT";
const cloudLocation = "GOOGLE_VERTEX_LOCATION|GOOGLE_CLOUD_LOCATION|VERTEX_LOCATION";
/** Application default credentials need a project and a location. */
const googleCloud: Facts = { instead: [[cloudProject, cloudLocation]] };

const geminiUrl = "https://generativelanguage.googleapis.com/v1beta";
const bedrockUrl = "https://bedrock-runtime.us-east-1.amazonaws.com";
const azureUrl = "https://{AZURE_OPENAI_RESOURCE_NAME}.openai.azure.com/openai/v1";
const cloudflareUrl =
	"https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/anthropic";
const workersUrl = "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1";
const qwenUrl = "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1";
const qwenChinaUrl = "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1";

const chat = rowsOf("openai-completions");
const responses = rowsOf("openai-responses");
const messages = rowsOf("anthropic-messages");
const codex = rowsOf("openai-codex-responses");
const gemini = rowsOf("google-generative-ai");
const vertex = rowsOf("google-vertex");
const codeAssist = rowsOf("google-gemini-cli");
const bedrock = rowsOf("bedrock-converse-stream");
const azure = rowsOf("azure-openai-responses");
const ollama = rowsOf("ollama-chat");

export const providers: readonly Provider[] = [
	// Vendors of their own models.
	messages(
		"anthropic",
		"Anthropic",
		"https://api.anthropic.com",
		"ANTHROPIC_OAUTH_TOKEN ANTHROPIC_API_KEY",
		maker,
		foundry,
	),
	responses("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", maker, compacting, {
		addresses: ["OPENAI_BASE_URL"],
	}),
	gemini("google", "Google Gemini", geminiUrl, "GEMINI_API_KEY GOOGLE_API_KEY", maker, alias("gemini")),
	responses("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY", maker),
	chat("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", maker, older),
	chat(
		"moonshot",
		"Moonshot",
		"https://api.moonshot.ai/v1",
		"MOONSHOT_API_KEY",
		maker,
		older,
		alias("moonshotai"),
	),
	chat("zai", "z.ai", "https://api.z.ai/api/coding/paas/v4", "ZAI_API_KEY", maker, older),
	messages("minimax", "MiniMax", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", maker),
	chat("xiaomi", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1", "XIAOMI_API_KEY", maker, older),
	chat("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", maker, {
		compat: { ...strict, requiresMistralToolIds: true },
	}),
	responses("meta", "Meta", "https://api.meta.ai/v1", "META_API_KEY", maker),
	chat("ant-ling", "Ant Ling", "https://api.ant-ling.com/v1", "ANT_LING_API_KEY", maker, older),
	// Subscriptions and plans.
	codex("openai-codex", "OpenAI Codex", "https://chatgpt.com/backend-api", "", {
		compat: { ...compacting.compat, supportsWebsocket: true },
	}),
	codeAssist("google-gemini-cli", "Google Code Assist", "https://cloudcode-pa.googleapis.com", ""),
	responses(
		"github-copilot",
		"GitHub Copilot",
		"https://api.individual.githubcopilot.com",
		"COPILOT_GITHUB_TOKEN",
		copilot,
	),
	responses("xai-oauth", "xAI SuperGrok", "https://api.x.ai/v1", "XAI_OAUTH_TOKEN XAI_API_KEY"),
	chat(
		"kimi-code",
		"Kimi for Coding",
		"https://api.kimi.com/coding/v1",
		"KIMI_API_KEY",
		older,
		alias("kimi-coding"),
	),
	chat(
		"zhipu-coding-plan",
		"Zhipu Coding Plan",
		"https://open.bigmodel.cn/api/coding/paas/v4",
		"ZHIPU_API_KEY",
		older,
		alias("zai-coding-cn"),
	),
	messages("minimax-code", "MiniMax Code", "https://api.minimax.io/anthropic", "MINIMAX_CODE_API_KEY"),
	messages(
		"minimax-code-cn",
		"MiniMax Code (China)",
		"https://api.minimaxi.com/anthropic",
		"MINIMAX_CODE_CN_API_KEY",
		alias("minimax-cn"),
	),
	chat(
		"moonshot-cn",
		"Moonshot (China)",
		"https://api.moonshot.cn/v1",
		"MOONSHOT_CN_API_KEY",
		older,
		alias("moonshotai-cn"),
	),
	chat(
		"qwen-portal",
		"Qwen Portal",
		"https://portal.qwen.ai/v1",
		"QWEN_OAUTH_TOKEN QWEN_PORTAL_API_KEY",
		older,
		listed,
	),
	chat("qwen-token-plan", "Qwen Token Plan", qwenUrl, "QWEN_TOKEN_PLAN_API_KEY", older),
	chat("qwen-token-plan-cn", "Qwen Token Plan (China)", qwenChinaUrl, "QWEN_TOKEN_PLAN_CN_API_KEY", older),
	chat(
		"alibaba-coding-plan",
		"Alibaba Coding Plan",
		"https://coding-intl.dashscope.aliyuncs.com/v1",
		"ALIBABA_CODING_PLAN_API_KEY",
		older,
		listed,
	),
	chat(
		"xiaomi-token-plan-ams",
		"Xiaomi Plan (Amsterdam)",
		"https://token-plan-ams.xiaomimimo.com/v1",
		"XIAOMI_TOKEN_PLAN_AMS_API_KEY",
		older,
	),
	chat(
		"xiaomi-token-plan-sgp",
		"Xiaomi Plan (Singapore)",
		"https://token-plan-sgp.xiaomimimo.com/v1",
		"XIAOMI_TOKEN_PLAN_SGP_API_KEY",
		older,
	),
	chat(
		"xiaomi-token-plan-cn",
		"Xiaomi Plan (China)",
		"https://token-plan-cn.xiaomimimo.com/v1",
		"XIAOMI_TOKEN_PLAN_CN_API_KEY",
		older,
	),
	chat("firepass", "Fire Pass", "https://api.fireworks.ai/inference/v1", "FIREPASS_API_KEY", older),
	chat("wafer-pass", "Wafer Pass", "https://pass.wafer.ai/v1", "WAFER_PASS_API_KEY", older, listed),
	messages(
		"gitlab-duo",
		"GitLab Duo",
		"https://cloud.gitlab.com/ai/v1/proxy/anthropic",
		"GITLAB_TOKEN",
		bearer,
		// All of GitLab's own; those of its gateway are JSON Web Tokens.
		{ ticket: /^(?!eyJ)/, sharedKey: true },
	),
	// Clouds.
	bedrock("amazon-bedrock", "Amazon Bedrock", bedrockUrl, "AWS_BEARER_TOKEN_BEDROCK", aws, alias("bedrock")),
	vertex(
		"google-vertex",
		"Google Vertex AI",
		"https://aiplatform.googleapis.com",
		"GOOGLE_CLOUD_API_KEY",
		googleCloud,
		alias("vertex"),
	),
	azure(
		"azure-openai",
		"Azure OpenAI",
		azureUrl,
		"AZURE_OPENAI_API_KEY",
		alias("azure", "azure-openai-responses"),
		compacting,
		{ addresses: ["AZURE_OPENAI_BASE_URL"] },
	),
	// Providers of other vendors' models.
	chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", bearer),
	messages("vercel-ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh", "AI_GATEWAY_API_KEY"),
	messages(
		"cloudflare-ai-gateway",
		"Cloudflare AI Gateway",
		cloudflareUrl,
		"CLOUDFLARE_AI_GATEWAY_API_KEY",
		bearer,
	),
	chat("cloudflare-workers-ai", "Cloudflare Workers AI", workersUrl, "CLOUDFLARE_API_KEY"),
	responses(
		"opencode-zen",
		"OpenCode Zen",
		"https://opencode.ai/inference/openai/v1",
		"OPENCODE_API_KEY",
		alias("opencode"),
	),
	chat("opencode-go", "OpenCode Go", "https://opencode.ai/inference/go/openai/v1", "OPENCODE_API_KEY"),
	chat("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
	chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
	messages("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
	chat("together", "Together", "https://api.together.ai/v1", "TOGETHER_API_KEY", older),
	chat(
		"huggingface",
		"Hugging Face",
		"https://router.huggingface.co/v1",
		"HUGGINGFACE_HUB_TOKEN HF_TOKEN",
		older,
	),
	chat("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY", older, {
		headers: { "NVCF-POLL-SECONDS": "3600" },
	}),
	chat("baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY", older),
	chat("aimlapi", "AIML API", "https://api.aimlapi.com/v1", "AIMLAPI_API_KEY", older, listed),
	chat("synthetic", "Synthetic", "https://api.synthetic.new/openai/v1", "SYNTHETIC_API_KEY", older, listed),
	chat("nanogpt", "NanoGPT", "https://nano-gpt.com/api/v1", "NANO_GPT_API_KEY", older, listed),
	chat("venice", "Venice", "https://api.venice.ai/api/v1", "VENICE_API_KEY", older, listed),
	chat("zenmux", "ZenMux", "https://zenmux.ai/api/v1", "ZENMUX_API_KEY", listed),
	chat("kilo", "Kilo", "https://api.kilo.ai/api/gateway", "KILO_API_KEY", listed),
	chat("qianfan", "Baidu Qianfan", "https://qianfan.baidubce.com/v2", "QIANFAN_API_KEY", older, listed),
	chat(
		"wafer-serverless",
		"Wafer Serverless",
		"https://pass.wafer.ai/v1",
		"WAFER_SERVERLESS_API_KEY",
		older,
		listed,
	),
	ollama("ollama-cloud", "Ollama Cloud", "https://ollama.com", "OLLAMA_CLOUD_API_KEY", {
		discovery: "ollama",
	}),
	// Servers that users run themselves.
	chat("ollama", "Ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", own("OLLAMA_BASE_URL", "ollama"), {
		local: true,
		hostFrom: "OLLAMA_HOST",
	}),
	chat(
		"lm-studio",
		"LM Studio",
		"http://127.0.0.1:1234/v1",
		"LM_STUDIO_API_KEY",
		own("LM_STUDIO_BASE_URL", "lm-studio"),
		local,
	),
	chat(
		"llama.cpp",
		"llama.cpp",
		"http://127.0.0.1:8080/v1",
		"LLAMA_CPP_API_KEY",
		own("LLAMA_CPP_BASE_URL", "llama.cpp"),
		local,
	),
	chat("vllm", "vLLM", "http://127.0.0.1:8000/v1", "VLLM_API_KEY", own("VLLM_BASE_URL", "openai")),
	chat(
		"litellm",
		"LiteLLM",
		"http://127.0.0.1:4000/v1",
		"LITELLM_API_KEY",
		own("LITELLM_BASE_URL", "openai"),
	),
];

/** By every name, which no two share: a start asks for hundreds, and searching the rows was its hottest loop. */
const byName = new Map(
	providers.flatMap((row) => [row.id, ...(row.aliases ?? [])].map((name) => [name, row] as const)),
);

/** By its id, else by an alias from another program. */
export function providerOf(name: string): Provider | undefined {
	return byName.get(name);
}

type Row = (id: string, label: string, baseUrl: string, keys: string, ...facts: Facts[]) => Provider;

function rowsOf(api: Api): Row {
	return (id, label, baseUrl, keys, ...facts) => {
		const row: Provider = { id, label, api, baseUrl, keys: keys.split(" ").filter(Boolean) };
		for (const more of facts) Object.assign(row, more);
		return row;
	};
}
