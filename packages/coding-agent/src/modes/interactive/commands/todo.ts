/** `/todo`: the todo list, for the user to view and change. */
import type { CustomMessage } from "@tau/session";
import { fill } from "@tau/session/prompts";
import {
	todoEdited as edited,
	applyOps,
	todoLimits as limits,
	markdownToPhases,
	phasesToMarkdown,
	allTasks,
	type TodoPhase,
	editCall,
	todoPhases,
	todoState,
	userTodoEdit,
} from "@tau/tools/todo";

import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { drawTodo } from "../selectors/todo/draw-todo.ts";
import { TodoEditor } from "../selectors/todo/todo-editor.ts";
import { todoVerbs, parseTodoCommand } from "../selectors/todo/todo-command.ts";
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
		await keep(host, applied.phases);
		show(host, applied.phases);
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
				if (written.length > limits.phases || allTasks(written).length > limits.tasks)
					return `A todo list can have at most ${limits.phases} phases and ${limits.tasks} tasks.`;
				close();
				void keep(host, written).then(() => show(host, written));
				return undefined;
			},
		});
		return { component: editor, owns: editor };
	});
}

/** The model reads of it with the next prompt, and the list follows the branch as its own changes do. */
async function keep(host: InteractiveHost, phases: readonly TodoPhase[]): Promise<void> {
	const { session, env } = host;
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
}
