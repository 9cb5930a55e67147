/**
 * Reports a change of the date at the end of the conversation. The system prompt keeps the date on which the session
 * started, because a change there makes the provider read the whole conversation again.
 */
import type { AgentMessage } from "@tau/agent";
import { isRecord, localDate, once, fill } from "@tau/utils";

import type { SessionManager } from "@tau/log";
import type { Behavior } from "../run/behavior.ts";
import note from "./date-notes.md" with { type: "text" };

const customType = "date";

/** The date that the system prompt of a session names, however often it is resumed. */
export function startDate(log: Pick<SessionManager, "getHeader">): string {
	const start = new Date(log.getHeader().timestamp);
	// The header of a file that another program wrote may say anything.
	return localDate(Number.isNaN(start.getTime()) ? new Date() : start);
}

export function dateNotes(log: Pick<SessionManager, "getHeader">): Behavior {
	return {
		name: "date-notes",
		attach(session) {
			using owned = new DisposableStack();
			const start = once(() => startDate(log));
			const due = (): AgentMessage | undefined => noteFor(session.state.messages, start());
			owned.use(
				session.hooks.preparers.add(async () => {
					const message = due();
					return message && { messages: [message] };
				}),
			);
			// A run may go on past midnight.
			owned.use(
				session.onAfter(["turn_end"], async (event) => {
					const continues = event.message.stopReason === "toolUse" || event.interrupted !== undefined;
					const message = continues ? due() : undefined;
					if (message) await session.deliver(message, "steer");
				}),
			);
			return owned.move();
		},
	};
}

/** Read from the conversation, so that a note that a compaction or a step in the tree has removed is repeated. */
function noteFor(messages: readonly AgentMessage[], start: string): AgentMessage | undefined {
	const today = localDate();
	let details: unknown;
	// A plain loop: mostly there is no note, and the whole conversation is searched at every turn.
	for (let at = messages.length - 1; at >= 0 && details === undefined; at--) {
		const message = messages[at];
		if (message?.role === "custom" && message.customType === customType) details = message.details;
	}
	const known = isRecord(details) && typeof details.date === "string" ? details.date : start;
	if (known === today) return undefined;
	const content = fill(note, { date: today });
	return {
		role: "custom",
		customType,
		content,
		display: false,
		details: { date: today },
		timestamp: Date.now(),
	};
}
