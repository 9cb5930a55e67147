/** A project's overrides of the user's packages: `.tau/plugin-overrides.json`, or omp's file of the same name. */
import { join } from "node:path";

import { isRecord } from "@tau/utils";

import { readJson, tableIn, textsIn } from "./record.ts";
import { isValue, type SettingValue } from "./setting-schema.ts";

export interface Overrides {
	disabled: ReadonlySet<string>;
	features: ReadonlyMap<string, readonly string[]>;
	settings: ReadonlyMap<string, Readonly<Record<string, SettingValue>>>;
	/** What is wrong with the file. */
	problem?: { path: string; message: string };
}

export const noOverrides: Overrides = { disabled: new Set(), features: new Map(), settings: new Map() };

/** The first existing file is used. An unreadable file changes nothing and is reported. */
export function readOverrides(cwd: string): Overrides {
	for (const directory of [".tau", ".omp"]) {
		const path = join(cwd, directory, "plugin-overrides.json");
		const file = readJson(path);
		if (!file.ok && file.isMissing) continue;
		if (!file.ok) return { ...noOverrides, problem: { path, message: file.reason } };
		const features = tableIn(file.value, "features");
		const settings = Object.entries(tableIn(file.value, "settings")).filter(
			(entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]),
		);
		return {
			disabled: new Set(textsIn(file.value, "disabled") ?? []),
			features: new Map(Object.keys(features).map((name) => [name, textsIn(features, name) ?? []])),
			settings: new Map(
				settings.map(([name, values]) => [
					name,
					Object.fromEntries(
						Object.entries(values).filter((entry): entry is [string, SettingValue] => isValue(entry[1])),
					),
				]),
			),
		};
	}
	return noOverrides;
}
