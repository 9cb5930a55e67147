/** The settings that a package declares: their types, defaults and ranges, and the validation of a value. */
import { isRecord } from "@tau/utils";

import { textIn } from "./record.ts";

export interface SettingSchema {
	type: "string" | "number" | "boolean" | "enum";
	description?: string;
	default?: SettingValue;
	/** Its value is never shown. */
	isSecret: boolean;
	/** The variable that is used if nothing is set. */
	env?: string;
	min?: number;
	max?: number;
	/** Of an enum. */
	values: readonly string[];
}

export type SettingValue = string | number | boolean;

const types = ["string", "number", "boolean", "enum"] as const;

export function readSchemas(table: Record<string, unknown>): Map<string, SettingSchema> {
	const schemas = new Map<string, SettingSchema>();
	for (const [name, value] of Object.entries(table)) {
		if (!isRecord(value)) continue;
		const type = types.find((known) => known === value.type);
		if (!type) continue;
		const [description, env] = [textIn(value, "description"), textIn(value, "env")];
		const values: unknown[] = Array.isArray(value.values) ? value.values : [];
		schemas.set(name, {
			type,
			isSecret: value.secret === true,
			values: values.filter((item) => typeof item === "string"),
			...(description === undefined ? {} : { description }),
			...(env === undefined ? {} : { env }),
			...(isValue(value.default) ? { default: value.default } : {}),
			...(typeof value.min === "number" ? { min: value.min } : {}),
			...(typeof value.max === "number" ? { max: value.max } : {}),
		});
	}
	return schemas;
}

export function isValue(value: unknown): value is SettingValue {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

export type ReadValue = { ok: true; value: SettingValue } | { ok: false; reason: string };

/** Converts the text that the user typed to the setting's type. */
export function readValue(word: string, schema: SettingSchema): ReadValue {
	if (schema.type === "boolean") {
		if (/^(?:true|yes|on|1)$/i.test(word)) return { ok: true, value: true };
		if (/^(?:false|no|off|0)$/i.test(word)) return { ok: true, value: false };
		return { ok: false, reason: "must be true or false" };
	}
	const value = schema.type === "number" && word.trim() !== "" ? Number(word) : word;
	const problem = valueProblem(value, schema);
	return problem === undefined ? { ok: true, value } : { ok: false, reason: problem };
}

/** The problem with a value, worded to follow the name of the setting. */
export function valueProblem(value: unknown, { type, min, max, values }: SettingSchema): string | undefined {
	switch (type) {
		case "boolean":
			return typeof value === "boolean" ? undefined : "must be true or false";
		case "string":
			return typeof value === "string" ? undefined : "must be a string";
		case "enum":
			return typeof value === "string" && values.includes(value)
				? undefined
				: `must be one of ${values.join(", ")}`;
		case "number":
			if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
			if (min !== undefined && value < min) return `must be at least ${min}`;
			return max !== undefined && value > max ? `must be at most ${max}` : undefined;
	}
}
