/** The settings about models: roles, the enabled ones, the order of providers, the disabled ones. */
import { env as readEnv, type Env } from "@tau/utils";

import type { Settings } from "../settings/index.ts";

export const modelRoles = ["default", "smol", "slow", "plan", "commit", "vision", "tiny"] as const;
export type ModelRole = (typeof modelRoles)[number];

export interface ModelSettings {
	/** The model of each role: a model, a canonical id or another role, optionally with a thinking level behind it. */
	roles: Readonly<Record<string, string>>;
	/** Patterns of the models to choose among; empty for all. */
	enabledModels: readonly string[];
	/** The preferred providers if several have a model. */
	providerOrder: readonly string[];
	disabledProviders: readonly string[];
}

export const noModelSettings: ModelSettings = {
	roles: {},
	enabledModels: [],
	providerOrder: [],
	disabledProviders: [],
};

/** The settings for models. */
export function modelSettings(settings: Settings): ModelSettings {
	return {
		roles: settings.get("modelRoles"),
		enabledModels: settings.get("enabledModels"),
		providerOrder: settings.get("modelProviderOrder"),
		disabledProviders: settings.get("disabledProviders"),
	};
}

/** Roles for this run: a flag overrides a variable, which overrides the settings. */
export function withRoles(
	settings: ModelSettings,
	flags: Readonly<Partial<Record<ModelRole, string>>>,
	env: Env,
): ModelSettings {
	const variables = { smol: "TAU_SMOL_MODEL", slow: "TAU_SLOW_MODEL", plan: "TAU_PLAN_MODEL" } as const;
	const fromEnv = Object.entries(variables).flatMap(([role, variable]) => {
		const value = readEnv(variable, env);
		return value === undefined ? [] : [[role, value] as const];
	});
	return { ...settings, roles: { ...settings.roles, ...Object.fromEntries(fromEnv), ...flags } };
}
