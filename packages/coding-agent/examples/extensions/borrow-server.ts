/** Connects an MCP server for this session only: `/borrow name program args`; `/return name` ends it. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function borrowServer(pi: ExtensionAPI) {
	pi.registerCommand("borrow", {
		description: "Connect an MCP server for this session",
		handler(line, ctx) {
			const [name = "", command = "", ...args] = line.split(/\s+/);
			pi.registerMcpServer(name, { command, args });
			ctx.ui.notify(
				`Borrowed: ${pi
					.getMcpServers()
					.map((server) => server.name)
					.join(", ")}`,
			);
		},
	});
	pi.registerCommand("return", {
		description: "End a server that was borrowed",
		handler: (name) => pi.unregisterMcpServer(name),
	});
}
