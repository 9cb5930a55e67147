/** The model of a child: the one that was asked for if it can be used, else the parent's. */
import type { Model, ThinkingLevel } from "@tau/ai";

import { makeReady, type ModelRegistry, resolveModel, followRole, roleOf } from "@tau/config/models";

export interface AgentModel {
	model: Model;
	thinking?: ThinkingLevel | undefined;
	/** Why it is not the one that was asked for. */
	problem?: string;
}

/** Names that other programs use for the parent's model. */
const sameModel: ReadonlySet<string> = new Set(["", "inherit", "default"]);

/**
 * `requested` is a model, or names in the order of preference, separated by commas. A role counts only where the user has
 * set it: text is not sent to a company that the user has not agreed to.
 */
export async function agentModel(
	requested: Model | string | undefined,
	parent: Model,
	registry: ModelRegistry,
): Promise<AgentModel> {
	if (requested === undefined) return { model: parent };
	if (typeof requested !== "string") return { model: requested };
	const names = requested.split(",").map((name) => name.trim());
	let problem: string | undefined;
	for (const name of names) {
		if (sameModel.has(name)) return { model: parent };
		const found = find(name, registry);
		if (!found) continue;
		try {
			await makeReady(found.model, undefined, registry);
			return found;
		} catch (error) {
			problem = error instanceof Error ? error.message : String(error);
		}
	}
	const isRole = names.every((name) => roleOf(name));
	if (isRole && problem === undefined) return { model: parent };
	return { model: parent, problem: `${problem ?? `No usable model is called ${requested}.`}` };
}

function find(name: string, registry: ModelRegistry): Omit<AgentModel, "problem"> | undefined {
	const role = roleOf(name);
	const target = role ? followRole(role.role, registry.settings.roles) : undefined;
	if (target && target.kind !== "pattern") return undefined;
	const resolved = resolveModel(target?.pattern ?? name, registry.all(), registry);
	if (!resolved.ok || !registry.isAvailable(resolved.model)) return undefined;
	return { model: resolved.model, thinking: role?.thinking ?? target?.thinking ?? resolved.thinking };
}
