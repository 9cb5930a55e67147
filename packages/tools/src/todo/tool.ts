/** Manages a todo list that the user sees. */
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { applyOps } from "./apply.ts";
import { limits } from "./limits.ts";
import { allTasks } from "./phases.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { todoState } from "./state.ts";
import { summary } from "./summary.ts";

const words = z.string().trim().min(1).max(limits.chars);

export const todo = defineTool({
	name: "todo",
	label: "Todo list",
	prompt,
	concurrency: "exclusive",
	approval: "read",
	claude: { name: "TodoWrite" },
	schema,
	parameters: z.object({
		ops: z
			.array(
				z.object({
					op: z.enum(["init", "start", "done", "rm", "drop", "append", "view"]),
					list: z.array(z.object({ phase: words, items: z.array(words).min(1) })).optional(),
					task: words.optional(),
					phase: words.optional(),
					items: z.array(words).min(1).optional(),
				}),
			)
			.min(1)
			.max(limits.ops),
	}),
	async execute({ ops }, context) {
		const state = context.services.get(todoState, context);
		const { messages } = context.session;
		const { phases, errors, completed } = applyOps(state.read(messages), ops);
		const isView = ops.every(({ op }) => op === "view");
		if (errors.length === 0 && !isView) state.write(phases, context.toolCallId, messages);
		const details = { phases, ...(completed.length > 0 ? { completedTasks: completed } : {}) };
		if (errors.length > 0) {
			const rest = allTasks(phases).length > 0 ? `\n${summary(phases)}` : "";
			return errorResult(`Errors: ${errors.join("; ")}. Nothing was changed.${rest}`, details);
		}
		if (allTasks(phases).length > 0) return textResult(summary(phases), details);
		return textResult(isView ? "Todo list is empty." : "Todo list cleared.", details);
	},
	view: {
		call: ({ ops }) =>
			`todo ${ops?.map(({ op, task, phase }) => [op, task ?? phase].filter(Boolean).join(" ")).join(", ") ?? "…"}`,
	},
});
