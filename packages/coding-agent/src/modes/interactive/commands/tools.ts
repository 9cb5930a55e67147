/** `/tools`: the tools that the model has, and which of them are off in this session. */
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { toolsSelector, type ToolRow } from "../selectors/tools/selector.ts";
import type { SlashCommand } from "./command.ts";
import { switchTool, toolsOf } from "./tool-choice.ts";

export const tools: SlashCommand = {
	name: "tools",
	description: "Enable or disable tools for this session",
	run(_, host) {
		openSelector(host, (screen, close) => ({
			component: toolsSelector(screen, {
				tools: () => rowsOf(host),
				toggle: ({ name, isOn }) => switchTool(host.session, name, !isOn),
				close,
			}),
		}));
	},
};

function rowsOf({ session }: InteractiveHost): ToolRow[] {
	return toolsOf(session).map(({ tool, isOn }) => ({
		name: tool.name,
		label: tool.label,
		description: tool.description,
		chars: tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
		isOn,
	}));
}
