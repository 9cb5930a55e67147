/** The parts of packages that extensions import by a path: each is the whole package, because names are unique in it. */
import type { PackageName } from "./exports/states.ts";

/**
 * Those that public extensions and the documentation use, also for modules that are not looked through before they are
 * loaded. Types in them are erased, so that most are never loaded.
 */
export const subpaths: Readonly<Record<PackageName, readonly string[]>> = {
	"pi-ai": [
		"oauth",
		"compat",
		"models",
		"types",
		"stream",
		"bedrock-provider",
		"bun-oauth",
		"anthropic",
		"azure-openai-responses",
		"google",
		"google-vertex",
		"mistral",
		"openai-codex-responses",
		"openai-completions",
		"openai-responses",
		"providers/all",
		"providers/faux",
		"providers/anthropic",
		"providers/openai",
		"providers/google",
		"providers/openrouter",
		"providers/amazon-bedrock",
		"utils/event-stream",
		"utils/json-parse",
		"utils/overflow",
		"utils/validation",
		"utils/oauth",
		"dist/models.js",
		"dist/types.js",
		"dist/utils/oauth/index.js",
	],
	"pi-agent-core": ["types", "agent", "agent-loop", "compaction", "thinking", "dist/types.js"],
	"pi-utils": ["abortable", "dirs", "env", "format", "fs-error", "json", "logger", "temp", "type-guards"],
	"pi-natives": [],
	"pi-tui": ["keys", "utils", "tui", "status-line", "dist/tui.js"],
	"pi-coding-agent": [
		"hooks",
		"extensions",
		"sdk",
		"capability",
		"discovery",
		"mcp",
		"extensibility/extensions",
		"extensibility/extensions/types",
		"extensibility/hooks",
		"extensibility/custom-tools",
		"extensibility/skills",
		"config/settings",
		"config/model-registry",
		"session/session-manager",
		"session/agent-session",
		"session/messages",
		"modes/theme/theme",
		"tools",
		"dist/core/extensions/types.js",
		"dist/modes/interactive/theme/theme.js",
	],
};

/** Subpaths for one protocol: they export its `stream` and `streamSimple`. */
export const protocolSubpaths = [
	"anthropic-messages",
	"azure-openai-responses",
	"bedrock-converse-stream",
	"google-generative-ai",
	"google-vertex",
	"openai-codex-responses",
	"openai-completions",
	"openai-responses",
] as const;
