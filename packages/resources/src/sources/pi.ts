/** What pi leaves: skills, prompt templates and agents. */
import { agentsIn, commandsIn, skillsIn, type Source } from "./source.ts";

export const pi: Source = {
	id: "pi",
	label: "pi",
	project: [skillsIn(".pi/skills", { rootFiles: true }), commandsIn(".pi/prompts"), agentsIn(".pi/agents")],
	user: [
		skillsIn(".pi/agent/skills", { rootFiles: true }),
		commandsIn(".pi/agent/prompts"),
		agentsIn(".pi/agent/agents"),
	],
};
