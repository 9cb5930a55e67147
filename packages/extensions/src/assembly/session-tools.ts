/** The registry of a new session: its own tools, and what its options and settings hide. */
import type { Behavior } from "@tau/session";
import type { Settings } from "@tau/session/settings";
import { builtinTools } from "@tau/tools/builtin";
import { followSelection, selectionBySettings, ToolRegistry, type ToolSelection } from "@tau/tools/registry";
import type { BuiltinTool, ToolEnv } from "@tau/tools/tool";

export interface SessionToolsParts {
	tools: readonly BuiltinTool[];
	toolSelection?: ToolSelection | undefined;
	settings: Pick<Settings, "get" | "onChange">;
}

export function sessionTools(
	{ tools, toolSelection, settings }: SessionToolsParts,
	env: ToolEnv,
): { tools: ToolRegistry; selection: Behavior } {
	const registry = new ToolRegistry();
	const isOurs = (tool: BuiltinTool): boolean => builtinTools.includes(tool);
	const bound = (all: readonly BuiltinTool[]) => all.map((tool) => tool.bind(env));
	registry.register("builtin", bound(tools.filter(isOurs)));
	registry.register("custom", bound(tools.filter((tool) => !isOurs(tool))));
	const selection = followSelection(registry, toolSelection ?? selectionBySettings(settings), settings);
	return { tools: registry, selection };
}
