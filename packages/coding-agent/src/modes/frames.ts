/** Turns the events of a session into frames for programs, at a cost that grows with the answer and not with its square. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import type { SessionEvent } from "@tau/session";

type Nested = Extract<SessionEvent, { type: "message_update" | "child_event" }>;
type WithoutPartial<E> = E extends { partial: unknown } ? Omit<E, "partial"> : E;

/** An event as programs read it: an update without the message so far. */
export type EventFrame =
	| Exclude<SessionEvent, Nested>
	| {
			type: "message_update";
			message: Omit<AssistantMessage, "content">;
			assistantMessageEvent: WithoutPartial<AssistantMessageEvent>;
	  }
	| { type: "child_event"; id: string; event: EventFrame };

/** One line: `\n` ends it, and within JSON there is none. */
export function frameLine(frame: object): string {
	return `${JSON.stringify(frame)}\n`;
}

/**
 * An update says what is new; the message so far is what was said before. Repeating it in every line, as the events
 * themselves do by reference, would make a long answer cost its length squared. `message_end` holds it whole.
 */
export function eventFrame(event: SessionEvent): EventFrame {
	if (event.type === "message_start" && event.message.role === "assistant") {
		// The message is one growing object: by now it may hold what later lines are about to say.
		return { ...event, message: { ...event.message, content: [] } };
	}
	if (event.type === "child_event") return { ...event, event: eventFrame(event.event) };
	if (event.type !== "message_update") return event;
	const { content: _, ...message } = event.message;
	return { type: event.type, message, assistantMessageEvent: withoutPartial(event.assistantMessageEvent) };
}

function withoutPartial(event: AssistantMessageEvent): WithoutPartial<AssistantMessageEvent> {
	if (!("partial" in event)) return event;
	const { partial: _, ...rest } = event;
	return rest;
}
