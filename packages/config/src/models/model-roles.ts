/** Resolves roles such as `tau/smol` to their models. */
import type { Model, ThinkingLevel } from "@tau/ai";

import { limits } from "./limits.ts";
import { preferred, splitLevel, type Preferences } from "./model-resolver.ts";
import { modelRoles, type ModelRole } from "./model-settings.ts";
import roleDefaults from "./role-defaults.json" with { type: "json" };

/** The prefixes of roles: the names of omp and pi occur in their users' settings. */
const owners = new Set(["tau", "omp", "pi"]);

/** The fallback of a role that is not set: another role, and in the end the default model. */
const otherwise: Readonly<Partial<Record<string, ModelRole>>> = {
	plan: "slow",
	commit: "smol",
	tiny: "smol",
	smol: "default",
	slow: "default",
};

export type RoleTarget =
	| { kind: "pattern"; pattern: string; thinking?: ThinkingLevel }
	/** The role is not set: these are the roles to try, before the default model. */
	| { kind: "unset"; role: ModelRole; thinking?: ThinkingLevel }
	| { kind: "circle"; message: string };

/** Returns the role in `tau/smol` or `pi/slow:high`; undefined if the text does not name one. */
export function roleOf(pattern: string): { role: ModelRole; thinking?: ThinkingLevel } | undefined {
	const { name, level } = splitLevel(pattern);
	const [owner = "", named = "", ...rest] = name.toLowerCase().split("/");
	const role = knownRole(named);
	if (rest.length > 0 || !owners.has(owner) || role === undefined) return undefined;
	return level ? { role, thinking: level } : { role };
}

/** Resolves a role to its model. A level behind the role that points wins over one behind the role pointed to. */
export function followRole(role: string, roles: Readonly<Record<string, string>>): RoleTarget {
	let thinking: ThinkingLevel | undefined;
	let current = role;
	for (let steps = 0; steps < limits.roleSteps; steps++) {
		const target = roles[current];
		if (target === undefined) {
			return { kind: "unset", role: knownRole(current) ?? "default", ...(thinking ? { thinking } : {}) };
		}
		const next = roleOf(target);
		if (!next) return { kind: "pattern", pattern: target, ...(thinking ? { thinking } : {}) };
		thinking ??= next.thinking;
		current = next.role;
	}
	return { kind: "circle", message: `The model roles in config.yml form a cycle: ${role}.` };
}

function knownRole(name: string): ModelRole | undefined {
	return modelRoles.find((role) => role === name);
}

/** The role that an unset role falls back to; undefined for the default itself. */
export function borrowedFrom(role: ModelRole): ModelRole | undefined {
	return otherwise[role];
}

/** A good choice for a role that is not set, among the usable models. */
export function suggestedFor(role: ModelRole, preferences: Preferences): Model | undefined {
	if (role !== "smol" && role !== "slow") return undefined;
	const index = preferences.canonical();
	for (const id of roleDefaults[role]) {
		const usable = index.variants(id).filter((model) => preferences.isAvailable(model));
		const model = preferred(usable, preferences);
		if (model) return model;
	}
	return undefined;
}
