/** Tau's own directories. */
import {
	agentsIn,
	commandsIn,
	hooksIn,
	instructionsIn,
	mcpIn,
	rulesIn,
	skillsIn,
	type Source,
} from "./source.ts";

export const tau: Source = {
	id: "tau",
	label: "Tau",
	project: [
		skillsIn(".tau/skills", { rootFiles: true }),
		commandsIn(".tau/commands", { deep: true }),
		commandsIn(".tau/prompts"),
		rulesIn(".tau/rules", { deep: true }),
		instructionsIn(".tau/instructions"),
		agentsIn(".tau/agents"),
		mcpIn(".tau/mcp.json"),
		hooksIn(".tau/hooks.json"),
	],
	user: [
		skillsIn("skills", { rootFiles: true }),
		commandsIn("commands", { deep: true }),
		commandsIn("prompts"),
		rulesIn("rules", { deep: true }),
		instructionsIn("instructions"),
		agentsIn("agents"),
		mcpIn("mcp.json"),
		hooksIn("hooks.json"),
	],
	userBase: ({ agentDir }) => agentDir,
};
