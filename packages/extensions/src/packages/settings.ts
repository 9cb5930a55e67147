/** The values of a package's settings: from the project, the user, a variable, or the default. */
import type { Env } from "@tau/utils";

import type { Manifest } from "./manifest.ts";
import type { Overrides } from "./overrides.ts";
import { readValue, valueProblem, type SettingSchema, type SettingValue } from "./setting-schema.ts";
import type { PackageState } from "./state.ts";

export interface SettingRow {
	key: string;
	schema: SettingSchema;
	/** Absent if no source sets a value. */
	value?: SettingValue;
	from: "project" | "set" | "env" | "default" | "nothing";
	/** What is wrong with the effective value. */
	problem?: string;
}

export interface SettingsFiles {
	name: string;
	manifest: Pick<Manifest, "settings">;
	state: PackageState;
	overrides: Overrides;
	env: Env;
}

export function settingRows({ name, manifest, state, overrides, env }: SettingsFiles): SettingRow[] {
	const set = state.settings.get(name) ?? {};
	const ofProject = overrides.settings.get(name) ?? {};
	return [...manifest.settings].map(([key, schema]) => {
		const row = { key, schema, ...valueOf(key, schema, ofProject, set, env) };
		const problem = row.value === undefined ? undefined : valueProblem(row.value, schema);
		return problem === undefined ? row : { ...row, problem };
	});
}

type Values = Readonly<Record<string, SettingValue>>;

function valueOf(
	key: string,
	schema: SettingSchema,
	ofProject: Values,
	set: Values,
	env: Env,
): Pick<SettingRow, "value" | "from"> {
	const [first, second] = [ofProject[key], set[key]];
	if (first !== undefined) return { value: first, from: "project" };
	if (second !== undefined) return { value: second, from: "set" };
	const word = schema.env === undefined ? undefined : env[schema.env];
	if (word !== undefined && word !== "") {
		const read = readValue(word, schema);
		return { value: read.ok ? read.value : word, from: "env" };
	}
	return schema.default === undefined ? { from: "nothing" } : { value: schema.default, from: "default" };
}

/** Values that are set and that the package does not know. */
export function strangeSettings({ name, manifest, state }: SettingsFiles): string[] {
	return Object.keys(state.settings.get(name) ?? {}).filter((key) => !manifest.settings.has(key));
}

/** The value as it may be displayed to the user. */
export function shownValue({ schema, value }: SettingRow): string {
	if (value === undefined) return "–";
	return schema.isSecret ? "••••••••" : String(value);
}
