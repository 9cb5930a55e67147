/** Merges layers: tables are merged name by name, everything else is replaced. */
import { isRecord } from "@tau/utils";

import type { Layer } from "./read-layer.ts";
import { schema, settingPaths, type Named, type SettingPath } from "./schema.ts";

export type Values = ReadonlyMap<SettingPath, unknown>;

/** `layers` are lowest first. */
export function mergeLayers(layers: readonly Layer[]): Values {
	const values = new Map<SettingPath, unknown>();
	for (const path of settingPaths) values.set(path, schema[path].default);
	for (const layer of layers) {
		for (const [path, value] of layer.values) values.set(path, laidOver(values.get(path), value));
	}
	return values;
}

export function laidOver(below: unknown, above: unknown): unknown {
	return isRecord(below) && isRecord(above)
		? Object.fromEntries([...Object.entries(below), ...Object.entries(above)])
		: above;
}

/** The value of a setting, or of one entry of a table. */
export function valueOf(values: Values, { path, entry }: Pick<Named, "path" | "entry">): unknown {
	const value = values.get(path);
	if (entry === undefined) return value;
	return isRecord(value) && Object.hasOwn(value, entry) ? value[entry] : undefined;
}
