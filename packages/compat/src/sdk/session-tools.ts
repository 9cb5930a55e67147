/** Which tools a session of a program has: those of Tau by name, and its own. */
import type { ToolDefinition } from "@tau/extensions/api";
import type { Settings } from "@tau/session/settings";
import { chooseTools, toolsBySettings, builtinTools } from "@tau/tools/builtin";
import type { BuiltinTool } from "@tau/tools/tool";

export interface ToolWishes {
	/** Names; older programs give the tools themselves. */
	tools?: readonly (string | ToolDefinition)[];
	/** `all` for none, `builtin` for the own ones alone. */
	noTools?: "all" | "builtin";
	excludeTools?: readonly string[];
	customTools?: readonly ToolDefinition[];
}

export interface ChosenTools {
	builtin: readonly BuiltinTool[];
	/** Brought by the program. */
	own: readonly ToolDefinition[];
	/** Which of those of extensions count, the program's among them; all where it is not said. */
	extensionTools?: (name: string) => boolean;
}

/** Names that no tool has are passed over: an extension may bring them. */
export function chosenTools(
	wishes: ToolWishes,
	settings: Settings,
	onNotice: (message: string) => void,
): ChosenTools {
	const { tools, noTools, excludeTools = [], customTools = [] } = wishes;
	const own = [...customTools, ...(tools ?? []).filter((tool) => typeof tool !== "string")];
	const names = tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
	if (noTools === "all") return { builtin: [], own: [], extensionTools: () => false };
	const isWanted = (name: string): boolean =>
		(names?.includes(name) ?? true) &&
		!excludeTools.includes(name) &&
		own.every((tool) => tool.name !== name);
	const known = names ? builtinTools : toolsBySettings(builtinTools, settings, onNotice);
	const wanted = known.filter(({ name }) => isWanted(name)).map(({ name }) => name);
	const choice = chooseTools(builtinTools, noTools === "builtin" ? [] : wanted);
	if (!choice.ok) throw new Error(choice.message);
	return { builtin: choice.tools, own, ...(names ? { extensionTools: (name) => names.includes(name) } : {}) };
}
