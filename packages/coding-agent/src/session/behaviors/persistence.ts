/** Writes every finished message to the session log, before anybody else hears of it. */
import { log as diary } from "@tau/utils";

import type { Behavior } from "../behavior.ts";
import type { SessionLog } from "../log/index.ts";

export function persistence(log: SessionLog): Behavior {
	return {
		name: "persistence",
		attach(session) {
			let broken = false;
			return session.on((event) => {
				if (event.type !== "message_end" || broken) return;
				try {
					log.appendMessage(event.message);
				} catch (error) {
					// The conversation goes on in memory; a person has to know that it is not kept.
					broken = true;
					const reason = error instanceof Error ? error.message : String(error);
					diary.error("session log cannot be written", { path: log.path, reason });
					session.notice("warning", `This conversation is not being saved: ${reason}`);
				}
			});
		},
	};
}
