/** Lets the user see every setting and its origin, and change it: for the session, the user or the project. */
import { getKeybindings, keyHint, rawKeyHint, truncateToWidth, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";
import { visibleValue, type Origin, type Scope } from "@tau/config/settings";

import type { SettingsData } from "@tau/session-commands/rows";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen, PickerSpec } from "../kit/spec.ts";
import { Stacked } from "../kit/stacked.ts";
import {
	changeOf,
	fitting,
	fullLabel,
	groupStarts,
	scopes,
	settingRows,
	shownLayer,
	shownValue,
	type SettingRow,
} from "./setting-rows.ts";

export interface SettingsSelectorParts {
	/** The values; where they come from is read when the list is shown. */
	settings: SettingsData["settings"];
	explain(): Promise<SettingsData["settings"]>;
	/** Rejects with the reason. Resolves with what hides the value, if something does. */
	set(path: string, value: string, scope: Scope): Promise<Origin | undefined>;
	unset(path: string, scope: Scope): Promise<void>;
	/** Called whenever a setting has changed, by whomever. */
	onChange(listener: () => void): Disposable;
	search?: string;
	/** Names that a setting of free text is usually chosen from, such as those of the themes. */
	known(path: string): readonly string[];
	close(): void;
}

const valueWidth = 22;
const layerWidth = 8;
const groupWidth = 14;
/** On a narrower screen groups are seen by their order alone. */
const leastGroupedWidth = 60;

export class SettingsSelector implements Disposable {
	readonly #screen: PickerScreen;
	readonly #parts: SettingsSelectorParts;
	readonly #picker: Picker<SettingRow>;
	readonly #owned = new DisposableStack();
	/** The shown rows that begin a group. */
	#starts: ReadonlySet<string> = new Set();
	#rows: readonly SettingRow[];
	readonly component: Stacked;

	constructor(screen: PickerScreen, parts: SettingsSelectorParts) {
		this.#screen = screen;
		this.#parts = parts;
		this.#rows = settingRows(valuesOf(parts.settings));
		this.#picker = new Picker(screen, this.#spec());
		this.component = new Stacked(this.#picker);
		this.#owned.use(parts.onChange(() => this.#look()));
		this.#look();
	}

	/** Determines the source of each value; the list is shown before, and fills up. */
	#look(): void {
		this.#picker.run(() => this.#explain());
	}

	async #explain(): Promise<void> {
		const settings = await this.#parts.explain();
		if (this.#owned.disposed) return;
		const origins = new Map(settings.map(({ path, from }) => [path, from]));
		this.#rows = settingRows(valuesOf(settings)).map((each) => {
			const from = origins.get(each.path);
			return from ? { ...each, from } : each;
		});
		this.#picker.refresh();
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	#spec(): PickerSpec<SettingRow> {
		const { search, close } = this.#parts;
		return {
			title: "Settings",
			tabs: () => scopes,
			tab: "global",
			...(search === undefined ? {} : { search }),
			items: (query) => {
				const shown = fitting(this.#rows, query);
				this.#starts = new Set([...groupStarts(shown)].map(({ path }) => path));
				return shown;
			},
			idOf: ({ path }) => path,
			row: (item, width, theme) => settingLine(item, this.#starts.has(item.path), width, theme),
			about: (item, width, theme) => aboutSetting(item, this.#picker.tab, width, theme),
			aboutRows: 5,
			empty: (query) => `No setting matches "${plain(query)}"`,
			hints: (theme, item) => [
				keyHint(theme, "tui.select.confirm", "change"),
				keyHint(theme, "app.list.nextTab", "scope"),
				item ? keyHint(theme, "app.settings.unset", "reset") : "",
				rawKeyHint(theme, "escape", "close"),
			],
			onKey: (data, item) => {
				if (!getKeybindings().matches(data, "app.settings.unset")) return false;
				if (item) this.#picker.run(() => this.#unset(item));
				return true;
			},
			onConfirm: (item) => this.#change(item),
			onCancel: close,
		};
	}

	async #change(item: SettingRow): Promise<void> {
		const action = changeOf(item, this.#parts.known(item.path));
		if (action.kind === "set") return this.#set(item, action.value);
		if (action.kind === "choose") return this.#choose(item, action.choices);
		this.#picker.ask({
			label: `${item.label}: ${item.setting.expected}`,
			initial: action.initial,
			onSubmit: async (text) => {
				const outcome = await this.#write(item, text.trim());
				if (typeof outcome === "string") return outcome;
				outcome.announce();
				return undefined;
			},
		});
	}

	async #unset({ path }: SettingRow): Promise<void> {
		await this.#parts.unset(path, this.#scope);
		await this.#explain();
		this.#picker.showMessage(`Reset ${path} ${whereOf(this.#scope)}.`, "success");
	}

	get #scope(): Scope {
		return scopes.find(({ id }) => id === this.#picker.tab)?.id ?? "session";
	}

	#choose(item: SettingRow, choices: readonly string[]): void {
		const back = (): void => {
			this.component.back();
			this.#screen.requestRender();
		};
		const list = new Picker<string>(this.#screen, {
			title: item.label,
			hasSearch: false,
			items: () => choices,
			idOf: (choice) => choice,
			row: (choice) => `${choice === item.value ? "●" : " "} ${plain(choice)}`,
			about: (_, width, theme) => described(item, width, theme),
			aboutRows: 3,
			empty: () => "No choices",
			hints: (theme) => [keyHint(theme, "tui.select.confirm", "select"), rawKeyHint(theme, "escape", "back")],
			onConfirm: async (choice) => {
				back();
				await this.#set(item, choice);
			},
			onCancel: back,
		});
		list.select(String(item.value));
		this.component.open(list);
	}

	async #set(item: SettingRow, value: unknown): Promise<void> {
		const outcome = await this.#write(item, String(value));
		if (typeof outcome === "string") this.#picker.showMessage(outcome, "error");
		else outcome.announce();
	}

	/** Returns the problem, or a function that announces the success. */
	async #write({ path }: SettingRow, value: string): Promise<string | { announce(): void }> {
		const scope = this.#scope;
		let hiddenBy: Origin | undefined;
		try {
			hiddenBy = await this.#parts.set(path, value, scope);
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		} finally {
			await this.#explain();
		}
		const announce = (): void => {
			if (!hiddenBy)
				return this.#picker.showMessage(
					`Set ${path} to ${shownValue(visibleValue(path, value))} ${whereOf(scope)}.`,
					"success",
				);
			this.#picker.showMessage(`Saved, but ${shownOrigin(hiddenBy)} overrides it.`, "warning");
		};
		return { announce };
	}
}

function valuesOf(settings: SettingsData["settings"]): (path: string) => unknown {
	const values = new Map(settings.map(({ path, value }) => [path, value ?? undefined]));
	return (path) => values.get(path);
}

function whereOf(scope: Scope): string {
	return scopes.find(({ id }) => id === scope)?.where ?? "";
}

function settingLine(setting: SettingRow, isFirst: boolean, width: number, theme: Theme): string {
	const { label, group, value, from } = setting;
	const isDefault = from === undefined || from.layer === "default";
	const columns = [
		{
			text: plain(shownValue(value)),
			width: Math.min(valueWidth, Math.max(8, Math.floor(width / 3))),
			paint: (text: string) => theme.fg(isDefault ? "muted" : "accent", text),
		},
		{ text: shownLayer(from), width: layerWidth, paint: (text: string) => theme.fg("dim", text) },
	];
	const paint = (text: string): string =>
		setting.setting.scopes.length === 0 ? theme.fg("muted", text) : text;
	if (width < leastGroupedWidth) return row(fullLabel(setting), columns, width, paint);
	const name = truncateToWidth(isFirst ? group : "", groupWidth).padEnd(groupWidth);
	return theme.fg("dim", `${name}  `) + row(label, columns, width - groupWidth - 2, paint);
}

function described({ setting }: SettingRow, width: number, theme: Theme): string[] {
	return wrapTextWithAnsi(setting.description, width).map((line) => theme.fg("muted", line));
}

function aboutSetting(item: SettingRow, tab: string, width: number, theme: Theme): string[] {
	const { from, setting } = item;
	const dim = (text: string): string => theme.fg("dim", text);
	const isAllowed = setting.scopes.some((scope) => scope === tab);
	const why =
		tab === "session"
			? "takes effect when a session starts"
			: `not for projects: ${setting.notForProjects ?? "user setting only"}`;
	return [
		theme.fg("text", item.path) + dim(from === undefined ? "" : ` · from ${shownOrigin(from)}`),
		isAllowed ? dim(`expects ${setting.expected}`) : theme.fg("warning", why),
		...described(item, width, theme),
	];
}

function shownOrigin({ layer, file, line }: Origin): string {
	if (file === undefined) return layer === "default" ? "the default" : `the ${layer}`;
	return `${shortenHome(file)}${line === undefined ? "" : `:${line}`}`;
}
