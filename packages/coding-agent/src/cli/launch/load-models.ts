/** Makes the registry of models that the command line asks for. */
import type { Env } from "@tau/utils";
import { type ModelRegistry, type RegistryOptions, openRegistry } from "@tau/session/models";
import type { Settings } from "@tau/session/settings";

import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { loadDemo } from "../../demo/load-demo.ts";

export async function loadRegistry(
	args: Args,
	env: Env,
	settings: Settings,
	options: Omit<RegistryOptions, "settings"> = {},
	onNotice: (message: string) => void = printError,
): Promise<ModelRegistry> {
	const flags = (["smol", "slow", "plan"] as const).flatMap((role) => {
		const value = args.flags.get(role);
		return value === undefined ? [] : [[role, value] as const];
	});
	return openRegistry({
		fallback: loadDemo,
		...options,
		env,
		settings,
		roles: Object.fromEntries(flags),
		onNotice,
	});
}
