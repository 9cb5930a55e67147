/** Lists the MCP servers with their state, tools and cost; the selected one with its address, problem and log. */
import type { McpServerInfo } from "@tau/resources/mcp";
import { keyHint, rawKeyHint, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";

import { adviceOf, stateLabels, toolCount } from "@tau/session-commands/work";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface McpSelectorParts {
	servers(): readonly McpServerInfo[];
	/** Offers what can be done with the server. */
	choose(server: McpServerInfo): void;
	close(): void;
}

const colors = {
	ready: "success",
	starting: "accent",
	failed: "error",
	"needs-auth": "warning",
	untrusted: "warning",
	disabled: "dim",
} as const;

export function mcpSelector(screen: PickerScreen, parts: McpSelectorParts): Picker<McpServerInfo> {
	const { servers, choose, close } = parts;
	return new Picker<McpServerInfo>(screen, {
		title: "MCP servers",
		items: (search) => servers().filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
		idOf: ({ name }) => name,
		row: (server, width, theme) =>
			row(
				plain(server.name),
				[
					{
						text: stateLabels[server.state],
						width: 11,
						paint: (text) => theme.fg(colors[server.state], text),
					},
					{ text: toolCount(server), width: 14, align: "right", paint: (text) => theme.fg("muted", text) },
					{ text: costOf(server), width: 12, align: "right", paint: (text) => theme.fg("dim", text) },
				],
				width,
			),
		about: (server, _width, theme) => aboutRows(server, theme),
		aboutRows: limits.previewRows,
		empty: () => "No MCP servers. Add one with /mcp add.",
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "choose"), rawKeyHint(theme, "escape", "close")],
		onConfirm: choose,
		onCancel: close,
	});
}

/** What it adds to each request: nothing while its tools are only searched for. */
function costOf({ tokens, state }: McpServerInfo): string {
	return state === "ready" ? `${tokens} tokens` : "";
}

function aboutRows(server: McpServerInfo, theme: Theme): string[] {
	const { target, source, error, log } = server;
	const problem = error ?? adviceOf(server);
	const head = [
		theme.fg("muted", plain(`${target} · ${shortenHome(source)}`)),
		...(problem === undefined ? [] : [theme.fg(error === undefined ? "muted" : "error", plain(problem))]),
	];
	const left = Math.max(0, limits.previewRows - head.length);
	const tail = left === 0 ? [] : log.slice(-left);
	return [...head, ...tail.map((line) => theme.fg("dim", plain(line)))].slice(0, limits.previewRows);
}
