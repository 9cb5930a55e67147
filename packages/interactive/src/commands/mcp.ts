/** `/mcp`: the MCP servers of this session in a list, and what can be done with the selected one. */
import type { McpServerInfo } from "@tau/resources/mcp";
import { wrapTextWithAnsi } from "@tau/tui";
import type { CommandReply } from "@tau/wire";

import { mcp as row, type McpActionData, type McpData } from "@tau/session-commands/rows";
import type { Choice, InteractiveHost } from "../host.ts";
import { drawReply, quietReply, replyOf } from "../run-row.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { mcpSelector } from "../selectors/mcp/selector.ts";
import { openRows } from "../command-rows.ts";
import { onScreen } from "./on-screen.ts";

export const mcp = onScreen(row, draw);

function draw(reply: CommandReply, host: InteractiveHost): void {
	const { lines = [], servers = [] } = (reply.data ?? {}) as Partial<McpActionData & McpData>;
	if (servers.length > 0) return list(host, reply);
	if (lines.length < 2) return drawReply(reply, host);
	host.print(
		report(host.theme, (width, theme) =>
			lines.flatMap((each, at) => {
				const text = each.trimStart();
				const shown = " ".repeat(each.length - text.length) + plain(text);
				return wrapTextWithAnsi(at === 0 ? theme.bold(shown) : shown, width);
			}),
		),
	);
}

function list(host: InteractiveHost, reply: CommandReply): void {
	openRows<McpData>(host, { row, reply, changesWith: ["mcp_servers_change"] }, (rows, screen, close) =>
		mcpSelector(screen, {
			servers: () => rows.data.servers,
			choose: (server) => {
				close();
				void choose(host, server);
			},
			close,
		}),
	);
}

async function choose(host: InteractiveHost, server: McpServerInfo): Promise<void> {
	const { name } = server;
	try {
		const action = await host.ask.select(plain(name), choicesFor(server));
		if (action === undefined) return list(host, await quietReply(row, "", host));
		if (action === "remove" && !(await host.ask.confirm(`Remove ${plain(name)}?`))) return;
		draw(await replyOf(row, `${action} ${JSON.stringify(name)}`, host), host);
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

function choicesFor({ state, isLoggedIn }: McpServerInfo): Choice[] {
	const isOff = state === "disabled";
	return [
		{ value: "show", label: "Show tools, cost and log" },
		...(isOff ? [] : [{ value: "test", label: "Connect again" }]),
		isOff ? { value: "enable", label: "Enable" } : { value: "disable", label: "Disable" },
		...(isLoggedIn === undefined || isOff ? [] : [{ value: "reauth", label: "Log in" }]),
		...(isLoggedIn ? [{ value: "unauth", label: "Log out" }] : []),
		{ value: "remove", label: "Remove" },
	];
}
