/** Prints a run as JSON lines, one event each, at a cost that grows with the answer and not with its square. */
import type { AssistantMessageEvent } from "@tau/ai";

import type { SessionEvent, SessionListener } from "../../session/index.ts";
import type { Output } from "./output.ts";

export function jsonPrinter(out: Output): SessionListener {
	return (event) => out.write(`${JSON.stringify(lean(event))}\n`);
}

/**
 * An update says what is new; the message so far is what was said before. Repeating it in every line, as the events
 * themselves do by reference, would make a long answer cost its length squared. `message_end` holds it whole.
 */
function lean(event: SessionEvent): object {
	if (event.type === "message_start" && event.message.role === "assistant") {
		// The message is one growing object: by now it may hold what later lines are about to say.
		return { ...event, message: { ...event.message, content: [] } };
	}
	if (event.type !== "message_update") return event;
	const { content: _, ...message } = event.message;
	return { type: event.type, message, assistantMessageEvent: withoutPartial(event.assistantMessageEvent) };
}

function withoutPartial(event: AssistantMessageEvent): object {
	if (!("partial" in event)) return event;
	const { partial: _, ...rest } = event;
	return rest;
}
