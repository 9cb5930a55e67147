/** Merges events that follow each other, so that a client that draws 60 times a second gets no more than that. */
import type { EventFrame, EventFrameOf } from "./events.ts";
import type { LeanEvent } from "./frames.ts";

/** Events that only carry more of something that runs: no fact of the session changes by them. */
const streaming: ReadonlySet<EventFrame["type"]> = new Set([
	"message_update",
	"tool_execution_update",
	"user_command_output",
	"command_text",
]);

export function isStreaming(event: EventFrame): boolean {
	return streaming.has(event.type === "child_event" ? event.event.type : event.type);
}

/** One event that says what both say; undefined where both have to be told. */
export function merged(before: EventFrame, event: EventFrame): EventFrame | undefined {
	if (before.type !== event.type) return undefined;
	switch (event.type) {
		case "message_update":
			return mergedUpdate(before as EventFrameOf<"message_update">, event);
		case "tool_execution_update":
			return event.toolCallId === (before as typeof event).toolCallId ? event : undefined;
		case "user_command_output":
			return event.commandId === (before as typeof event).commandId ? event : undefined;
		case "command_text": {
			const { name, to, delta } = before as typeof event;
			return name === event.name && to === event.to ? { ...event, delta: delta + event.delta } : undefined;
		}
		case "child_progress":
			return event.id === (before as typeof event).id ? event : undefined;
		case "queue_update":
		case "clients_changed":
			return event;
		case "child_event": {
			if (event.id !== (before as typeof event).id) return undefined;
			const inner = merged((before as typeof event).event, event.event);
			return inner && { ...event, event: inner };
		}
		default:
			return undefined;
	}
}

function mergedUpdate(
	{ assistantMessageEvent: old }: EventFrameOf<"message_update">,
	event: EventFrameOf<"message_update">,
): EventFrame | undefined {
	const { assistantMessageEvent: update } = event;
	if (!("delta" in old && "delta" in update)) return undefined;
	if (old.type !== update.type || old.contentIndex !== update.contentIndex) return undefined;
	return { ...event, assistantMessageEvent: { ...update, delta: old.delta + update.delta } };
}

/** Leaves out what the entries of the log carry already. */
export function leanEvent(event: EventFrame): LeanEvent {
	switch (event.type) {
		case "message_end": {
			// The entry of a custom message has its fields, not the message.
			if (event.entryId === undefined || event.message.role === "custom") return event;
			const { message: _, ...rest } = event;
			return rest;
		}
		case "turn_end": {
			const { message: _, toolResults: __, ...rest } = event;
			return rest;
		}
		case "agent_end": {
			const { messages: _, ...rest } = event;
			return rest;
		}
		default:
			return event;
	}
}
