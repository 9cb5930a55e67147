/** `/tools`: the tools that the model has, and which of them are off in this session. */
import type { SessionTools, ToolEntry, ToolLayer } from "@tau/session/run";

import { openSelector } from "../selectors/open.ts";
import { toolsSelector, type ToolRow } from "../selectors/tools/selector.ts";
import type { SlashCommand } from "./command.ts";

export const tools: SlashCommand = {
	name: "tools",
	group: "Tools",
	description: "Enable or disable tools for this session",
	run(_, host) {
		openSelector(host, (screen, close) => ({
			component: toolsSelector(screen, {
				tools: () => rowsOf(host.session.tools),
				toggle: ({ name }) => switchTool(host.session.tools, name),
				close,
			}),
		}));
	},
};

/** Tools that the settings exclude are not offered: the user has already decided against them. */
const unlisted: ReadonlySet<ToolLayer> = new Set(["settings", "agent", "policy"]);

/** What else has disabled a tool: the user cannot enable it here. */
const others: Readonly<Partial<Record<ToolLayer, string>>> = {
	extension: "off: an extension hides it",
	mode: "off in this mode",
};

export function rowsOf(table: SessionTools | undefined): ToolRow[] {
	return (table?.entries ?? [])
		.filter(({ hiddenBy }) => !hiddenBy.some((layer) => unlisted.has(layer)))
		.map(({ tool, hiddenBy }) => ({
			name: tool.name,
			label: reasonOf(hiddenBy) ?? tool.label,
			description: tool.description,
			chars: tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
			isOn: hiddenBy.length === 0,
		}));
}

function reasonOf(hiddenBy: ToolEntry["hiddenBy"]): string | undefined {
	return hiddenBy.map((layer) => others[layer]).find((reason) => reason !== undefined);
}

/** Takes effect with the next request. */
export function switchTool(table: SessionTools | undefined, name: string): void {
	const entry = table?.entries.find(({ tool }) => tool.name === name);
	if (!table || !entry) return;
	const off = new Set(table.hidden("user"));
	if (off.has(name)) off.delete(name);
	else if (entry.hiddenBy.length === 0) off.add(name);
	table.hide("user", off);
}
