/** The storage of a `SettingsManager`: Tau's files, memory, or a storage that an extension passes. */
import { findSetting, Settings, readText, sourcesOf, type SourceOptions } from "@tau/config/settings";
import { isRecord } from "@tau/utils";

export type SettingsScope = "global" | "project";
export type SettingsTable = Record<string, unknown>;

/** Throws what is wrong with what was read. */
export interface SettingsHome {
	read(scope: SettingsScope): SettingsTable;
	/** `own` is Tau's name of the setting. Rejects with the reason if it is not stored. */
	write(scope: SettingsScope, path: string, value: unknown, own: string): Promise<void>;
}

/** pi's own interface: text in, text out, under a lock. */
export interface SettingsStorage {
	withLock(scope: SettingsScope, change: (current: string | undefined) => string | undefined): void;
}

export class InMemorySettingsStorage implements SettingsStorage {
	readonly #texts = new Map<SettingsScope, string>();

	withLock(scope: SettingsScope, change: (current: string | undefined) => string | undefined): void {
		const next = change(this.#texts.get(scope));
		if (next !== undefined) this.#texts.set(scope, next);
	}
}

export function homeIn(storage: SettingsStorage): SettingsHome {
	const tableOf = (text: string | undefined): SettingsTable => {
		const value: unknown = text === undefined || text.trim() === "" ? {} : JSON.parse(text);
		return isRecord(value) ? value : {};
	};
	return {
		read(scope) {
			let text: string | undefined;
			storage.withLock(scope, (current) => void (text = current));
			return tableOf(text);
		},
		async write(scope, path, value) {
			storage.withLock(scope, (current) =>
				JSON.stringify(placed(tableOf(current), path.split("."), value), undefined, 2),
			);
		},
	};
}

/** Read at once, written through Tau's own settings: what they do not know is not written. */
export function homeInFiles(options: SourceOptions): SettingsHome {
	let settings: Promise<Settings> | undefined;
	return {
		read: (scope) =>
			sourcesOf(options)
				.filter(({ layer }) => layer === scope)
				.map(({ path }) => parsed(path))
				.reduce((below, above) => over(below, above), {}),
		async write(scope, path, value, own) {
			if (!findSetting(own)) throw new Error(`Tau has no setting ${path}; it applies to this program only.`);
			settings ??= Settings.load(options);
			const known = await settings;
			const outcome = await (value === undefined
				? known.unset(own, scope)
				: known.setUnchecked(own, value, scope));
			if (!outcome.ok) throw new Error(outcome.reason);
		},
	};
}

function parsed(path: string): SettingsTable {
	const read = readText(path);
	if (!read) return {};
	if (!read.ok) throw new Error(`${path} ${read.reason}`);
	const value: unknown = path.endsWith(".json")
		? Bun.JSONC.parse(read.text || "{}")
		: Bun.YAML.parse(read.text);
	return isRecord(value) ? value : {};
}

/** Groups are merged, everything else is replaced. */
export function over(below: SettingsTable, above: SettingsTable): SettingsTable {
	const whole = { ...below };
	for (const [key, value] of Object.entries(above)) {
		const under = whole[key];
		whole[key] = isRecord(under) && isRecord(value) ? over(under, value) : value;
	}
	return whole;
}

export function valueAt(table: SettingsTable, path: string): unknown {
	return path.split(".").reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), table);
}

export function placed(
	table: SettingsTable,
	[key = "", ...rest]: readonly string[],
	value: unknown,
): SettingsTable {
	const { [key]: before, ...others } = table;
	if (rest.length > 0) return { ...table, [key]: placed(isRecord(before) ? before : {}, rest, value) };
	return value === undefined ? others : { ...table, [key]: value };
}
