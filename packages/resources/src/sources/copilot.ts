/** What GitHub Copilot leaves: instructions, prompts, skills, agents and MCP servers. */
import { agentsIn, commandsIn, instructionsIn, mcpIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const copilot: Source = {
	id: "copilot",
	label: "GitHub Copilot",
	project: [
		skillsIn(".github/skills"),
		commandsIn(".github/prompts", { ending: ".prompt.md" }),
		rulesIn(".github/copilot-instructions.md"),
		instructionsIn(".github/instructions", [".instructions.md"]),
		agentsIn(".github/agents", [".agent.md", ".md"]),
	],
	user: [skillsIn(".copilot/skills"), agentsIn(".copilot/agents"), mcpIn(".copilot/mcp-config.json")],
};
