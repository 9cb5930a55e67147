/** Which tools a session has by its command line, its options and its settings: the "settings" layer of the registry. */
import type { Behavior } from "@tau/session/run";
import { isSettingPath, type Settings } from "@tau/config/settings";

import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolSelection {
	/** Called for each tool, including later ones. A tool that is hidden here cannot be enabled again. */
	hides(name: string): boolean;
	/** True for a tool that is requested by name: it is enabled even if its own default is off. */
	names?(name: string): boolean;
}

/** The current `tools.enabled`, `tools.disabled` and switches of single tools such as `todo.enabled`. */
export function selectionBySettings(settings: Pick<Settings, "get">): ToolSelection {
	return {
		hides(name) {
			const [enabled, disabled] = [settings.get("tools.enabled"), settings.get("tools.disabled")];
			return (
				disabled.includes(name) ||
				isSwitchedOff(settings, name) ||
				(enabled.length > 0 && !enabled.includes(name))
			);
		},
		names: (name) => settings.get("tools.enabled").includes(name),
	};
}

function isSwitchedOff(settings: Pick<Settings, "get">, name: string): boolean {
	const path = `${name}.enabled`;
	return isSettingPath(path) && settings.get(path) === false;
}

/** Keeps the layer in step with the settings while the session runs. */
export function followSelection(
	registry: ToolRegistry,
	selection: ToolSelection,
	settings: Pick<Settings, "onChange">,
): Behavior {
	const apply = (): void => registry.hide("settings", (name) => selection.hides(name));
	apply();
	return {
		name: "tool-selection",
		attach: () =>
			settings.onChange((path) => {
				if (path.endsWith(".enabled") || path === "tools.disabled") apply();
			}),
	};
}
