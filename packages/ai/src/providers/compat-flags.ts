/** The flags of `Compat` and their possible values, for files and data that use them. */
import type { Compat } from "../types.ts";

/** A switch, one of a few words, two lists of names, or any object for the server. */
type FlagKind = "switch" | "routing" | "object" | readonly string[];

export const compatFlags = {
	supportsStore: "switch",
	supportsDeveloperRole: "switch",
	supportsReasoningEffort: "switch",
	supportsUsageInStreaming: "switch",
	supportsStrictMode: "switch",
	maxTokensField: ["max_completion_tokens", "max_tokens"],
	sendMaxTokens: "switch",
	requiresToolResultName: "switch",
	requiresMistralToolIds: "switch",
	requiresAssistantAfterToolResult: "switch",
	requiresThinkingAsText: "switch",
	requiresReasoningContentOnAssistantMessages: "switch",
	thinkingFormat: ["openai", "openrouter", "deepseek", "together", "zai", "qwen", "qwen-chat-template"],
	cacheControlFormat: ["anthropic"],
	zaiToolStream: "switch",
	openRouterRouting: "routing",
	vercelGatewayRouting: "routing",
	forceAdaptiveThinking: "switch",
	supportsEagerToolInputStreaming: "switch",
	supportsCacheControlOnTools: "switch",
	supportsToolReferences: "switch",
	allowEmptySignature: "switch",
	supportsTemperature: "switch",
	supportsLongCacheRetention: "switch",
	supportsWebsocket: "switch",
	supportsCompaction: "switch",
	sendSessionAffinityHeaders: "switch",
	sendSessionIdHeader: "switch",
	sendInitiatorHeaders: "switch",
	parallelTools: "switch",
	editForm: ["hashline", "replace", "apply_patch"],
	extraBody: "object",
} as const satisfies Record<keyof Compat, FlagKind>;
