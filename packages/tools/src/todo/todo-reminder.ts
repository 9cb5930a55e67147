/** Reminds the model of its todo list: of open items when it is about to stop, and of an update that failed. */
import type { AgentMessage } from "@tau/agent";
import { fill } from "@tau/utils";
import type { Behavior } from "@tau/session/run";

import failed from "./todo-failed.md" with { type: "text" };
import reminder from "./todo-reminder.md" with { type: "text" };
import type { ToolEnv } from "../tool/env.ts";
import { allTasks, isClosed } from "./phases.ts";
import { todoPhases } from "./state.ts";
import { todo } from "./tool.ts";

export function todoReminder(env: ToolEnv): Behavior {
	return {
		name: "todo-reminder",
		attach(session) {
			let attempt = 0;
			return session.onBefore(["message_start", "agent_end"], async (event) => {
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
				await session.deliver(hidden("todo-reminder", content), "followUp");
			});
		},
	};
}

/** After a run whose last update of the list failed, the next prompt says that the user sees an old list. */
export const todoErrorReminder: Behavior = {
	name: "todo-error-reminder",
	attach(session) {
		let isFailed = false;
		const owned = new DisposableStack();
		owned.use(
			session.onBefore(["tool_execution_end"], (event) => {
				if (event.toolName === todo.name) isFailed = event.isError;
			}),
		);
		owned.use(
			session.beforePrompt(async () => {
				if (!isFailed) return;
				isFailed = false;
				await session.deliver(hidden("todo-error-reminder", failed.trim()), "append");
			}),
		);
		return owned;
	},
};

function hidden(customType: string, content: string): AgentMessage {
	return { role: "custom", customType, content, display: false, timestamp: Date.now() };
}

/** True when the model stopped by itself: a failed or truncated answer is not the end of the work. */
function hasStopped(messages: readonly AgentMessage[]): boolean {
	return messages.findLast((message) => message.role === "assistant")?.stopReason === "stop";
}
