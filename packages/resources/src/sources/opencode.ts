/** What OpenCode leaves: commands, agents, skills and MCP servers. */
import { agentsIn, commandsIn, mcpIn, skillsIn, type Part, type Source } from "./source.ts";

function partsIn(folder: string): Part[] {
	return [
		...["skills", "skill"].map((name) => skillsIn(`${folder}/${name}`)),
		...["commands", "command"].map((name) => commandsIn(`${folder}/${name}`, { deep: true })),
		...["agents", "agent"].map((name) => agentsIn(`${folder}/${name}`)),
		...["opencode.json", "opencode.jsonc"].map((name) => mcpIn(`${folder}/${name}`, ["mcp"])),
	];
}

export const opencode: Source = {
	id: "opencode",
	label: "OpenCode",
	project: [...partsIn(".opencode"), mcpIn("opencode.json", ["mcp"]), mcpIn("opencode.jsonc", ["mcp"])],
	user: partsIn("opencode"),
	userBase: ({ configHome }) => configHome,
};
