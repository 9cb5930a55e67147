/** Manages a todo list that the user sees. */
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { applyOps } from "./apply.ts";
import { limits } from "./limits.ts";
import { allTasks, isClosed, phasesIn, type TodoPhase } from "./phases.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { carriedTodo, todoState } from "./state.ts";
import { taskLine } from "./markdown.ts";

const words = () => z.string().trim().min(1).max(limits.chars);

export const todo = defineTool({
	name: "todo",
	label: "Todo list",
	prompt,
	concurrency: "exclusive",
	approval: "read",
	kind: "think",
	claude: { name: "TodoWrite" },
	isForMainOnly: true,
	schema,
	parameters: () =>
		z.object({
			ops: z
				.array(
					z.object({
						op: z.enum(["init", "start", "done", "rm", "drop", "append", "view"]),
						list: z.array(z.object({ phase: words(), items: z.array(words()).min(1) })).optional(),
						task: words().optional(),
						phase: words().optional(),
						items: z.array(words()).min(1).optional(),
					}),
				)
				.min(1)
				.max(limits.ops),
		}),
	async execute({ ops }, context) {
		const state = context.services.get(todoState, context);
		const { messages } = context.session;
		const { phases, errors, completed } = applyOps(state.read(context.session), ops);
		const isView = ops.every(({ op }) => op === "view");
		if (errors.length === 0 && !isView) state.write(phases, context.toolCallId, messages);
		const details = { phases, ...(completed.length > 0 ? { completedTasks: completed } : {}) };
		if (errors.length > 0) {
			const rest = allTasks(phases).length > 0 ? `\n${summary(phases)}` : "";
			const said = errors.join("; ");
			const end = said.endsWith("?") ? "" : ".";
			return errorResult(`Errors: ${said}${end} Nothing was changed.${rest}`, details);
		}
		if (allTasks(phases).length > 0) return textResult(summary(phases), details);
		return textResult(isView ? "Todo list is empty." : "Todo list cleared.", details);
	},
	carries: carriedTodo,
	view: {
		call: ({ ops }) =>
			`todo ${ops?.map(({ op, task, phase }) => [op, task ?? phase].filter(Boolean).join(" ")).join(", ") ?? "…"}`,
		// The panel shows a list that has open tasks.
		isQuiet: (details) =>
			details === undefined || allTasks(phasesIn(details) ?? []).some((task) => !isClosed(task)),
	},
});

/** The summary of the todo list for the model: what is left, the current position, and the whole list. */
function summary(phases: readonly TodoPhase[]): string {
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
