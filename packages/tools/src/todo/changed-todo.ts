/** The todo list in an event of a session, from the tool or from the user. */
import type { SessionEvent } from "@tau/session/run";

import { phasesIn, type TodoPhase } from "./phases.ts";
import { userTodoEdit } from "./state.ts";
import { todo } from "./tool.ts";

export function changedTodo(event: SessionEvent): TodoPhase[] | undefined {
	if (event.type === "tool_execution_end" && event.toolName === todo.name && !event.isError)
		return phasesIn(event.result.details);
	if (event.type !== "message_end" || event.message.role !== "custom") return undefined;
	return event.message.customType === userTodoEdit ? phasesIn(event.message.details) : undefined;
}
