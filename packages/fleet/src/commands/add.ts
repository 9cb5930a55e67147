/** `tau task add`: reads what is wanted from the command line, a file or a matrix, and puts it into the store. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { errorText, UsageError } from "@tau/utils";

import { limits } from "../limits.ts";
import { policies, readLabels, type Policy, type Task, type TaskSpec } from "../task.ts";
import type { FleetContext } from "./context.ts";
import { findSource } from "./source.ts";

export async function addTasks(context: FleetContext, words: readonly string[]): Promise<Task[]> {
	const prompts = await promptsOf(context, words.join(" ").trim());
	if (prompts.length === 0)
		throw new UsageError('tau task add needs a prompt. Example: tau task add "fix the failing tests".');
	const count = wholeNumber(context, "count", 1);
	if (prompts.length * count > limits.bulk)
		throw new UsageError(
			`These are ${prompts.length * count} tasks; one command adds at most ${limits.bulk}.`,
		);
	const tooLong = prompts.find((prompt) => prompt.length > limits.promptChars);
	if (tooLong !== undefined) throw new UsageError(`A prompt may have ${limits.promptChars} characters.`);
	const { bundle, ...source } = await findSource(context);
	const rest = await optionsOf(context);
	const specs = prompts.flatMap((prompt) =>
		Array.from({ length: count }, (): TaskSpec => ({ prompt, ...source, ...rest })),
	);
	const wait = duration(context.flag("delay"));
	const tasks = await context.store.add(specs, {
		bundle,
		...(wait === 0 ? {} : { runAt: Date.now() + wait }),
	});
	if (context.isLocal) await context.startWorker();
	return tasks;
}

async function optionsOf(
	context: FleetContext,
): Promise<Omit<TaskSpec, "prompt" | "repo" | "ref" | "commit">> {
	const named = context.flag("agent");
	const agent = named === undefined ? undefined : await context.agent(named);
	const model = context.flag("model") ?? agent?.model;
	const budget = context.flag("budget");
	if (budget !== undefined && !(Number(budget) > 0))
		throw new UsageError(`--budget ${budget}: not an amount of dollars.`);
	const policy = context.flag("approval-mode") ?? "auto";
	if (!policies.includes(policy as Policy))
		throw new UsageError(`--approval-mode ${policy}: a task may have ${policies.join(", ")}.`);
	const after = context.flags("after").flatMap((ids) => ids.split(","));
	return {
		...(model === undefined ? {} : { model }),
		...(budget === undefined ? {} : { budget: Number(budget) }),
		policy: policy as Policy,
		...(agent === undefined ? {} : { agent }),
		...(context.flag("trust") === undefined ? {} : { isTrusted: true }),
		labels: readLabels("--label", context.flags("label")),
		priority: wholeNumber(context, "priority", 0),
		after: await Promise.all(after.map(async (id) => (await needed(context, id)).id)),
		tries: wholeNumber(context, "tries", 3),
	};
}

async function needed({ store }: FleetContext, id: string): Promise<Task> {
	const task = await store.get(id);
	if (!task) throw new UsageError(`--after ${id}: there is no such task.`);
	return task;
}

/** One for each line of a file and each combination of a matrix; `{line}` and `{name}` stand for them in the prompt. */
async function promptsOf(context: FleetContext, text: string): Promise<string[]> {
	const from = context.flag("from");
	const lines = from === undefined ? undefined : await linesOf(context, from);
	const base = text === "" && from === undefined ? ((await context.input())?.trim() ?? "") : text;
	const template = base === "" && lines ? "{line}" : base;
	if (template === "") return [];
	if (lines && !template.includes("{line}"))
		throw new UsageError("With --from, the prompt says where the line belongs: {line}.");
	const matrix = context.flags("matrix").map(readAxis);
	const unused = matrix.find(({ name }) => !template.includes(`{${name}}`));
	if (unused)
		throw new UsageError(
			`--matrix ${unused.name}: the prompt does not say where it belongs: {${unused.name}}.`,
		);
	const axes = [...(lines ? [{ name: "line", values: lines }] : []), ...matrix];
	return axes.reduce<string[]>(
		(prompts, { name, values }) =>
			prompts.flatMap((prompt) => values.map((value) => prompt.replaceAll(`{${name}}`, () => value))),
		[template],
	);
}

async function linesOf({ cwd, input }: FleetContext, from: string): Promise<string[]> {
	try {
		const text = from === "-" ? ((await input()) ?? "") : await readFile(resolve(cwd, from), "utf8");
		return text
			.split("\n")
			.map((line) => line.trim())
			.filter((line) => line !== "" && !line.startsWith("#"));
	} catch (error) {
		throw new UsageError(`--from ${from}: ${errorText(error)}`);
	}
}

function readAxis(text: string): { name: string; values: string[] } {
	const at = text.indexOf("=");
	const values = text
		.slice(at + 1)
		.split(/[\s,]+/)
		.filter(Boolean);
	if (at <= 0 || values.length === 0) throw new UsageError(`--matrix ${text}: write name=a,b,c.`);
	return { name: text.slice(0, at), values };
}

function wholeNumber(context: FleetContext, name: string, otherwise: number): number {
	const text = context.flag(name);
	if (text === undefined) return otherwise;
	const least = name === "priority" ? -1000 : 1;
	const most = name === "priority" ? 1000 : limits.bulk;
	if (/^-?\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
	throw new UsageError(`--${name} ${text}: not a number from ${least} to ${most}.`);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(text: string | undefined): number {
	if (text === undefined) return 0;
	const [, amount, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
	if (amount === undefined) throw new UsageError(`--delay ${text}: write 90s, 10m, 2h or 1d.`);
	return Number(amount) * (units[unit] ?? 0);
}
