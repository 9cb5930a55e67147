/** `tau task …`: adds tasks, shows them, and talks to the sessions that work on them. */
import { log, stripControls, UsageError } from "@tau/utils";

import { removeFences } from "../git/fence.ts";
import { isOver, readLabels, type Task } from "../task.ts";
import { addTasks } from "./add.ts";
import { taskNamed, type FleetContext } from "./context.ts";
import { mergeTask, resultText, saveCassette } from "./result.ts";
import { logText, openQuestions, questionLines, taskRows, taskText } from "./show.ts";

type Action = (context: FleetContext, operands: readonly string[]) => Promise<number | undefined>;

const actions: Readonly<Record<string, Action>> = {
	async add(context, words) {
		const tasks = await addTasks(context, words);
		await context.print(tasks.map((task) => (context.isJson ? jsonLine(task) : `${task.id}\n`)).join(""));
		return undefined;
	},
	list: listTasks,
	async show(context, [id]) {
		const task = await taskNamed(context, id);
		await context.print(context.isJson ? jsonLine(task) : taskText(task));
		return undefined;
	},
	logs: printLog,
	async attach(context, [id]) {
		const task = await taskNamed(context, id);
		const { sessionId, room } = task.progress;
		if (task.state !== "running" || (sessionId === undefined && room === undefined))
			throw new UsageError(
				`Task ${task.id} is ${task.state}: no session of it runs. tau task logs ${task.id} shows the last one.`,
			);
		if (context.isLocal && sessionId !== undefined) return await context.attach({ sessionId });
		if (room !== undefined) return await context.attach({ room });
		throw new UsageError(`The worker of task ${task.id} shares no room. Set collab.relayUrl where it runs.`);
	},
	async answer(context, [id, ...words]) {
		const task = await taskNamed(context, id);
		const [question] = openQuestions(task);
		if (!question) throw new UsageError(`Task ${task.id} asks nothing.`);
		const text = words.join(" ");
		if (text === "") {
			await context.print(stripControls(`${questionLines(task).slice(1).join("\n")}\n`));
			return undefined;
		}
		const { choices } = question;
		if (choices.length > 0 && /^\d+$/.test(text) && !choices[Number(text) - 1])
			throw new UsageError(`Answer with a number from 1 to ${choices.length}, or with words.`);
		await context.store.send(task.id, { kind: "answer", question: question.id, key: question.key, text });
		if (context.isLocal) await context.startWorker();
		return undefined;
	},
	async steer(context, [id, ...words]) {
		const task = await openTask(context, id);
		if (words.length === 0)
			throw new UsageError(`What should task ${task.id} be told? tau task steer ${task.id} "…"`);
		await context.store.send(task.id, { kind: "steer", text: words.join(" ") });
		// A parked one continues with it.
		if (context.isLocal) await context.startWorker();
		return undefined;
	},
	async stop(context, ids) {
		const named =
			context.flag("all") === undefined
				? await Promise.all(ids.map((id) => taskNamed(context, id)))
				: await context.store.list(["queued", "running", "parked"]);
		if (named.length === 0 && context.flag("all") === undefined)
			throw new UsageError("Which task? Or all of them: tau task stop --all");
		let stopped = 0;
		for (const { id } of named) if (await context.store.stop(id)) stopped++;
		await context.print(`Stopped ${stopped} of ${named.length}.\n`);
		await tidy(context, named);
		return undefined;
	},
	async retry(context, [id]) {
		const task = await taskNamed(context, id);
		if (!(await context.store.retry(task.id)))
			throw new UsageError(`Task ${task.id} is ${task.state}. Stop it first: tau task stop ${task.id}`);
		if (context.isLocal) await context.startWorker();
		return undefined;
	},
	async result(context, [id]) {
		const task = await taskNamed(context, id);
		await context.print(
			context.isJson
				? jsonLine({ id: task.id, state: task.state, ...task.result })
				: await resultText(context, task),
		);
		return task.result ? undefined : 1;
	},
	async cassette(context, [id, file]) {
		const target = await saveCassette(context, await taskNamed(context, id), file);
		await context.print(context.isJson ? jsonLine({ file: target }) : `${target}\n`);
		return undefined;
	},
	async merge(context, [id]) {
		await context.print(await mergeTask(context, await taskNamed(context, id)));
		return undefined;
	},
	async rm(context, ids) {
		const tasks = await Promise.all(ids.map((id) => taskNamed(context, id)));
		for (const task of tasks) {
			if (!(await context.store.remove(task.id)))
				throw new UsageError(`Task ${task.id} is ${task.state}. Stop it first: tau task stop ${task.id}`);
		}
		await tidy(context, tasks);
		return undefined;
	},
};

/** A worker that runs removes the fence of its task by itself; one that was killed has left it. */
async function tidy({ cwd, env, signal }: FleetContext, over: readonly Task[]): Promise<void> {
	const started = over.filter(({ lease, spec }) => lease > 0 && spec.repo !== "");
	for (const [repo, tasks] of Map.groupBy(started, ({ spec }) => spec.repo))
		await removeFences(
			{ cwd, env, signal },
			repo,
			tasks.map(({ id }) => id),
			// Its worker was faster, or this machine may not push there: the ref harms nobody.
		).catch((error: unknown) => log.info("fences stay in a repository", { reason: String(error) }));
}

/** Gives the exit code. */
export async function runTaskCommand(
	context: FleetContext,
	action: string,
	operands: readonly string[],
): Promise<number> {
	const run = actions[action];
	if (!run) throw new UsageError(`tau task has no action "${action}".`);
	return (await run(context, operands)) ?? 0;
}

async function openTask(context: FleetContext, id: string | undefined): Promise<Task> {
	const task = await taskNamed(context, id);
	if (isOver(task)) throw new UsageError(`Task ${task.id} is ${task.state}.`);
	return task;
}

async function listTasks(context: FleetContext): Promise<undefined> {
	const all = await context.store.list();
	const label = readLabels("--label", context.flags("label"));
	const tasks = all.filter(({ spec }) => label.every((each) => spec.labels.includes(each)));
	if (context.isJson) await context.print(tasks.map(jsonLine).join(""));
	else if (tasks.length === 0) await context.print('No tasks. Add one: tau task add "…"\n');
	else await context.print(`${columns(taskRows(tasks, all, Date.now())).join("\n")}\n`);
	return undefined;
}

/** With `--follow`, until the task is over. */
async function printLog(context: FleetContext, [id]: readonly string[]): Promise<undefined> {
	const { store, signal } = context;
	const task = await taskNamed(context, id);
	let seen = 0;
	const print = async (): Promise<void> => {
		const lines = await store.log(task.id, seen);
		seen = lines.at(-1)?.seq ?? seen;
		await context.print(lines.map((line) => (context.isJson ? `${line.line}\n` : logText(line))).join(""));
	};
	let changed = Promise.withResolvers<void>();
	using _ = store.onChange((taskId = task.id) => {
		if (taskId === task.id) changed.resolve();
	});
	const stop = (): void => changed.resolve();
	signal.addEventListener("abort", stop, { once: true });
	for (;;) {
		const now = await store.get(task.id);
		await print();
		if (context.flag("follow") === undefined || signal.aborted || !now || isOver(now)) return undefined;
		await changed.promise;
		changed = Promise.withResolvers();
	}
}

function columns(rows: readonly string[][]): string[] {
	const clean = rows.map((row) => row.map((cell) => stripControls(cell, { newline: false, tab: false })));
	const widths = (clean[0] ?? []).map((_, at) =>
		Math.max(...clean.map((row) => Bun.stringWidth(row[at] ?? ""))),
	);
	return clean.map((row) =>
		row
			.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell)))
			.join("  ")
			.trimEnd(),
	);
}

function jsonLine(value: object): string {
	return `${JSON.stringify(value)}\n`;
}
