/** Draws the whole todo list, with the numbers that `/todo done` takes. */
import { wrapTextWithAnsi, type Theme } from "@tau/tui";
import { allTasks, isClosed, type TodoPhase } from "@tau/tools/todo";
import type { TodoItem } from "@tau/wire";

import { plain } from "../kit/row.ts";

const signs: Record<TodoItem["status"], string> = {
	pending: "☐",
	in_progress: "▸",
	completed: "☑",
	abandoned: "×",
};

export function drawTodo(phases: readonly TodoPhase[], width: number, theme: Theme): string[] {
	const tasks = allTasks(phases);
	if (tasks.length === 0)
		return [theme.fg("muted", "The todo list is empty. Add a task with /todo add <task>.")];
	const numbers = String(tasks.length).length;
	let number = 0;
	return phases.flatMap(({ name, tasks: own }) => {
		const closed = own.filter(isClosed).length;
		const head = theme.fg("accent", plain(name)) + theme.fg("dim", ` ${closed}/${own.length}`);
		return [head, ...own.flatMap((task) => taskRows(task, String(++number).padStart(numbers), width, theme))];
	});
}

function taskRows({ content, status }: TodoItem, number: string, width: number, theme: Theme): string[] {
	const margin = number.length + 5;
	const rows = wrapTextWithAnsi(plain(content), Math.max(1, width - margin));
	const paint = (text: string): string => {
		if (status === "in_progress") return theme.fg("accent", text);
		return status === "pending" ? text : theme.strikethrough(theme.fg("dim", text));
	};
	return rows.map((text, at) =>
		at === 0
			? `  ${theme.fg("dim", number)} ${signs[status]} ${paint(text)}`
			: " ".repeat(margin) + paint(text),
	);
}
