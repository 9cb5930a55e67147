/** What Codex leaves: skills, prompts, and MCP servers in its TOML. */
import { commandsIn, mcpIn, skillsIn, type Source } from "./source.ts";

export const codex: Source = {
	id: "codex",
	label: "Codex",
	project: [
		skillsIn(".codex/skills"),
		commandsIn(".codex/prompts"),
		mcpIn(".codex/config.toml", ["mcp_servers"]),
	],
	user: [
		skillsIn(".codex/skills"),
		commandsIn(".codex/prompts"),
		mcpIn(".codex/config.toml", ["mcp_servers"]),
	],
};
