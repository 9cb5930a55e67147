/** What lies in `.agents`, which several programs share. */
import { agentsIn, commandsIn, skillsIn, type Part, type Source } from "./source.ts";

const parts: readonly Part[] = [
	skillsIn(".agents/skills"),
	commandsIn(".agents/commands"),
	agentsIn(".agents/agents"),
];

export const agents: Source = { id: "agents", label: ".agents", project: parts, user: parts };
