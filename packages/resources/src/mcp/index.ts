/** The entry point `@tau/resources/mcp`. */
export { configFiles, readSwitches } from "./config-file.ts";
export { McpServers, type ListedServer } from "./manager.ts";
export { checkServerName, parseServer } from "./parse-config.ts";
export { RegisteredServers } from "./registered.ts";
export type { BindingParts, SessionBinding } from "./session-binding.ts";
export type {
	McpManager,
	McpPrompt,
	McpResource,
	McpServerConfig,
	McpServerInfo,
	McpState,
	McpTestOutcome,
	McpToolInfo,
} from "./types.ts";
