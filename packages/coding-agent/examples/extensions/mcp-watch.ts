/** Shows in the footer how many MCP servers are ready, and passes on what they log as warnings and errors. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function mcpWatch(pi: ExtensionAPI) {
	pi.on("mcp_servers_change", ({ servers }, ctx) => {
		const ready = servers.filter(({ state }) => state === "ready").length;
		ctx.ui.setStatus("mcp", servers.length === 0 ? undefined : `${ready}/${servers.length} servers`);
	});
	pi.on("mcp_notification", ({ server, method, params }, ctx) => {
		const { level, data } = (params ?? {}) as { level?: string; data?: unknown };
		if (method !== "notifications/message" || (level !== "warning" && level !== "error")) return;
		ctx.ui.notify(`${server}: ${typeof data === "string" ? data : JSON.stringify(data)}`, level);
	});
}
