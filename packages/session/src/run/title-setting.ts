/** Whether a session gets a title. */
import { dirs, env, type Env } from "@tau/utils";

import type { Settings } from "@tau/config/settings";

/** Undefined where the user turned titles off. */
export function titleOf(settings: Settings, from: Env): { agentDir: string } | undefined {
	const isOff = env("TAU_NO_TITLE", from) !== undefined || !settings.get("sessionTitle");
	return isOff ? undefined : { agentDir: dirs(from).agent };
}
