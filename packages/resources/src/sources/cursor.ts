/** What Cursor leaves: rules, commands, skills, agents and MCP servers. */
import { agentsIn, commandsIn, mcpIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const cursor: Source = {
	id: "cursor",
	label: "Cursor",
	project: [
		skillsIn(".cursor/skills"),
		commandsIn(".cursor/commands"),
		rulesIn(".cursor/rules", { endings: [".mdc", ".md"], deep: true, isAlwaysByDefault: false }),
		rulesIn(".cursorrules"),
		agentsIn(".cursor/agents"),
		mcpIn(".cursor/mcp.json"),
	],
	user: [
		skillsIn(".cursor/skills"),
		commandsIn(".cursor/commands"),
		rulesIn(".cursor/rules", { endings: [".mdc", ".md"], deep: true, isAlwaysByDefault: false }),
		agentsIn(".cursor/agents"),
		mcpIn(".cursor/mcp.json"),
	],
};
