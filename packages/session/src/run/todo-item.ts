/** A task of the todo list, as events carry it. */
export const todoStatuses = ["pending", "in_progress", "completed", "abandoned"] as const;

export type TodoStatus = (typeof todoStatuses)[number];

export interface TodoItem {
	content: string;
	status: TodoStatus;
}
