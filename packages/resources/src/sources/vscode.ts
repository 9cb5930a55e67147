/** What VS Code leaves: MCP servers. */
import { mcpIn, type Source } from "./source.ts";

export const vscode: Source = {
	id: "vscode",
	label: "VS Code",
	project: [
		mcpIn(".vscode/mcp.json", ["servers", "mcpServers"]),
		mcpIn(".vscode/settings.json", ["mcp.servers", "mcp/servers"]),
	],
	user: [".config/Code/User", "Library/Application Support/Code/User"].flatMap((folder) => [
		mcpIn(`${folder}/mcp.json`, ["servers", "mcpServers"]),
		mcpIn(`${folder}/settings.json`, ["mcp.servers", "mcp/servers"]),
	]),
};
