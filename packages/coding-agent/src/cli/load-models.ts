/** Makes the registry of models that the command line asks for. */
import type { Env } from "@tau/utils";

import type { ModelRegistry, RegistryOptions } from "../config/model-registry.ts";
import type { Settings } from "../config/settings/index.ts";
import { openRegistry } from "../sdk/open-registry.ts";
import type { Args } from "./args.ts";
import { complain } from "./complain.ts";

export async function loadRegistry(
	args: Args,
	env: Env,
	settings: Settings,
	options: Omit<RegistryOptions, "settings"> = {},
	onNotice: (message: string) => void = complain,
): Promise<ModelRegistry> {
	const flags = (["smol", "slow", "plan"] as const).flatMap((role) => {
		const value = args.flags.get(role);
		return value === undefined ? [] : [[role, value] as const];
	});
	return openRegistry({ ...options, env, settings, roles: Object.fromEntries(flags), onNotice });
}
