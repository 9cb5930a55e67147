/** What Claude Code and Claude Desktop leave: skills, commands, agents, rules, MCP servers and hooks. */
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
		// `claude mcp add` writes there by default.
		mcpIn(".claude.json", ["projects/<project>/mcpServers"]),
		mcpIn(".claude.json"),
		...[".config/Claude", "Library/Application Support/Claude"].map((folder) =>
			mcpIn(`${folder}/claude_desktop_config.json`),
		),
		hooksIn(".claude/settings.json"),
	],
};
