/** The summary of the todo list for the model: what is left, the current position, and the whole list. */
import { taskLine } from "./markdown.ts";
import { allTasks, isClosed, type TodoPhase } from "./phases.ts";

export function summary(phases: readonly TodoPhase[]): string {
	const tasks = allTasks(phases);
	const left = tasks.filter((task) => !isClosed(task));
	const current = phases.find((phase) => phase.tasks.some(({ status }) => status === "in_progress"));
	const lines = [
		left.length === 0 ? `All ${tasks.length} tasks are closed.` : `${left.length} of ${tasks.length} left.`,
	];
	if (current) {
		const closed = current.tasks.filter(isClosed).length;
		lines.push(`Now: ${current.name} (${closed}/${current.tasks.length})`);
	}
	for (const { name, tasks: own } of phases) lines.push(`${name}:`, ...own.map(taskLine));
	return lines.join("\n");
}
