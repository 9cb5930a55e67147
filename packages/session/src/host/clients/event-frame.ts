/** Turns the events of a session into frames for programs, at a cost that grows with the answer and not with its square. */
import type { AnswerUpdate } from "@tau/agent";
import type { EventFrame } from "@tau/wire";

import type { SessionEvent } from "../../run/behavior.ts";

type Update = Extract<EventFrame, { type: "message_update" }>;

/**
 * An update contains only the new part; earlier lines contain the message so far. Repeating it in every line, as the
 * events themselves do by reference, would make a long answer cost its length squared. `message_end` holds it whole.
 */
export function eventFrame(event: SessionEvent): EventFrame {
	if (event.type === "message_start" && event.message.role === "assistant") {
		// The message is one growing object: by now it may already contain the content of later lines.
		return { ...event, message: { ...event.message, content: [] } };
	}
	if (event.type === "child_event") return { ...event, event: eventFrame(event.event) };
	if (event.type !== "message_update") return event;
	const { content: _, ...message } = event.message;
	return { type: event.type, message, assistantMessageEvent: withoutPartial(event.assistantMessageEvent) };
}

function withoutPartial(event: AnswerUpdate): Update["assistantMessageEvent"] {
	const { partial, ...rest } = event;
	if (rest.type !== "toolcall_start") return rest;
	const call = partial.content[rest.contentIndex];
	return {
		...rest,
		...(call?.type === "toolCall" ? { id: call.id, name: call.name } : { id: "", name: "" }),
	};
}
