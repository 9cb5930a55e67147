/** What Gemini CLI leaves: skills, commands in TOML, and MCP servers. */
import { agentsIn, commandsIn, mcpIn, skillsIn, type Part, type Source } from "./source.ts";

const parts: readonly Part[] = [
	skillsIn(".gemini/skills"),
	commandsIn(".gemini/commands", { ending: ".toml", format: "gemini", deep: true }),
	agentsIn(".gemini/agents"),
	mcpIn(".gemini/settings.json"),
];

export const gemini: Source = { id: "gemini", label: "Gemini CLI", project: parts, user: parts };
