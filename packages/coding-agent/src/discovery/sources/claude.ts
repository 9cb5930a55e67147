/** What Claude Code leaves: skills, commands, agents, rules and MCP servers. */
import { agentsIn, commandsIn, mcpIn, rulesIn, skillsIn, type Source } from "../source.ts";

export const claude: Source = {
	id: "claude",
	label: "Claude Code",
	project: [
		skillsIn(".claude/skills"),
		commandsIn(".claude/commands", { deep: true }),
		agentsIn(".claude/agents"),
		rulesIn(".claude/rules", { endings: [".md"], deep: true }),
	],
	user: [
		skillsIn(".claude/skills"),
		commandsIn(".claude/commands", { deep: true }),
		agentsIn(".claude/agents"),
		rulesIn(".claude/rules", { endings: [".md"], deep: true }),
		mcpIn(".claude.json"),
	],
};
