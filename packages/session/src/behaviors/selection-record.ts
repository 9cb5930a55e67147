/** Logs the model and the thinking level of a run where the log would restore others: a flag may have chosen them. */
import type { SessionManager } from "@tau/log";
import { loggedLevel } from "../run/session-model.ts";
import type { Behavior } from "../run/behavior.ts";

/** `defaultLevel` is the thinking level of a session that has no logged level. */
export function selectionRecord(log: SessionManager, defaultLevel: () => string): Behavior {
	return {
		name: "selection-record",
		attach(session) {
			let isChecked = false;
			return session.onBefore(["agent_start"], () => {
				if (isChecked) return;
				// Later changes go through the session's owner, which logs them.
				isChecked = true;
				const { model, thinkingLevel } = session.state;
				const logged = log.buildSessionContext().model;
				const isOther = logged && (logged.provider !== model.provider || logged.modelId !== model.id);
				if (isOther) log.appendModelChange(model.provider, model.id);
				if (thinkingLevel !== (loggedLevel(log) ?? defaultLevel()))
					log.appendThinkingLevelChange(thinkingLevel);
			});
		},
	};
}
