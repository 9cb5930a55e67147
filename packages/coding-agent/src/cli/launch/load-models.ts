/** Makes the registry of models that the command line asks for. */
import type { Env } from "@tau/utils";
import { type ModelRegistry, type RegistryOptions, openRegistry } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";

import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { loadDemo } from "@tau/bundled";

export async function loadRegistry(
	args: Args,
	env: Env,
	settings: Settings,
	options: Omit<RegistryOptions, "settings"> = {},
	onNotice: (message: string) => void = printError,
): Promise<ModelRegistry> {
	return openRegistry({
		fallback: loadDemo,
		...options,
		env,
		settings,
		roles: roleFlags(args),
		onNotice,
	});
}

/** The models of roles for this run, by role. */
export function roleFlags({ flags }: Pick<Args, "flags">): Record<string, string> {
	const set = (["smol", "slow", "plan"] as const).flatMap((role) => {
		const value = flags.get(role);
		return value === undefined ? [] : [[role, value] as const];
	});
	return Object.fromEntries(set);
}
