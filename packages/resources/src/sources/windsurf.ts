/** What Windsurf leaves: rules, workflows, skills and MCP servers. */
import { commandsIn, mcpIn, rulesIn, skillsIn, type Source } from "./source.ts";

export const windsurf: Source = {
	id: "windsurf",
	label: "Windsurf",
	project: [
		skillsIn(".windsurf/skills"),
		commandsIn(".windsurf/workflows"),
		rulesIn(".windsurf/rules", { endings: [".md"], deep: true }),
		rulesIn(".windsurfrules"),
	],
	user: [
		skillsIn(".codeium/windsurf/skills"),
		commandsIn(".codeium/windsurf/global_workflows"),
		rulesIn(".codeium/windsurf/memories/global_rules.md"),
		mcpIn(".codeium/windsurf/mcp_config.json"),
	],
};
