/** `/task` and `/fleet`: gives work of the session to the fleet, and shows what the fleet does. */
import { UserError } from "@tau/session/run";
import { allTasks, isClosed, todoPhases } from "@tau/tools/todo";

import { reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";
import handOver from "./fleet-plan.md" with { type: "text" };

const actions = ["list", "show", "answer", "steer", "stop", "result", "merge"] as const;

export const task: SessionCommand = {
	name: "task",
	group: "Tools",
	argumentHint: "[todo <n>|what to do]",
	takesText: true,
	description: "Give a task, a todo or the plan of this session to the fleet",
	right: "control",
	async run(args, target) {
		const prompt = promptOf(args.trim(), target);
		const id = (await fleetOf(target)("add", prompt)).trim();
		return reply(`Task ${id} is with the fleet. /fleet shows it.`, "success");
	},
};

export const fleet: SessionCommand = {
	name: "fleet",
	group: "Tools",
	argumentHint: "[list | show|result|merge <id> | answer|steer <id> <text> | stop <id|all>]",
	description: "Show the tasks of the fleet, answer and steer them, or stop everything",
	right: "control",
	complete: (prefix) =>
		valueItems(
			actions.map((value) => ({ value })),
			prefix,
			undefined,
		),
	async run(args, target) {
		const [action = "list", ...operands] = args.split(/\s+/).filter(Boolean);
		if (!actions.some((each) => each === action)) throw new UserError(`/fleet: ${actions.join(", ")}.`);
		const text = await fleetOf(target)(action, ...operands);
		return reply(text.trimEnd() || "Done.");
	},
};

function fleetOf({ fleet: run }: CommandTarget): NonNullable<CommandTarget["fleet"]> {
	if (!run) throw new UserError("This session has no fleet: use tau task in a terminal.");
	return run;
}

/** Words as they are; one todo by its number; without words the open todos, or the last answer as the plan. */
function promptOf(words: string, target: CommandTarget): string {
	const [, number] = /^todo (\d+)$/.exec(words) ?? [];
	const open = number === undefined && words !== "" ? [] : openTodos(target);
	if (number !== undefined) {
		const chosen = open[Number(number) - 1];
		if (chosen === undefined) throw new UserError(`There are ${open.length} open todos.`);
		return chosen;
	}
	if (words !== "") return words;
	const plan = open.length > 0 ? open.map((each) => `- ${each}`).join("\n") : lastAnswer(target);
	if (plan === "") throw new UserError('What should the fleet do? /task "…"');
	return `${handOver.trim()}\n\n${plan}`;
}

function openTodos(target: CommandTarget): string[] {
	return allTasks(todoPhases(target.env())).flatMap((each) => (isClosed(each) ? [] : [each.content]));
}

function lastAnswer({ host }: CommandTarget): string {
	const last = host.session.state.messages.findLast(({ role }) => role === "assistant");
	if (last?.role !== "assistant") return "";
	return last.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
