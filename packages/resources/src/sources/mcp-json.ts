/** The `.mcp.json` of a project, which many programs read. */
import { mcpIn, type Source } from "./source.ts";

export const mcpJson: Source = {
	id: "mcp-json",
	label: ".mcp.json",
	project: [mcpIn(".mcp.json"), mcpIn("mcp.json")],
	user: [],
};
