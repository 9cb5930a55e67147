/** pi's settings list, for extensions that open it themselves: each change is passed to the callback of its name. */
import { Container, DynamicBorder, SettingsList, type SettingItem } from "@tau/tui";

import { limits } from "./limits.ts";
import { getSettingsListTheme } from "./theming.ts";
import { screenTheme } from "../support/screen-theme.ts";

type Config = Readonly<Record<string, unknown>>;
type Callbacks = Readonly<Record<string, ((value?: unknown) => void) | undefined>>;

/** What a setting may be, where it is not yes or no. */
const choices: Readonly<Record<string, readonly string[]>> = {
	steeringMode: ["one-at-a-time", "all"],
	followUpMode: ["one-at-a-time", "all"],
	doubleEscapeAction: ["tree", "fork", "none"],
	treeFilterMode: ["default", "no-tools", "user-only", "labeled-only", "all"],
};

/** pi's names of the callbacks that do not follow from that of the setting. */
const renamed: Readonly<Record<string, string>> = { currentTheme: "onThemeChange" };

export class SettingsSelectorComponent extends Container {
	readonly #list: SettingsList;

	constructor(config: Config, callbacks: Callbacks) {
		super();
		this.#list = new SettingsList(
			itemsOf(config),
			limits.listRows,
			getSettingsListTheme(),
			(id, value) => callbackFor(callbacks, id)?.(valueOf(config[id], value)),
			() => callbacks.onCancel?.(),
			{ enableSearch: true },
		);
		const border = new DynamicBorder((text) => screenTheme().fg("border", text));
		this.addChild(border);
		this.addChild(this.#list);
		this.addChild(border);
	}

	getSettingsList(): SettingsList {
		return this.#list;
	}

	handleInput(data: string): void {
		this.#list.handleInput(data);
	}
}

function itemsOf(config: Config): SettingItem[] {
	const lists: Readonly<Record<string, unknown>> = {
		thinkingLevel: config.availableThinkingLevels,
		currentTheme: config.availableThemes,
	};
	return Object.entries(config).flatMap(([id, value]): SettingItem[] => {
		const listed = lists[id] ?? choices[id];
		if (Array.isArray(listed)) return [item(id, String(value), listed.map(String))];
		if (typeof value === "boolean") return [item(id, String(value), ["true", "false"])];
		return typeof value === "number" ? [item(id, String(value), [String(value)])] : [];
	});
}

function item(id: string, currentValue: string, values: string[]): SettingItem {
	return { id, label: id.replaceAll(/([A-Z])/g, " $1").toLowerCase(), currentValue, values };
}

function callbackFor(callbacks: Callbacks, id: string): Callbacks[string] {
	return callbacks[renamed[id] ?? `on${id[0]?.toUpperCase()}${id.slice(1)}Change`];
}

function valueOf(before: unknown, text: string): unknown {
	if (typeof before === "boolean") return text === "true";
	return typeof before === "number" ? Number(text) : text;
}
