/** Reads what `config.yml` says about models: roles, the enabled ones, the order of providers, the disabled ones. */
import { join } from "node:path";
import { z } from "zod";

import { env as readEnv, type Env } from "@tau/utils";

import type { ConfigProblem } from "./config-problem.ts";
import { findingsOf, isRecord, readYamlFile, type Finding } from "./yaml-file.ts";

export const modelRoles = ["default", "smol", "slow", "plan", "commit"] as const;
export type ModelRole = (typeof modelRoles)[number];

export interface ModelSettings {
	/** What a role stands for: a model, a canonical id or another role, with a thinking level behind it if need be. */
	roles: Readonly<Record<string, string>>;
	/** Patterns of the models to choose among; empty for all. */
	enabledModels: readonly string[];
	/** Which provider is preferred when several have a model. */
	providerOrder: readonly string[];
	disabledProviders: readonly string[];
}

export const noModelSettings: ModelSettings = {
	roles: {},
	enabledModels: [],
	providerOrder: [],
	disabledProviders: [],
};

export interface ModelSettingsFile {
	settings: ModelSettings;
	problems: ConfigProblem[];
}

/** A setting that is wrong is reported and left out; the rest of the file is the business of others. */
export async function loadModelSettings(directory: string): Promise<ModelSettingsFile> {
	const file = await readYamlFile(join(directory, "config.yml"));
	if (!file) return { settings: noModelSettings, problems: [] };
	const whole = isRecord(file.value) ? file.value : {};
	const findings: Finding[] = [];
	const names = z.array(z.string().min(1));
	const read = <T>(field: string, schema: z.ZodType<T>, otherwise: T): T => {
		const value = whole[field];
		if (value === undefined || value === null) return otherwise;
		const parsed = schema.safeParse(value);
		findings.push(...findingsOf(parsed.error, [field]));
		return parsed.success ? parsed.data : otherwise;
	};
	const settings: ModelSettings = {
		roles: read("modelRoles", z.record(z.string(), z.string().min(1)), {}),
		enabledModels: read("enabledModels", names, []),
		providerOrder: read("modelProviderOrder", names, []),
		disabledProviders: read("disabledProviders", names, []),
	};
	await file.report(findings);
	return { settings, problems: file.problems };
}

/** Roles for this run: a flag before a variable before the file. */
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
