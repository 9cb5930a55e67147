/** How long a server may be silent, by the user's variables or by our own limits. */
import { envNumber } from "@tau/utils/portable";

import { limits } from "../limits.ts";
import type { Api } from "../types.ts";
import type { Silence } from "./watchdog.ts";

/** Protocols with their own variables, which override the general ones: TAU_OPENAI_STREAM_…. */
const families: Readonly<Partial<Record<Api, string>>> = {
	"openai-completions": "OPENAI_",
	"openai-responses": "OPENAI_",
	"openai-codex-responses": "OPENAI_",
	"azure-openai-responses": "OPENAI_",
};

export function silenceFor(api: Api): Silence {
	return {
		firstEventMs: timeout(api, "STREAM_FIRST_EVENT_TIMEOUT_MS") ?? limits.firstEventTimeoutMs,
		idleMs: timeout(api, "STREAM_IDLE_TIMEOUT_MS") ?? limits.idleTimeoutMs,
	};
}

function timeout(api: Api, name: string): number | undefined {
	const family = Object.hasOwn(families, api) ? families[api] : undefined;
	const own = family === undefined ? undefined : positive(`TAU_${family}${name}`);
	return own ?? positive(`TAU_${name}`);
}

/** A wait of 0 would fail every request, so only a positive number counts. */
function positive(name: string): number | undefined {
	const ms = envNumber(name);
	return ms !== undefined && ms > 0 ? Math.min(ms, limits.timerMs) : undefined;
}
