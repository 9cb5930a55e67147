/** `/todo`: the todo list in the transcript, and its editor. */
import { markdownToPhases, phasesToMarkdown, todoPhases, todoProblem, type TodoPhase } from "@tau/tools/todo";

import { refuseWhileBusy, todo as row, changeTodo, type TodoData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import type { DrawReply } from "../run-row.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { drawTodo } from "../selectors/todo/draw-todo.ts";
import { TodoEditor } from "../selectors/todo/todo-editor.ts";
import { onScreen } from "./on-screen.ts";

const draw: DrawReply = ({ data }, host) => {
	// The row gives all of its replies this data.
	const { phases } = data as TodoData;
	host.print(report(host.theme, (width, theme) => drawTodo(phases, width, theme)));
	host.todoPrinted();
};

export const todo = onScreen(row, {
	open(args, host) {
		if (args !== "edit") return false;
		refuseWhileBusy({ host: host.sessionHost });
		edit(host, todoPhases(host.env));
		return true;
	},
	draw,
});

function edit(host: InteractiveHost, phases: readonly TodoPhase[]): void {
	openSelector(host, (screen, close) => {
		const editor = new TodoEditor(screen, {
			text: `${phasesToMarkdown(phases)}\n`,
			save: (text) => {
				const written = markdownToPhases(text);
				const problem = todoProblem(written);
				if (problem !== undefined) return problem;
				close();
				changeTodo({ host: host.sessionHost }, written).then(
					(reply) => draw(reply, host),
					(error: unknown) => host.notify(error instanceof Error ? error.message : String(error), "error"),
				);
				return undefined;
			},
		});
		return { component: editor, owns: editor };
	});
}
