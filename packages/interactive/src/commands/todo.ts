/** `/todo`: the todo list in the transcript, and its editor. */
import { markdownToPhases, phasesToMarkdown, todoProblem, type TodoPhase } from "@tau/tools/todo";

import { todo as row, type TodoData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { drawTodo } from "../selectors/todo/draw-todo.ts";
import { TodoEditor } from "../selectors/todo/todo-editor.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

// The row gives all of its replies this data.
const onTranscript = onScreen(row, ({ data }, host) => draw((data as TodoData).phases, host));

export const todo: SlashCommand = {
	...onTranscript,
	run(args, host) {
		if (args !== "edit" || host.isBusy) return onTranscript.run(args, host);
		edit(host, host.client.view.facts.todos);
	},
};

function draw(phases: readonly TodoPhase[], host: InteractiveHost): void {
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
				host.client.request("set_todos", { phases: written }).then(
					(changed) => draw(changed.phases, host),
					(error: unknown) => host.notify(error instanceof Error ? error.message : String(error), "error"),
				);
				return undefined;
			},
		});
		return { component: editor, owns: editor };
	});
}
