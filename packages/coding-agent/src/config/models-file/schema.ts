/** What `models.yml` may say. */
import { z } from "zod";

/** Protocols that the file may name; one that this build does not speak yet fails when it is used, by name. */
const api = z.enum([
	"openai-completions",
	"openai-responses",
	"openai-codex-responses",
	"azure-openai-responses",
	"anthropic-messages",
	"google-generative-ai",
	"google-vertex",
]);

const headers = z.record(z.string(), z.string());
const routing = z.object({ only: z.array(z.string()).optional(), order: z.array(z.string()).optional() });

const compat = z.object({
	supportsStore: z.boolean().optional(),
	supportsDeveloperRole: z.boolean().optional(),
	supportsReasoningEffort: z.boolean().optional(),
	supportsUsageInStreaming: z.boolean().optional(),
	maxTokensField: z.enum(["max_completion_tokens", "max_tokens"]).optional(),
	openRouterRouting: routing.optional(),
	vercelGatewayRouting: routing.optional(),
	extraBody: z.record(z.string(), z.unknown()).optional(),
});

const facts = z.object({
	name: z.string().optional(),
	reasoning: z.boolean().optional(),
	input: z.array(z.enum(["text", "image"])).optional(),
	cost: z
		.object({
			input: z.number(),
			output: z.number(),
			cacheRead: z.number().default(0),
			cacheWrite: z.number().default(0),
		})
		.optional(),
	contextWindow: z.number().positive().optional(),
	maxTokens: z.number().positive().optional(),
	headers: headers.optional(),
	compat: compat.optional(),
	contextPromotionTarget: z.string().optional(),
});

const model = facts.extend({ id: z.string().min(1), api: api.optional() });

export const providerSchema = z
	.object({
		baseUrl: z.url({ protocol: /^https?$/ }).optional(),
		apiKey: z.string().min(1).optional(),
		api: api.optional(),
		headers: headers.optional(),
		authHeader: z.boolean().optional(),
		auth: z.enum(["apiKey", "none"]).optional(),
		discovery: z.object({ type: z.string() }).optional(),
		modelOverrides: z.record(z.string(), facts).optional(),
		models: z.array(model).optional(),
	})
	.superRefine((provider, check) => {
		const missing = (field: string, why: string): void =>
			check.addIssue({ code: "custom", path: [field], message: why });
		if (provider.models && provider.models.length > 0) {
			if (!provider.baseUrl) missing("baseUrl", "required for a provider with models");
			if (!provider.apiKey && provider.auth !== "none") missing("apiKey", 'required unless "auth: none"');
			if (!provider.api && provider.models.some((m) => !m.api)) {
				missing("api", "required for the provider or for each of its models");
			}
		} else if (!provider.baseUrl && !provider.modelOverrides && !provider.discovery) {
			missing("models", "give models, or one of baseUrl, modelOverrides, discovery");
		}
		if (provider.discovery && !provider.api) missing("api", "required with discovery");
	});

/** The names that each level of a provider may use, to tell a slip from a field. */
export const fieldNames = {
	provider: Object.keys(providerSchema.shape),
	model: Object.keys(model.shape),
	override: Object.keys(facts.shape),
	compat: Object.keys(compat.shape),
} as const;

export type ProviderConfig = z.infer<typeof providerSchema>;
export type ModelFacts = z.infer<typeof facts>;
