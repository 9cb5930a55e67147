/** A todo list as a value: phases with tasks, of which at most one is being worked on. */
import { todoStatuses, type TodoItem, type TodoPhase } from "@tau/session/run";

export type { TodoPhase } from "@tau/session/run";

export function copyOf(phases: readonly TodoPhase[]): TodoPhase[] {
	return phases.map(({ name, tasks }) => ({ name, tasks: tasks.map((task) => ({ ...task })) }));
}

export function allTasks(phases: readonly TodoPhase[]): TodoItem[] {
	return phases.flatMap(({ tasks }) => tasks);
}

export function isClosed({ status }: TodoItem): boolean {
	return status === "completed" || status === "abandoned";
}

/** Sets exactly one task in progress: the first that is marked so, otherwise the first pending one. */
export function normalize(phases: readonly TodoPhase[]): void {
	const tasks = allTasks(phases);
	const active = tasks.find(({ status }) => status === "in_progress");
	const first = active ?? tasks.find(({ status }) => status === "pending");
	for (const task of tasks) if (task !== first && task.status === "in_progress") task.status = "pending";
	if (first) first.status = "in_progress";
}

/** A value from a log or from elsewhere, if it is a list. */
export function asPhases(value: unknown): TodoPhase[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const phases = value.map(asPhase);
	return phases.every((phase) => phase !== undefined) ? phases : undefined;
}

function asPhase(value: unknown): TodoPhase | undefined {
	if (!isRecord(value) || typeof value.name !== "string" || !Array.isArray(value.tasks)) return undefined;
	const tasks = value.tasks.map(asTask);
	return tasks.every((task) => task !== undefined) ? { name: value.name, tasks } : undefined;
}

function asTask(value: unknown): TodoItem | undefined {
	if (!isRecord(value) || typeof value.content !== "string") return undefined;
	const status = todoStatuses.find((known) => known === value.status);
	return status && { content: value.content, status };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

/** The list in the details of a result or a message. */
export function phasesIn(details: unknown): TodoPhase[] | undefined {
	if (typeof details !== "object" || details === null || !("phases" in details)) return undefined;
	return asPhases(details.phases);
}
