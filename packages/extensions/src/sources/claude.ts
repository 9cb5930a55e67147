/** What Claude Code leaves: skills, commands, agents, rules, MCP servers and hooks. */
import { agentsIn, commandsIn, hooksIn, mcpIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const claude: Source = {
	id: "claude",
	label: "Claude Code",
	project: [
		skillsIn(".claude/skills"),
		commandsIn(".claude/commands", { deep: true }),
		agentsIn(".claude/agents"),
		rulesIn(".claude/rules", { endings: [".md"], deep: true }),
		hooksIn(".claude/settings.json"),
		hooksIn(".claude/settings.local.json"),
	],
	user: [
		skillsIn(".claude/skills"),
		commandsIn(".claude/commands", { deep: true }),
		agentsIn(".claude/agents"),
		rulesIn(".claude/rules", { endings: [".md"], deep: true }),
		mcpIn(".claude.json"),
		hooksIn(".claude/settings.json"),
	],
};
