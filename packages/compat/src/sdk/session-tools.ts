/** Which tools a session of a program has: those of Tau by name, and its own. */
import type { ToolDefinition } from "@tau/extensions/api";
import type { Settings } from "@tau/config/settings";
import { builtinTools, reportUnknownTools } from "@tau/integrations/builtin";
import { selectionBySettings, type ToolSelection } from "@tau/tools/registry";
import type { BuiltinTool } from "@tau/tools/tool";

export interface ToolOptions {
	/** Names; older programs give the tools themselves. */
	tools?: readonly (string | ToolDefinition)[];
	/** `all` for none, `builtin` for the own ones alone. */
	noTools?: "all" | "builtin";
	excludeTools?: readonly string[];
	customTools?: readonly ToolDefinition[];
}

export interface ChosenTools {
	builtin: readonly BuiltinTool[];
	/** Passed by the program. */
	own: readonly ToolDefinition[];
	selection: ToolSelection;
}

/** Unknown names are ignored: an extension may register them. */
export function chosenTools(
	options: ToolOptions,
	settings: Settings,
	onNotice: (message: string) => void,
): ChosenTools {
	const { tools, noTools, excludeTools = [], customTools = [] } = options;
	if (noTools === "all") return { builtin: [], own: [], selection: { hides: () => true } };
	const own = [...customTools, ...(tools ?? []).filter((tool) => typeof tool !== "string")];
	const isOwn = (name: string): boolean => own.some((tool) => tool.name === name);
	const names = tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
	const builtin = noTools === "builtin" ? [] : builtinTools.filter(({ name }) => !isOwn(name));
	if (names) {
		const isNamed = (name: string): boolean => names.includes(name);
		const hides = (name: string): boolean => !isNamed(name) || excludeTools.includes(name);
		return { builtin, own, selection: { hides, names: isNamed } };
	}
	reportUnknownTools(
		builtinTools.map(({ name }) => name),
		settings,
		onNotice,
	);
	const usual = selectionBySettings(settings);
	const hides = (name: string): boolean => excludeTools.includes(name) || (!isOwn(name) && usual.hides(name));
	return { builtin, own, selection: { ...usual, hides } };
}
