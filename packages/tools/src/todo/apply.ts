/** Applies the operations of one call to a todo list: all of them, or none. */
import { nearest } from "@tau/utils";
import type { TodoItem, TodoStatus } from "@tau/session/run";

import { limits } from "./limits.ts";
import { allTasks, copyOf, normalize, type TodoPhase } from "./phases.ts";

export interface TodoOp {
	op: "init" | "start" | "done" | "rm" | "drop" | "append" | "view";
	list?: readonly { phase: string; items: readonly string[] }[] | undefined;
	task?: string | undefined;
	phase?: string | undefined;
	items?: readonly string[] | undefined;
}

export interface Applied {
	/** The list; unchanged when there were errors. */
	phases: TodoPhase[];
	errors: string[];
	/** Tasks that are completed now and were not before. */
	completed: { phase: string; content: string }[];
}

export function applyOps(before: readonly TodoPhase[], ops: readonly TodoOp[]): Applied {
	const work = new Work(copyOf(before));
	for (const op of ops) work.apply(op);
	work.checkSize();
	if (work.errors.length > 0) return { phases: copyOf(before), errors: work.errors, completed: [] };
	const { phases } = work;
	if (ops.every(({ op }) => op === "view")) return { phases, errors: [], completed: [] };
	normalize(phases);
	return { phases, errors: [], completed: newlyCompleted(before, phases) };
}

class Work {
	phases: TodoPhase[];
	readonly errors: string[] = [];

	constructor(phases: TodoPhase[]) {
		this.phases = phases;
	}

	apply(op: TodoOp): void {
		switch (op.op) {
			case "init":
				return this.#init(op.list);
			case "start":
				return this.#start(op.task);
			case "done":
				return this.#mark(op, "completed");
			case "drop":
				return this.#mark(op, "abandoned");
			case "rm":
				return this.#remove(op);
			case "append":
				return this.#append(op);
			case "view":
				return;
		}
	}

	checkSize(): void {
		if (this.phases.length > limits.phases || allTasks(this.phases).length > limits.tasks) {
			this.#fail(`A todo list can have at most ${limits.phases} phases and ${limits.tasks} tasks`);
		}
	}

	#init(list: TodoOp["list"]): void {
		if (!list || list.length === 0) return this.#fail("Missing list for init operation");
		const names = new Set<string>();
		const contents = new Set<string>();
		for (const { phase, items } of list) {
			if (names.has(phase)) this.#fail(`Duplicate phase "${phase}" in init list`);
			names.add(phase);
			for (const item of items) {
				if (contents.has(item)) this.#fail(`Duplicate task "${item}" in init list`);
				contents.add(item);
			}
		}
		this.phases = list.map(({ phase, items }) => ({ name: phase, tasks: items.map(pending) }));
	}

	#start(content: string | undefined): void {
		const target = this.#task(content);
		if (!target) return;
		for (const task of allTasks(this.phases)) if (task.status === "in_progress") task.status = "pending";
		target.status = "in_progress";
	}

	#mark(op: TodoOp, status: TodoStatus): void {
		for (const task of this.#targets(op)) task.status = status;
	}

	#remove(op: TodoOp): void {
		const gone = new Set(this.#targets(op));
		for (const phase of this.phases) phase.tasks = phase.tasks.filter((task) => !gone.has(task));
		// Neither a task nor a phase: everything goes, the headings too.
		if (op.task === undefined && op.phase === undefined) this.phases = [];
	}

	#append({ phase: name, items }: TodoOp): void {
		if (!name) return this.#fail("Missing phase name for append operation");
		if (!items || items.length === 0) return this.#fail("Missing items for append operation");
		const known = new Set(allTasks(this.phases).map(({ content }) => content));
		for (const item of items) {
			if (known.has(item)) this.#fail(`Task "${item}" already exists`);
			known.add(item);
		}
		let phase = this.phases.find((candidate) => candidate.name === name);
		if (!phase) this.phases.push((phase = { name, tasks: [] }));
		phase.tasks.push(...items.map(pending));
	}

	/** Selects one task, those of a phase, or all. */
	#targets({ task, phase }: TodoOp): TodoItem[] {
		if (task !== undefined) {
			const found = this.#task(task);
			return found ? [found] : [];
		}
		return phase === undefined ? allTasks(this.phases) : (this.#phase(phase)?.tasks ?? []);
	}

	#task(content: string | undefined): TodoItem | undefined {
		if (!content) return this.#fail("Missing task content");
		const tasks = allTasks(this.phases);
		const found = tasks.find((task) => task.content === content);
		if (found) return found;
		if (tasks.length === 0)
			return this.#fail(`Task "${content}" not found: the list is empty, start with init`);
		return this.#fail(
			`Task "${content}" not found${meant(
				content,
				tasks.map((task) => task.content),
			)}`,
		);
	}

	#phase(name: string): TodoPhase | undefined {
		if (name === "") return this.#fail("Missing phase name");
		const todoPhase = this.phases.find((phase) => phase.name === name);
		const names = this.phases.map((phase) => phase.name);
		return todoPhase ?? this.#fail(`Phase "${name}" not found${meant(name, names)}`);
	}

	#fail(message: string): undefined {
		this.errors.push(message);
	}
}

function meant(requested: string, names: readonly string[]): string {
	const [near] = nearest(requested, names);
	return near === undefined ? "" : `; did you mean "${near}"?`;
}

function pending(content: string): TodoItem {
	return { content, status: "pending" };
}

function newlyCompleted(before: readonly TodoPhase[], after: readonly TodoPhase[]): Applied["completed"] {
	const done = new Set(
		allTasks(before)
			.filter(({ status }) => status === "completed")
			.map(({ content }) => content),
	);
	return after.flatMap(({ name, tasks }) =>
		tasks
			.filter(({ content, status }) => status === "completed" && !done.has(content))
			.map(({ content }) => ({ phase: name, content })),
	);
}
