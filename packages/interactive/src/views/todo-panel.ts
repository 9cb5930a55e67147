/** The current todo list: the phase that is worked on, what is done of it and what is next. */
import { truncateToWidth, type Component, type Theme } from "@tau/tui";
import { oneLine } from "@tau/utils";
import { allTasks, isClosed, type TodoPhase } from "@tau/tools/todo";
import type { TodoItem } from "@tau/wire";

import { limits } from "../limits.ts";

const signs: Record<TodoItem["status"], string> = {
	pending: "☐",
	in_progress: "▸",
	completed: "☑",
	abandoned: "×",
};

export class TodoPanel implements Component {
	readonly #theme: { readonly current: Theme };
	#phases: readonly TodoPhase[] = [];
	/** While nothing runs, one row says where the list is. */
	isIdle = false;
	/** The whole list is in the transcript above, until it changes. */
	#isPrinted = false;

	constructor(theme: { readonly current: Theme }) {
		this.#theme = theme;
	}

	set(phases: readonly TodoPhase[]): void {
		this.#phases = phases;
		this.#isPrinted = false;
	}

	/** The list is not shown twice: one row is enough below it. */
	listPrinted(): void {
		this.#isPrinted = true;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		const phase = this.#phases.find(({ tasks }) => tasks.some((task) => !isClosed(task)));
		// The transcript already shows that a list is finished.
		if (phase === undefined) return [];
		const theme = this.#theme.current;
		const all = allTasks(this.#phases);
		const closed = all.filter(isClosed).length;
		const count = `${closed}/${all.length}`;
		if (this.isIdle || this.#isPrinted) {
			const next = phase.tasks.find((task) => !isClosed(task))?.content ?? phase.name;
			const text = theme.fg("muted", oneLine(next, limits.lineChars));
			return ["", truncateToWidth(` ${theme.fg("accent", "☐")} ${theme.fg("dim", count)} ${text}`, width)];
		}
		const head = theme.fg("accent", ` ${oneLine(phase.name, limits.lineChars)}`);
		const rows = [truncateToWidth(head + theme.fg("dim", ` ${count}`), width)];
		const { from, shown } = around(phase.tasks);
		for (const task of shown) rows.push(truncateToWidth(this.#row(task, theme), width));
		const left = phase.tasks.length - from - shown.length;
		if (left > 0) rows.push(theme.fg("dim", truncateToWidth(`   … ${left} more`, width)));
		return ["", ...rows];
	}

	#row({ content, status }: TodoItem, theme: Theme): string {
		const text = oneLine(content, limits.lineChars);
		if (status === "in_progress") return `   ${theme.fg("accent", `${signs[status]} ${text}`)}`;
		if (status === "pending") return `   ${theme.fg("muted", `${signs[status]} ${text}`)}`;
		return `   ${theme.fg("dim", `${signs[status]} ${text}`)}`;
	}
}

/** The task that is worked on, with the one before it. */
function around(tasks: readonly TodoItem[]): { from: number; shown: readonly TodoItem[] } {
	const active = tasks.findIndex((task) => !isClosed(task));
	const most = Math.max(0, tasks.length - limits.todoRows);
	const from = Math.min(Math.max(0, active - 1), most);
	return { from, shown: tasks.slice(from, from + limits.todoRows) };
}
