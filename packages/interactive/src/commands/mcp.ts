/** `/mcp`: the MCP servers of this session in a list, and what can be done with the selected one. */
import type { McpManager, McpServerInfo } from "@tau/resources/mcp";
import { wrapTextWithAnsi } from "@tau/tui";
import type { CommandReply } from "@tau/wire";

import { act, managerOf, mcp as row, type McpActionData } from "@tau/session-commands/rows";
import type { Choice, InteractiveHost } from "../host.ts";
import { drawReply, withTarget } from "../run-row.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { mcpSelector } from "../selectors/mcp/selector.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

export const mcp = onScreen(row, {
	async open(args, host) {
		if (args !== "" && args !== "list") return false;
		const manager = await managerOf(host);
		if (manager.servers.length === 0) return false;
		list(host, manager);
		return true;
	},
	draw: drawLines,
});

function drawLines(reply: CommandReply, host: InteractiveHost): void {
	const { lines = [] } = (reply.data ?? {}) as Partial<McpActionData>;
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

function list(host: InteractiveHost, manager: McpManager): void {
	openSelector(host, (screen, close) => {
		const component = mcpSelector(screen, {
			servers: () => manager.servers,
			choose: ({ name }) => {
				close();
				void choose(host, manager, name);
			},
			close,
		});
		return { component, owns: manager.subscribe(() => component.refresh()) };
	});
}

async function choose(host: InteractiveHost, manager: McpManager, name: string): Promise<void> {
	const server = manager.servers.find((each) => each.name === name);
	if (!server) return;
	const action = await host.ask.select(plain(name), choicesFor(server));
	if (action === undefined) return list(host, manager);
	if (action === "remove" && !(await host.ask.confirm(`Remove ${plain(name)}?`))) return;
	try {
		drawLines(await withTarget(host, (target) => act(target, manager, action, [name])), host);
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
