/** What a task has left: its branch, the diff and the summary; and the merge of it. */
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { findRepository } from "@tau/sys";
import { errorText, temporaryDirectory, UsageError } from "@tau/utils";

import { git, gitInTree, type GitContext } from "../git/git.ts";
import { limits } from "../limits.ts";
import { isCommit, type Task, type TaskResult } from "../task.ts";
import type { FleetContext } from "./context.ts";

/** The diff is that of the branch; of a task that is not done, what was stored last. */
export async function resultText(context: FleetContext, task: Task): Promise<string> {
	const { result } = task;
	if (!result) {
		const patch = await context.store.patch(task.id);
		const state = `Task ${task.id} is ${task.state}.${task.problem === undefined ? "" : ` ${task.problem}`}\n`;
		return patch ? `${state}Its changes so far:\n\n${Buffer.from(patch).toString()}` : state;
	}
	const head = `${result.summary}\n\n`;
	if (result.branch === undefined) return `${head}No changes.\n`;
	const inside = await repositoryOf(context, task);
	await bring(context, inside, task, result);
	const extras = { maxBytes: limits.patchBytes };
	const diff = await gitInTree(inside, ["diff", `${task.spec.commit}...${result.commit}`], extras);
	return `${head}Branch: ${result.branch}\n\n${diff}`;
}

/** Writes the recording of the task's last session into a file, and gives its path. */
export async function saveCassette(
	{ cwd, store }: FleetContext,
	{ id, state }: Task,
	file: string = `${id}.cassette`,
): Promise<string> {
	const cassette = await store.file(id, "cassette");
	if (!cassette) throw new UsageError(`Task ${id} is ${state}, and has no recording.`);
	const target = resolve(cwd, file);
	await writeFile(target, cassette, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
		throw new UsageError(`The recording was not written: ${errorText(error)}`);
	});
	return target;
}

export async function mergeTask(context: FleetContext, task: Task): Promise<string> {
	const { result } = task;
	if (!result) throw new UsageError(`Task ${task.id} is ${task.state}, and has nothing to merge.`);
	const { branch, commit } = result;
	if (branch === undefined || commit === undefined) return `Task ${task.id} has changed nothing.\n`;
	const inside = await repositoryOf(context, task);
	await bring(context, inside, task, result);
	try {
		await gitInTree(inside, [
			"merge",
			"--no-edit",
			"-m",
			`Merge task ${task.id}: ${task.spec.prompt.split("\n", 1)[0]}`,
			commit,
		]);
	} catch (error) {
		await gitInTree(inside, ["merge", "--abort"]).catch(() => {});
		const reason = error instanceof Error ? error.message : String(error);
		throw new UsageError(`${branch} was not merged, and nothing has changed: ${reason}`);
	}
	await gitInTree(inside, ["branch", "--quiet", "-D", branch]).catch(() => {});
	return `Merged ${branch}.\n`;
}

/** Makes sure that this repository has the commits of the result. */
async function bring(
	{ store, signal }: FleetContext,
	inside: GitContext,
	{ id, spec }: Task,
	{ branch, commit, isBundled }: TaskResult,
): Promise<void> {
	if (commit !== undefined && !isCommit(commit)) throw new UsageError(`Task ${id} names no commit.`);
	const isHere = await gitInTree(inside, ["cat-file", "-e", `${commit}^{commit}`]).then(
		() => true,
		() => false,
	);
	if (isHere || branch === undefined) return;
	if (!isBundled) {
		const fetch = ["fetch", "--quiet", "--no-tags", "--", spec.repo, `refs/heads/${branch}`] as const;
		await git(inside, fetch).catch((error: unknown) => {
			throw new UsageError(`The branch of task ${id} is not here and cannot be fetched: ${errorText(error)}`);
		});
		return;
	}
	const bundle = await store.file(id, "out");
	if (!bundle) throw new UsageError(`The commits of task ${id} are not in the store any more.`);
	const directory = temporaryDirectory("task");
	try {
		const file = join(directory, "result.bundle");
		await Bun.write(file, bundle);
		await git({ ...inside, signal }, [
			"fetch",
			"--quiet",
			"--no-tags",
			"--",
			file,
			"+refs/*:refs/tau/result/*",
		]);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** The repository of the task if it is on this machine, else the one that the command runs in. */
async function repositoryOf({ cwd, env, signal }: FleetContext, { spec }: Task): Promise<GitContext> {
	const repository =
		(spec.repo.startsWith("/") ? await findRepository(spec.repo) : undefined) ?? (await findRepository(cwd));
	if (!repository) throw new UsageError("Run this in a clone of the repository of the task.");
	return { cwd: repository.root, env, signal };
}
