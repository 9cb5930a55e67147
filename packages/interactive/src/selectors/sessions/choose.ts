/** Lets the user select the session to resume before one is open: `tau --resume` in a terminal. */
import { listen } from "@tau/utils";

import { listAgentSessions, SessionManager } from "@tau/log";
import type { InteractiveHost } from "../../host.ts";
import { openSelector } from "../open.ts";
import { SessionMarks } from "@tau/session-commands/shared/session-marks";
import { lastWord } from "./preview.ts";
import { SessionSelector } from "./selector.ts";
import { listStored, renameStored, trashStored, type StoredSessions } from "@tau/session-commands/work";

export interface ChoiceOptions extends StoredSessions {
	signal: AbortSignal;
}

/** Undefined when the user closes the list, or when the signal does. */
export async function chooseSession(
	host: Pick<InteractiveHost, "theme" | "tui" | "showInEditor">,
	{ signal, ...stored }: ChoiceOptions,
): Promise<SessionManager | undefined> {
	let chosen: SessionManager | undefined;
	const shown = openSelector(host, (screen, close) => {
		const selector = new SessionSelector(screen, {
			cwd: stored.cwd,
			current: undefined,
			list: (where, onProgress) => listStored(stored, where, onProgress),
			listAgents: listAgentSessions,
			preview: lastWord,
			open: async ({ path }) => {
				chosen = SessionManager.open(path, stored.directory);
			},
			rename: renameStored,
			remove: trashStored,
			marks: new SessionMarks(),
			now: Date.now,
			close,
		});
		return { component: selector.component, owns: selector };
	});
	using _ = listen(signal, "abort", () => shown.close());
	if (signal.aborted) shown.close();
	await shown.closed;
	return chosen;
}
