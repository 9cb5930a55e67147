/** The websocket of a conversation stays open from one turn to the next, and is closed with the session. */
import type { KeptConnection, WebSocketUse } from "@tau/ai";
import { env, envFlag, onDispose } from "@tau/utils";

import type { Behavior } from "../run/behavior.ts";
import type { Settings } from "@tau/config/settings";

/** The connection goes with each request of the conversation, and with no request beside it. */
export function providerConnection(settings: Pick<Settings, "get">): Behavior & {
	readonly connection: KeptConnection;
} {
	const connection: KeptConnection = {
		get websocket() {
			return chosenFor(settings);
		},
	};
	return {
		name: "provider-connection",
		connection,
		attach: () => onDispose(() => connection.open?.[Symbol.dispose]()),
	};
}

function chosenFor(settings: Pick<Settings, "get">): WebSocketUse {
	if (env("TAU_CODEX_WEBSOCKET") === undefined) return settings.get("providers.openaiWebsockets");
	return envFlag("TAU_CODEX_WEBSOCKET") ? "on" : "off";
}
