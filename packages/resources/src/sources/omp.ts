/** What oh-my-pi leaves: the same things as Tau. */
import { agentsIn, commandsIn, instructionsIn, mcpIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const omp: Source = {
	id: "omp",
	label: "oh-my-pi",
	project: [
		skillsIn(".omp/skills"),
		commandsIn(".omp/commands"),
		commandsIn(".omp/prompts"),
		rulesIn(".omp/rules", { deep: true }),
		instructionsIn(".omp/instructions"),
		agentsIn(".omp/agents"),
		mcpIn(".omp/mcp.json"),
	],
	user: [
		skillsIn(".omp/agent/skills"),
		commandsIn(".omp/agent/commands"),
		commandsIn(".omp/agent/prompts"),
		rulesIn(".omp/agent/rules", { deep: true }),
		instructionsIn(".omp/agent/instructions"),
		agentsIn(".omp/agent/agents"),
		mcpIn(".omp/agent/mcp.json"),
	],
};
