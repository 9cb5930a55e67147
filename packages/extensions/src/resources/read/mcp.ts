/** Finds the MCP servers of one file. */
import { readServers, targetOf } from "@tau/resources/mcp/definitions";
import type { Findings, Origin } from "@tau/resources/discovery";
import type { McpServer } from "../capabilities.ts";

export function findMcpServers(
	origin: Origin,
	keys: readonly string[],
	project?: string,
): Findings<McpServer> {
	const { servers, warnings } = readServers(origin.path, keys, project);
	const items = servers.map(({ name, config }) => ({
		name,
		origin,
		config,
		transport: config.transport,
		target: config.command ?? targetOf(config),
		isOff: !config.enabled,
	}));
	return { items, warnings };
}
