/** The hooks that a program wants in its session: its own, or those that the person has for Tau and Claude Code. */
import type { Env } from "@tau/utils";
import type { Settings } from "@tau/session/settings";

import { findHooksOf } from "./open-hooks.ts";
import { placesOf } from "../resources/places.ts";
import { parseHooks } from "../hooks/index.ts";
import type { HookSource } from "../hooks/hook-source.ts";

/** True for those of the files; else what stands behind `hooks` in such a file. */
export type WantedHooks = boolean | Readonly<Record<string, unknown>>;

export interface SdkHookParts {
	cwd: string;
	env: Env;
	settings: Settings;
	onNotice(message: string): void;
}

/** Rejects where one of the program's own cannot be run: it may be there to forbid something. */
export async function loadSdkHooks(
	wanted: WantedHooks,
	{ cwd, env, settings, onNotice }: SdkHookParts,
): Promise<HookSource | undefined> {
	if (wanted === false) return undefined;
	if (wanted === true) {
		const found = await findHooksOf({ cwd, env, settings, onNotice });
		return found.open(undefined);
	}
	const { items, warnings } = parseHooks(wanted, { source: "sdk", level: "named", path: "options.hooks" });
	const [wrong] = warnings;
	if (wrong) throw new Error(wrong.message);
	const { HookSource: Source } = await import("../hooks/hook-source.ts");
	return new Source(items, placesOf(cwd, env).root);
}
