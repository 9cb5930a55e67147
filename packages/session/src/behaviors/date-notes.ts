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
			const noted = new NotedDate();
			const due = (): AgentMessage | undefined => noteFor(noted.in(session.state.messages) ?? start());
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

/** The date of the last note in a conversation, which mostly has none and is searched at every turn. */
class NotedDate {
	#searched: { last: AgentMessage; length: number } | undefined;
	#date: string | undefined;

	/** Read from the conversation, so that a note that a compaction or a step in the tree has removed is repeated. */
	in(messages: readonly AgentMessage[]): string | undefined {
		const { last, length = 0 } = this.#searched ?? {};
		// Where the conversation has only grown, the new messages are enough.
		const from = length > 0 && messages[length - 1] === last ? length : 0;
		if (from === 0) this.#date = undefined;
		for (let at = from; at < messages.length; at++) {
			const message = messages[at];
			if (message?.role === "custom" && message.customType === customType)
				this.#date = dateOf(message.details);
		}
		const end = messages.at(-1);
		this.#searched = end && { last: end, length: messages.length };
		return this.#date;
	}
}

function dateOf(details: unknown): string | undefined {
	return isRecord(details) && typeof details.date === "string" ? details.date : undefined;
}

function noteFor(known: string): AgentMessage | undefined {
	const today = localDate();
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
