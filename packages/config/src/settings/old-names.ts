/** Former names of settings, and their names in pi and omp: they are read, and written under the new name. */
import { isRecord } from "@tau/utils";

import type { SettingKey } from "./schema.ts";

export interface OldName {
	old: string;
	now: SettingKey;
	/** Another name that is read together with it, and has no meaning alone. */
	beside?: string;
	/** Converts the value to the new setting; receives the whole file. */
	convert?(value: unknown, whole: Readonly<Record<string, unknown>>): unknown;
}

export const oldNames: readonly OldName[] = [
	{ old: "favouriteModels", now: "favoriteModels" },
	{ old: "queueMode", now: "steeringMode" },
	// The short form of a group that has more settings.
	{ old: "sandbox", now: "sandbox.mode" },
	{ old: "doubleEscapeAction", now: "doubleEscape" },
	{
		// Seconds in omp's newer versions, milliseconds in older ones; a quarter of an hour in seconds is unlikely.
		old: "ask.timeout",
		now: "ask.timeoutSeconds",
		convert: (value) => (typeof value === "number" && value >= 1000 ? Math.round(value / 1000) : value),
	},
	{
		old: "fallbackModel",
		now: "fallbackModels",
		convert: (value) => (typeof value === "string" ? [value] : value),
	},
	{ old: "theme.dark", now: "theme", convert: themePair },
	{ old: "theme.light", now: "theme", convert: themePair },
	{
		old: "hideThinkingBlock",
		now: "thinking.show",
		convert: (value) => (typeof value === "boolean" ? !value : value),
	},
	// The back ends of newer versions of omp; Tau has one.
	{ old: "memory.backend", now: "memories.enabled", convert: (value) => value !== "off" },
	{
		old: "task.isolation.enabled",
		now: "task.isolation.mode",
		convert: (value) => (typeof value === "boolean" ? (value ? "auto" : "none") : value),
	},
	{ old: "skills.customDirectories", now: "skills" },
	{
		old: "skills.ignoredSkills",
		now: "discovery.disabled",
		convert: (value) =>
			Array.isArray(value)
				? value.map((name: unknown) => (typeof name === "string" ? `skills:${name}` : name))
				: value,
	},
	{
		// pi's word for what Codex models are asked over.
		old: "transport",
		now: "providers.openaiWebsockets",
		convert: (value) => (value === "sse" ? "off" : value === "auto" ? value : "on"),
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

/** omp has a theme for dark and one for light terminals; either may be missing. */
function themePair(_value: unknown, { theme }: Readonly<Record<string, unknown>>): unknown {
	const { light = "light", dark = "dark" } = isRecord(theme) ? theme : {};
	return `${String(light)}/${String(dark)}`;
}

/** Whether the path contains old names. */
export function isOldGroup(path: string): boolean {
	return oldNames.some(({ old }) => old.startsWith(`${path}.`));
}

export function isBeside(path: string): boolean {
	return oldNames.some(({ beside }) => beside === path);
}

/** The names to remove from a file when the setting is written under its present name. */
export function oldNamesOf(key: string): string[] {
	return oldNames
		.filter(({ now }) => now === key)
		.flatMap(({ old, beside }) => (beside === undefined ? [old] : [old, beside]));
}
