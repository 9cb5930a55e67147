/** Names that settings had before, or have in pi and omp: they are read, and written under their new name. */
import type { SettingKey } from "./schema.ts";

export interface OldName {
	old: string;
	now: SettingKey;
	/** Another name that is read together with it, and means nothing alone. */
	beside?: string;
	/** The value as the new name wants it; the whole file goes along. */
	convert?(value: unknown, whole: Readonly<Record<string, unknown>>): unknown;
}

export const oldNames: readonly OldName[] = [
	{ old: "queueMode", now: "steeringMode" },
	{
		old: "fallbackModel",
		now: "fallbackModels",
		convert: (value) => (typeof value === "string" ? [value] : value),
	},
	{ old: "retry.provider.maxRetryDelayMs", now: "retry.maxDelayMs" },
	{
		old: "defaultModel",
		now: "modelRoles.default",
		beside: "defaultProvider",
		convert: (model, { defaultProvider: provider }) =>
			typeof provider === "string" && typeof model === "string" ? `${provider}/${model}` : model,
	},
];

/** Whether old names lie below the path. */
export function isOldGroup(path: string): boolean {
	return oldNames.some(({ old }) => old.startsWith(`${path}.`));
}

export function isBeside(path: string): boolean {
	return oldNames.some(({ beside }) => beside === path);
}

/** Everything that must go from a file when the setting is written under its present name. */
export function oldNamesOf(key: string): string[] {
	return oldNames
		.filter(({ now }) => now === key)
		.flatMap(({ old, beside }) => (beside === undefined ? [old] : [old, beside]));
}
