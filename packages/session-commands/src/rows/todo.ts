/** `/todo`: the todo list, for the user to view and change. */
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import {
	allTasks,
	applyOps,
	isClosed,
	markdownToPhases,
	phasesToMarkdown,
	todoPhases,
	todoProblem,
	type TodoPhase,
} from "@tau/tools/todo";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { parseTodoCommand, todoVerbs } from "../work/todo-command.ts";

export interface TodoData {
	phases: readonly TodoPhase[];
}

export const todo: SessionCommand = {
	name: "todo",
	group: "Tools",
	argumentHint: `[${todoVerbs.join("|")}] [task]`,
	description: "Show or edit the todo list",
	right: "prompt",
	shows: ["", "show"],
	complete: (prefix, target) => {
		const [, verb, part] = /^(start|done|drop|rm)\s+(.*)$/.exec(prefix) ?? [];
		if (verb === undefined || part === undefined)
			return todoVerbs
				.filter((each) => each.startsWith(prefix))
				.map((each) => ({ value: each, label: each }));
		return allTasks(todoPhases(target.env()))
			.filter(({ content }) => content.toLowerCase().includes(part.toLowerCase()))
			.map(({ content }) => ({ value: `${verb} ${content}`, label: content }));
	},
	async run(args, target) {
		const phases = todoPhases(target.env());
		const command = parseTodoCommand(args, phases);
		if (command.kind === "wrong") throw new UserError(command.message);
		if (command.kind === "show") return todoReply(phases);
		refuseWhileBusy(target);
		if (command.kind === "edit") return await edit(target, phases);
		const applied = applyOps(phases, [command.op]);
		if (applied.errors.length > 0) throw new UserError(applied.errors.join(" "));
		return await changeTodo(target, applied.phases);
	},
};

function refuseWhileBusy({ host }: Pick<CommandTarget, "host">): void {
	if (host.isBusy) throw new UserError("The model is updating the list. Try again when it's done.");
}

async function edit(target: CommandTarget, phases: readonly TodoPhase[]): Promise<CommandReply> {
	let text = `${phasesToMarkdown(phases)}\n`;
	for (;;) {
		const changed = await target.ask.editor("Todo list", { initial: text });
		if (changed === undefined || changed === text) return todoReply(phases);
		const written = markdownToPhases(changed);
		const problem = todoProblem(written);
		if (problem === undefined) return await changeTodo(target, written);
		await target.notice(problem, "warning");
		text = changed;
	}
}

/** Replaces the list; every client sees the change. */
async function changeTodo(
	{ host }: Pick<CommandTarget, "host">,
	phases: readonly TodoPhase[],
): Promise<CommandReply> {
	assertOutcome(await host.apply({ type: "todos", phases }));
	return todoReply(host.work.todos);
}

const signs = { pending: "[ ]", in_progress: "[>]", completed: "[x]", abandoned: "[-]" } as const;

/** With the numbers that `/todo done` takes. */
function todoReply(phases: readonly TodoPhase[]): CommandReply {
	let number = 0;
	const lines = phases.flatMap(({ name, tasks }) => [
		`${plain(name)} ${tasks.filter(isClosed).length}/${tasks.length}`,
		...tasks.map(({ content, status }) => `  ${++number} ${signs[status]} ${plain(content)}`),
	]);
	const data: TodoData = { phases };
	const text = number === 0 ? "The todo list is empty. Add a task with /todo add <task>." : lines.join("\n");
	return { ...reply(text), data };
}
