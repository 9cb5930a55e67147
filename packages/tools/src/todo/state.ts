/** The todo list of a session: it follows the branch, whose results hold every state that there was. */
import type { AgentMessage, CarriedFact } from "@tau/agent";

import type { ToolEnv, ToolSession } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { phasesToMarkdown } from "./markdown.ts";
import { allTasks, copyOf, isClosed, phasesIn, type TodoPhase } from "./phases.ts";

/** The message that reports a user's own change of the list to the model; the name is omp's. */
export const userTodoEdit = "user_todo_edit";

/** The call id of a list that the user wrote. */
export function editCall(timestamp: number): string {
	return `${userTodoEdit} ${timestamp}`;
}

interface NewestResult {
	readonly call: string;
	readonly phases: TodoPhase[];
}

export class TodoState {
	#phases: TodoPhase[] = [];
	/** The call that made `#phases`, and how long the branch was then. */
	#call: string | undefined;
	#length = 0;
	/** What the log of the branch has, and for which end or summary of it this was looked up. */
	#logged: { of: unknown; newest: NewestResult | undefined } | undefined;

	/** A branch that this state does not belong to has its own: that of its newest result. */
	read(session: Pick<ToolSession, "messages" | "history" | "isUnread" | "leafId">): TodoPhase[] {
		// `messages` would read and keep the whole conversation of a session that was just resumed.
		if (session.isUnread) return copyOf(this.#inLog(session, session.leafId)?.phases ?? []);
		const { messages } = session;
		const summary = messages.find(({ role }) => role === "compactionSummary");
		const newest =
			newestResult(messages.toReversed()) ?? (summary ? this.#inLog(session, summary) : undefined);
		// Calls of one answer follow each other before any result of theirs is in the branch.
		const isOurs =
			this.#call !== undefined && (newest?.call === this.#call || messages.length === this.#length);
		if (!isOurs) {
			this.#phases = newest?.phases ?? [];
			this.#call = newest?.call;
		}
		return copyOf(this.#phases);
	}

	write(phases: readonly TodoPhase[], call: string, messages: readonly AgentMessage[]): void {
		this.#phases = copyOf(phases);
		this.#length = messages.length;
		this.#call = call;
	}

	/** Clients ask at each event, and a session of 50 MB without a list would be searched each time. */
	#inLog({ history }: Pick<ToolSession, "history">, of: unknown): NewestResult | undefined {
		if (of === undefined || this.#logged?.of !== of)
			this.#logged = { of, newest: newestResult(history(todoMarks)) };
		return this.#logged.newest;
	}
}

export const todoState: ServiceKey<TodoState> = { name: "todo list", create: () => new TodoState() };

/** Returns the list of the current branch, for the UI. */
export function todoPhases(env: ToolEnv): TodoPhase[] {
	return env.services.get(todoState, env).read(env.session);
}

/** A text that occurs in the line of every message with a list. */
export const todoMarks = ['"todo"', `"${userTodoEdit}"`, '"setsTodo"'];

/** Returns the newest list, for the UI; the newest message comes first. */
export function newestTodo(messages: Iterable<AgentMessage>): TodoPhase[] {
	return newestResult(messages)?.phases ?? [];
}

function newestResult(messages: Iterable<AgentMessage>): NewestResult | undefined {
	for (const message of messages) {
		const call = callOf(message);
		const phases = todoIn(message);
		if (call !== undefined && phases) return { call, phases };
	}
	return undefined;
}

/** The list that a message sets: a result of the tool, or a change by the user. */
function todoIn(message: AgentMessage): TodoPhase[] | undefined {
	return callOf(message) === undefined || !("details" in message) ? undefined : phasesIn(message.details);
}

/** What a compaction keeps of it; empty if nothing is open: finished work needs no reminder. */
export function carriedTodo(message: AgentMessage): CarriedFact[] {
	const phases = todoIn(message);
	if (!phases) return [];
	const text = allTasks(phases).every(isClosed) ? "" : phasesToMarkdown(phases);
	return [{ section: "todo", key: "list", text }];
}

/** The origin of a list: a call of the tool, or a change by the user. */
function callOf(message: AgentMessage): string | undefined {
	if (message.role === "custom")
		return message.customType === userTodoEdit ? editCall(message.timestamp) : undefined;
	if (message.role !== "toolResult" || message.isError) return undefined;
	return message.toolName === "todo" || setsTodo(message.details) ? message.toolCallId : undefined;
}

/** Whether a result of another tool sets the list: that of an approved plan. */
export function setsTodo(details: unknown): boolean {
	return typeof details === "object" && details !== null && "setsTodo" in details;
}
