/** Settings about MCP servers; the servers themselves are in mcp.json. */
import { choice, count, list, toggle } from "../setting.ts";

const power = "it controls what the model may do";
const wait = "it controls how long you wait";

export const mcp = {
	"mcp.enabled": toggle({
		description: "Start MCP servers. --no-mcp switches them off for one run.",
		default: true,
		notForProjects: power,
	}),
	"mcp.deferTools": toggle({
		description:
			"Let the model search for tools of MCP servers instead of declaring all of them in each request. alwaysLoad of a server declares its tools at once.",
		default: true,
		notForProjects: "it controls what each request costs",
	}),
	"mcp.startTimeoutSeconds": count(
		{ least: 1, most: 600, unit: "s" },
		{
			description: "How long an MCP server may take to start. No prompt waits for it.",
			default: 30,
			notForProjects: wait,
		},
	),
	"mcp.toolTimeoutSeconds": count(
		{ least: 1, most: 3600, unit: "s" },
		{
			description: "How long a call of an MCP server may take without reporting progress.",
			default: 300,
			notForProjects: wait,
		},
	),
	"mcp.trustedServers": list({
		description:
			"Names of MCP servers whose hints are believed: tools that say that they only read then run without asking.",
		notForProjects: power,
	}),
	"mcp.login": choice(["manual", "auto"], {
		description:
			"When an MCP server wants a login: manual (with /mcp reauth), auto (opens the browser at once).",
		default: "manual",
		notForProjects: "it opens pages in your browser",
	}),
	"mcp.sampling": choice(["ask", "never"], {
		description: "Whether MCP servers may ask the session's model: ask (you see each request), never.",
		default: "ask",
		notForProjects: "it costs money",
	}),
};
