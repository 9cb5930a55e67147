/** Tasks as users see them: the list, one task, and the lines of its log. */
import { elapsed, money, oneLine, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { isOver, type LogLine, type Task, type TaskQuestion } from "../task.ts";

/** The word for its state, with what it waits for. */
function shownState(task: Task, tasks: ReadonlyMap<string, Task>, now: number): string {
	const { state, progress, spec, runAt } = task;
	if (state === "running" && progress.questions.length > 0) return "waiting";
	if (state !== "queued") return state;
	if (spec.after.some((id) => tasks.has(id) && tasks.get(id)?.state !== "done")) return "blocked";
	return runAt > now ? "delayed" : "queued";
}

export function taskRows(tasks: readonly Task[], all: readonly Task[], now: number): string[][] {
	const byId = new Map(all.map((task) => [task.id, task]));
	const rows = tasks.map((task) => [
		task.id,
		shownState(task, byId, now),
		elapsed((task.endedAt ?? now) - task.createdAt),
		task.progress.cost > 0 ? money(task.progress.cost) : "",
		oneLine(task.spec.prompt, limits.shownChars / 2),
		oneLine(lastOf(task), limits.shownChars),
	]);
	return [["ID", "STATE", "AGE", "COST", "TASK", "LAST"], ...rows];
}

/** A task as a page shows it. */
export interface TaskView {
	readonly id: string;
	/** With what it waits for: `waiting`, `blocked`, `delayed`, or the state of the task. */
	readonly state: string;
	readonly prompt: string;
	readonly createdAt: number;
	readonly endedAt?: number | undefined;
	/** US dollars */
	readonly cost: number;
	readonly last: string;
	readonly questions: readonly { readonly text: string; readonly choices: readonly string[] }[];
	readonly sessionId?: string | undefined;
}

const viewOrder = [
	"waiting",
	"parked",
	"running",
	"queued",
	"delayed",
	"blocked",
	"failed",
	"done",
	"stopped",
];

/** What waits for the user first, then what runs; what is over with the newest first. */
export function taskViews(
	tasks: readonly Task[],
	now: number,
): { tasks: TaskView[]; counts: Record<string, number> } {
	const byId = new Map(tasks.map((task) => [task.id, task]));
	const counts: Record<string, number> = {};
	const views = tasks.map((task): TaskView => {
		const { id, spec, createdAt, endedAt, progress } = task;
		const state = shownState(task, byId, now);
		counts[state] = (counts[state] ?? 0) + 1;
		return {
			id,
			state,
			prompt: oneLine(stripControls(spec.prompt), limits.shownChars * 2),
			createdAt,
			endedAt,
			cost: progress.cost,
			last: stripControls(lastOf(task)),
			questions: openQuestions(task).map(({ text, choices }) => ({ text, choices })),
			sessionId: task.state === "running" ? progress.sessionId : undefined,
		};
	});
	const rank = ({ state }: TaskView): number => viewOrder.indexOf(state);
	const age = ({ endedAt, createdAt }: TaskView): number =>
		endedAt === undefined ? createdAt : Number.MAX_SAFE_INTEGER - endedAt;
	return { tasks: views.toSorted((a, b) => rank(a) - rank(b) || age(a) - age(b)), counts };
}

function lastOf(task: Task): string {
	const { state, progress, problem, result } = task;
	const { last, note } = progress;
	const [question] = openQuestions(task);
	if (question) return `asks: ${question.text}`;
	if (state === "done") return result?.branch ?? "no changes";
	return problem ?? note ?? last ?? "";
}

export function taskText(task: Task): string {
	const { id, spec, state, lease, worker, progress, result, problem } = task;
	const lines: [string, string | undefined][] = [
		["Task", id],
		["State", state],
		["Prompt", spec.prompt],
		["Repository", spec.repo === "" ? "(bundle)" : spec.repo],
		["Commit", `${spec.commit} (${spec.ref})`],
		["Agent", spec.agent?.name],
		["Model", spec.model],
		["Budget", spec.budget === undefined ? undefined : money(spec.budget)],
		["Labels", spec.labels.join(", ") || undefined],
		["After", spec.after.join(", ") || undefined],
		["Lease", lease === 0 ? undefined : `${lease}${worker === undefined ? "" : ` (${worker})`}`],
		["Session", isOver(task) ? undefined : progress.sessionId],
		["Cost", progress.cost > 0 ? money(progress.cost) : undefined],
		["Last", progress.last],
		["Note", progress.note],
		["Problem", problem],
		["Branch", result?.branch],
	];
	const text = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(11)} ${value}`]));
	return stripControls(`${[...text, ...questionLines(task)].join("\n")}\n`);
}

/** Those of a task that is over were not answered in time. */
export function openQuestions(task: Task): readonly TaskQuestion[] {
	return isOver(task) ? [] : task.progress.questions;
}

export function questionLines(task: Task): string[] {
	const { id } = task;
	return openQuestions(task).flatMap(({ text, choices }, at) => [
		"",
		`Question ${at + 1}: ${text}`,
		...choices.map((choice, index) => `  ${index + 1}. ${choice}`),
		`  tau task answer ${id} ${choices.length > 0 ? "<number>" : '"…"'}`,
	]);
}

interface LoggedMessage {
	role?: string;
	toolName?: string;
	content?: string | readonly { type: string; text?: string; name?: string; arguments?: unknown }[];
}

/** A line of the session log as text; empty for what a reader does not need. */
export function logText({ line }: LogLine): string {
	const entry = JSON.parse(line) as { type?: string; lease?: number; message?: LoggedMessage };
	if (entry.type === "session") return `— lease ${entry.lease ?? "?"} —\n`;
	const { role, content, toolName } = entry.message ?? {};
	if (entry.type !== "message" || content === undefined) return "";
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const mark = role === "user" ? "> " : role === "toolResult" ? `  ${toolName ?? ""}: ` : "";
	const lines = blocks.flatMap((block) => {
		if (block.type === "toolCall")
			return [`* ${block.name ?? ""} ${oneLine(JSON.stringify(block.arguments), limits.shownChars)}`];
		if (block.type !== "text" || !block.text) return [];
		return [`${mark}${role === "toolResult" ? oneLine(block.text, limits.shownChars) : block.text}`];
	});
	return lines.map((text) => `${stripControls(text)}\n`).join("");
}
