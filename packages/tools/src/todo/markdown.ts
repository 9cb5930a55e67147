/** Converts a todo list to Markdown that the user can edit, and back. */
import type { TodoItem, TodoStatus } from "@tau/session/run";

import { normalize, type TodoPhase } from "./phases.ts";

const marks: Record<TodoStatus, string> = { pending: " ", in_progress: "/", completed: "x", abandoned: "-" };

/** The markers that users write, beside our own. */
const readMarks: Record<string, TodoStatus> = {
	" ": "pending",
	"": "pending",
	"/": "in_progress",
	">": "in_progress",
	x: "completed",
	X: "completed",
	"-": "abandoned",
	"~": "abandoned",
};

/** The phase of tasks that precede the first heading. */
const namelessPhase = "Todos";

export function phasesToMarkdown(phases: readonly TodoPhase[]): string {
	return phases.map(({ name, tasks }) => [`# ${name}`, ...tasks.map(taskLine)].join("\n")).join("\n\n");
}

export function taskLine({ content, status }: TodoItem): string {
	return `- [${marks[status]}] ${content}`;
}

/** Lines that are neither a heading nor a task are left out. */
export function markdownToPhases(text: string): TodoPhase[] {
	const phases: TodoPhase[] = [];
	let open: TodoPhase | undefined;
	for (const line of text.split(/\r?\n/)) {
		const heading = /^#{1,6}\s+(.*\S)\s*$/.exec(line)?.[1];
		if (heading !== undefined) {
			open = phases.find(({ name }) => name === heading);
			if (!open) phases.push((open = { name: heading, tasks: [] }));
			continue;
		}
		const task = taskOf(line);
		if (!task) continue;
		if (!open) phases.push((open = { name: namelessPhase, tasks: [] }));
		open.tasks.push(task);
	}
	normalize(phases);
	return phases;
}

function taskOf(line: string): TodoItem | undefined {
	const [, mark = "", content] = /^\s*[-*+]\s+\[(.?)\]\s+(.*\S)\s*$/.exec(line) ?? [];
	const status = readMarks[mark];
	return content === undefined || status === undefined ? undefined : { content, status };
}
