/** The hooks that an SDK program requests for its session: its own, or the user's for Tau and Claude Code. */
import { dirs, type Env } from "@tau/utils";
import type { UserRequests } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";

import { findHooksOf } from "./open-hooks.ts";
import { discoveryPaths } from "@tau/resources/sources";
import { parseHooks } from "../hooks/index.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import { askTrust } from "../trust/ask-trust.ts";

/** True for the hooks of the files; otherwise the value of `hooks` in such a file. */
export type SdkHooks = boolean | Readonly<Record<string, unknown>>;

export interface SdkHookParts {
	cwd: string;
	env: Env;
	settings: Settings;
	/** Questions to the user: a client of these may be asked to trust the project. */
	requests?: UserRequests | undefined;
	onNotice(message: string): void;
}

/** Rejects where one of the program's own cannot be run: it may be there to forbid something. */
export async function loadSdkHooks(
	hooks: SdkHooks,
	{ cwd, env, settings, requests, onNotice }: SdkHookParts,
): Promise<HookSource | undefined> {
	if (hooks === false) return undefined;
	if (hooks === true) {
		const opened = await findHooksOf({ cwd, env, settings, onNotice });
		if (!requests?.canAsk("trust")) return opened.open(undefined);
		const question = { cwd, agentDir: dirs(env).agent, onNotice };
		return opened.open((paths) => askTrust(requests, { ...question, paths }));
	}
	const { items, warnings } = parseHooks(hooks, { source: "sdk", level: "named", path: "options.hooks" });
	const [wrong] = warnings;
	if (wrong) throw new Error(wrong.message);
	const { HookSource: Source } = await import("../hooks/hook-source.ts");
	return new Source(items, discoveryPaths(cwd, env).root);
}
