/** Reminds a model that is about to stop of its open todo items, as often as the user has configured. */
import type { AgentMessage } from "@tau/agent";
import { fill } from "@tau/session/prompts";
import type { Behavior } from "@tau/session/run";

import reminder from "./todo-reminder.md" with { type: "text" };
import type { ToolEnv } from "../tool/env.ts";
import { allTasks, isClosed } from "./phases.ts";
import { todoPhases } from "./state.ts";

export function todoReminder(env: ToolEnv): Behavior {
	return {
		name: "todo-reminder",
		attach(session) {
			let attempt = 0;
			return session.onBefore(async (event) => {
				// A user message resets the count.
				if (event.type === "message_start" && event.message.role === "user") attempt = 0;
				if (event.type !== "agent_end" || session.isAborted || !hasStopped(event.messages)) return;
				const maxAttempts = env.settings.get("todo.reminders");
				if (attempt >= maxAttempts) return;
				const todos = allTasks(todoPhases(env)).filter((task) => !isClosed(task));
				if (todos.length === 0) return;
				attempt++;
				await session.emit({ type: "todo_reminder", todos, attempt, maxAttempts });
				const content = fill(reminder, { todos: todos.map((task) => `- ${task.content}`).join("\n") });
				await session.deliver(
					{ role: "custom", customType: "todo-reminder", content, display: false, timestamp: Date.now() },
					"followUp",
				);
			});
		},
	};
}

/** True when the model stopped by itself: a failed or truncated answer is not the end of the work. */
function hasStopped(messages: readonly AgentMessage[]): boolean {
	return messages.findLast((message) => message.role === "assistant")?.stopReason === "stop";
}
