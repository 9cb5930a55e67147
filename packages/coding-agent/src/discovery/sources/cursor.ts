/** What Cursor leaves: rules, commands, skills, agents and MCP servers. */
import { agentsIn, commandsIn, mcpIn, rulesIn, skillsIn, type Source } from "../source.ts";

export const cursor: Source = {
	id: "cursor",
	label: "Cursor",
	project: [
		skillsIn(".cursor/skills"),
		commandsIn(".cursor/commands"),
		rulesIn(".cursor/rules", [".mdc", ".md"], true),
		rulesIn(".cursorrules"),
		agentsIn(".cursor/agents"),
		mcpIn(".cursor/mcp.json"),
	],
	user: [
		skillsIn(".cursor/skills"),
		commandsIn(".cursor/commands"),
		rulesIn(".cursor/rules", [".mdc", ".md"]),
		agentsIn(".cursor/agents"),
		mcpIn(".cursor/mcp.json"),
	],
};
