/** Replaces the todo list for the user: the model reads of it with the next prompt, and it follows the branch as its own changes do. */
import type { CustomMessage } from "@tau/log";
import { fill } from "@tau/utils";
import { UserError, type AgentSession } from "@tau/session/run";

import type { ToolEnv } from "../tool/env.ts";
import { limits } from "./limits.ts";
import { phasesToMarkdown } from "./markdown.ts";
import { allTasks, copyOf, normalize, type TodoPhase } from "./phases.ts";
import { editCall, todoState, userTodoEdit } from "./state.ts";
import edited from "./todo-edited.md" with { type: "text" };

/** Why a list cannot be used. */
export function todoProblem(phases: readonly TodoPhase[]): string | undefined {
	const tasks = allTasks(phases);
	if (phases.length > limits.phases || tasks.length > limits.tasks)
		return `A todo list can have at most ${limits.phases} phases and ${limits.tasks} tasks.`;
	const words = [...phases.map(({ name }) => name), ...tasks.map(({ content }) => content)];
	return words.some((text) => text.trim() === "" || text.length > limits.chars)
		? `A phase and a task have a text of at most ${limits.chars} characters.`
		: undefined;
}

/** Throws a `UserError` if the list cannot be used, or the model is at work. */
export async function editTodo(
	env: ToolEnv,
	session: AgentSession,
	list: readonly TodoPhase[],
): Promise<TodoPhase[]> {
	const problem = todoProblem(list);
	if (problem !== undefined) throw new UserError(problem);
	// A client may send it as soon as it has the end of the answer.
	await session.settled();
	if (session.isBusy) throw new UserError("The model is updating the list. Try again when it's done.");
	const phases = copyOf(list);
	normalize(phases);
	const message: CustomMessage = {
		role: "custom",
		customType: userTodoEdit,
		content: fill(edited, { list: allTasks(phases).length === 0 ? "(empty)" : phasesToMarkdown(phases) }),
		display: false,
		details: { phases },
		timestamp: Date.now(),
	};
	session.append(message);
	env.services.get(todoState, env).write(phases, editCall(message.timestamp), session.state.messages);
	await session.emit({ type: "message_start", message });
	await session.emit({ type: "message_end", message });
	return phases;
}
