/** The todo list in an event of a session, from the tool or from the user. */
import type { SessionEvent } from "@tau/session/run";
import type { EventFrame } from "@tau/wire";

import { phasesIn, type TodoPhase } from "./phases.ts";
import { setsTodo, userTodoEdit } from "./state.ts";
import { todo } from "./tool.ts";

export function changedTodo(event: SessionEvent | EventFrame): TodoPhase[] | undefined {
	if (event.type === "tool_execution_end" && !event.isError) {
		const { details } = event.result;
		return event.toolName === todo.name || setsTodo(details) ? phasesIn(details) : undefined;
	}
	if (event.type !== "message_end" || event.message.role !== "custom") return undefined;
	return event.message.customType === userTodoEdit ? phasesIn(event.message.details) : undefined;
}
