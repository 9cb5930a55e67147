/** `/todo`: the todo list, for the user to view and change. */
import {
	allTasks,
	applyOps,
	editTodo,
	markdownToPhases,
	phasesToMarkdown,
	todoPhases,
	todoProblem,
	type TodoPhase,
} from "@tau/tools/todo";

import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { drawTodo } from "../selectors/todo/draw-todo.ts";
import { TodoEditor } from "../selectors/todo/todo-editor.ts";
import { todoVerbs, parseTodoCommand } from "../../../session-commands/work/todo-command.ts";
import type { SlashCommand } from "./command.ts";

export const todo: SlashCommand = {
	name: "todo",
	group: "Tools",
	argumentHint: `[${todoVerbs.join("|")}] [task]`,
	description: "Show or edit the todo list",
	complete: (prefix, host) => {
		const [, verb, part] = /^(start|done|drop|rm)\s+(.*)$/.exec(prefix) ?? [];
		if (verb === undefined || part === undefined)
			return todoVerbs
				.filter((each) => each.startsWith(prefix))
				.map((each) => ({ value: each, label: each }));
		return allTasks(todoPhases(host.env))
			.filter(({ content }) => content.toLowerCase().includes(part.toLowerCase()))
			.map(({ content }) => ({ value: `${verb} ${content}`, label: content }));
	},
	async run(args, host) {
		const phases = todoPhases(host.env);
		const command = parseTodoCommand(args, phases);
		if (command.kind === "wrong") throw new Error(command.message);
		if (command.kind === "show") return show(host, phases);
		if (host.isBusy) throw new Error("The model is updating the list. Try again when it's done.");
		if (command.kind === "edit") return edit(host, phases);
		const applied = applyOps(phases, [command.op]);
		if (applied.errors.length > 0) throw new Error(applied.errors.join(" "));
		show(host, await editTodo(host.env, host.session, applied.phases));
	},
};

function show(host: InteractiveHost, phases: readonly TodoPhase[]): void {
	host.print(report(host.theme, (width, theme) => drawTodo(phases, width, theme)));
	host.todoPrinted();
}

function edit(host: InteractiveHost, phases: readonly TodoPhase[]): void {
	openSelector(host, (screen, close) => {
		const editor = new TodoEditor(screen, {
			text: `${phasesToMarkdown(phases)}\n`,
			save: (text) => {
				const written = markdownToPhases(text);
				const problem = todoProblem(written);
				if (problem !== undefined) return problem;
				close();
				editTodo(host.env, host.session, written).then(
					(kept) => show(host, kept),
					(error: unknown) => host.notify(error instanceof Error ? error.message : String(error), "error"),
				);
				return undefined;
			},
		});
		return { component: editor, owns: editor };
	});
}
