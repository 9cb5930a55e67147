/** Where the tasks of the fleet are kept. Nothing here loads the fleet. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Settings } from "@tau/config/settings";
import { dirs, env as variable, type Env } from "@tau/utils";

/** Of a store that several machines share. Workers in containers have variables instead of settings. */
export function urlOf(settings: Settings, env: Env = process.env): string | undefined {
	return variable("TAU_FLEET_URL", env) ?? settings.getWithoutProject("fleet.url");
}

export function fleetDirectory(): string {
	return join(dirs().state, "fleet");
}

/** Whether there may be tasks: looking for them must not create a store. */
export function isFleetUsed(settings: Settings, env: Env = process.env): boolean {
	return urlOf(settings, env) !== undefined || existsSync(join(fleetDirectory(), "tasks.db"));
}
