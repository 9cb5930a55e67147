/** Parses the arguments of `/todo` into a change of the list. */
import { nearest } from "@tau/utils";
import { type TodoOp, allTasks, type TodoPhase } from "@tau/tools/todo";

export type TodoCommand =
	{ kind: "show" } | { kind: "edit" } | { kind: "change"; op: TodoOp } | { kind: "wrong"; message: string };

export const todoVerbs = ["show", "edit", "add", "start", "done", "drop", "rm"] as const;

/** The phase for tasks that the user adds to an empty list. */
const usualPhase = "Todos";

export function parseTodoCommand(label: string, phases: readonly TodoPhase[]): TodoCommand {
	const [, verb = "show", rest = ""] = /^(\S+)?\s*([\s\S]*)$/.exec(label.trim()) ?? [];
	const text = rest.trim();
	switch (verb) {
		case "show":
			return { kind: "show" };
		case "edit":
			return { kind: "edit" };
		case "add":
			if (text === "") return wrong("Usage: /todo add <task>");
			return {
				kind: "change",
				op: { op: "append", phase: phases.at(-1)?.name ?? usualPhase, items: [text] },
			};
		case "start":
		case "done":
		case "drop":
		case "rm":
			return change(verb, text, phases);
		default:
			return wrong(`Usage: /todo [${todoVerbs.join("|")}] [task]`);
	}
}

/** A task is selected by its number, by its text or by a unique part of it. */
function taskNamed(text: string, phases: readonly TodoPhase[]): string | undefined {
	const names = allTasks(phases).map(({ content }) => content);
	const byNumber = /^\d+$/.test(text) ? names[Number(text) - 1] : undefined;
	const requested = text.toLowerCase();
	const exact = names.find((name) => name.toLowerCase() === requested);
	const parts = names.filter((name) => name.toLowerCase().includes(requested));
	return byNumber ?? exact ?? (parts.length === 1 ? parts[0] : undefined);
}

function change(
	op: "start" | "done" | "drop" | "rm",
	text: string,
	phases: readonly TodoPhase[],
): TodoCommand {
	if (allTasks(phases).length === 0)
		return wrong("The todo list is empty. Add a task with /todo add <task>.");
	if (text === "" || text === "all")
		return op === "start" || text === ""
			? wrong(`Usage: /todo ${op} <task or number${op === "start" ? "" : " or all"}>`)
			: { kind: "change", op: { op } };
	const phase = phases.find(({ name }) => name.toLowerCase() === text.toLowerCase());
	if (phase && op !== "start") return { kind: "change", op: { op, phase: phase.name } };
	const task = taskNamed(text, phases);
	if (task !== undefined) return { kind: "change", op: { op, task } };
	const names = allTasks(phases).map(({ content }) => content);
	const [near] = nearest(text, names, 1);
	return wrong(`No single task matches.${near === undefined ? "" : ` Did you mean "${near}"?`}`);
}

function wrong(message: string): TodoCommand {
	return { kind: "wrong", message };
}
