/** Loads what the user says about models, and makes the registry of all of them. */
import { dirs, type Env } from "@tau/utils";

import { describeProblem } from "../config/config-problem.ts";
import { ModelRegistry, type RegistryOptions } from "../config/model-registry.ts";
import { modelSettings, withRoles } from "../config/model-settings.ts";
import { loadModelsFile } from "../config/models-file/index.ts";
import type { Settings } from "../config/settings/index.ts";
import type { Args } from "./args.ts";
import { complain } from "./complain.ts";

/** Mistakes in a file are said, and cost only what they are in. */
export async function loadRegistry(
	args: Args,
	env: Env,
	settings: Settings,
	options: Omit<RegistryOptions, "settings"> = {},
): Promise<ModelRegistry> {
	const file = await loadModelsFile(dirs(env).agent);
	for (const problem of file.problems) complain(describeProblem(problem));
	const flags = (["smol", "slow", "plan"] as const).flatMap((role) => {
		const value = args.flags.get(role);
		return value === undefined ? [] : [[role, value] as const];
	});
	return new ModelRegistry(file, env, {
		...options,
		settings: withRoles(modelSettings(settings), Object.fromEntries(flags), env),
	});
}
