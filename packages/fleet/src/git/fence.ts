/**
 * The fence of a task in its repository: a ref that only the holder of the lease has. The branch is pushed together with
 * the removal of the fence, or not at all, so a worker that has lost its lease cannot push.
 */
import { rmSync } from "node:fs";

import { temporaryDirectory } from "@tau/utils";

import { branchOf } from "../task.ts";
import { git, readRefs, type GitContext } from "./git.ts";
import type { Mirror } from "./mirror.ts";

/** Says whether the lease is still held. */
export type IsHeld = () => Promise<boolean>;

export class LeaseLost extends Error {
	override readonly name = "LeaseLost";

	constructor() {
		super("The lease of the task was lost.");
	}
}

export interface FenceParts {
	readonly mirror: Mirror;
	readonly taskId: string;
	readonly lease: number;
	/** Branches of leases up to this one are results of an earlier try. */
	readonly retriedAfter: number;
	readonly isHeld: IsHeld;
	readonly signal: AbortSignal;
}

export class Fence {
	readonly #parts: FenceParts;
	/** What the fence is while this lease has it. */
	readonly #mark: string;

	private constructor(parts: FenceParts, mark: string) {
		this.#parts = parts;
		this.#mark = mark;
	}

	/**
	 * Takes the fence from its holder. The lease is checked after reading the old fence: if it is held then, no later
	 * lease had taken the fence when we looked, and if one takes it now, git refuses ours.
	 */
	static async take(
		parts: FenceParts,
	): Promise<Fence | { readonly branch: string; readonly commit: string }> {
		const { mirror, taskId, lease, retriedAfter, isHeld, signal } = parts;
		const context = mirror.context(signal);
		const mark = (
			await git(context, ["hash-object", "-w", "--stdin"], { input: `task ${taskId}\nlease ${lease}\n` })
		).trim();
		const refs = await remoteRefs(parts);
		if (!(await isHeld())) throw new LeaseLost();
		const pushed = [...refs].find(
			([name]) => name.startsWith("refs/heads/") && Number(/\d+$/.exec(name)?.[0]) > retriedAfter,
		);
		// The worker before us was lost between its push and its report: the work is done.
		if (pushed) return { branch: pushed[0].slice("refs/heads/".length), commit: pushed[1] };
		const before = refs.get(fenceRef(taskId)) ?? "";
		await git(context, [
			"push",
			"--quiet",
			"--no-verify",
			`--force-with-lease=${fenceRef(taskId)}:${before}`,
			"--",
			mirror.repo,
			`${mark}:${fenceRef(taskId)}`,
		]);
		return new Fence(parts, mark);
	}

	/** Pushes the branch, if there is a commit, and removes the fence: both or none. Throws `LeaseLost` where it is not ours. */
	async publish(commit: string | undefined): Promise<string | undefined> {
		const { mirror, taskId, lease, isHeld, signal } = this.#parts;
		const ref = fenceRef(taskId);
		const branch = commit === undefined ? undefined : branchOf(taskId, lease);
		try {
			await git(mirror.context(signal), [
				"push",
				"--quiet",
				"--atomic",
				"--no-verify",
				`--force-with-lease=${ref}:${this.#mark}`,
				"--",
				mirror.repo,
				`:${ref}`,
				...(branch === undefined ? [] : [`${commit}:refs/heads/${branch}`]),
			]);
			return branch;
		} catch (error) {
			const holder = (await remoteRefs(this.#parts)).get(ref);
			if (holder !== this.#mark || !(await isHeld())) throw new LeaseLost();
			throw error;
		}
	}

	/** Removes the fence without a branch, if it is still ours. */
	async release(signal: AbortSignal): Promise<void> {
		const { mirror, taskId } = this.#parts;
		const ref = fenceRef(taskId);
		const args = [
			"--quiet",
			"--no-verify",
			`--force-with-lease=${ref}:${this.#mark}`,
			"--",
			mirror.repo,
			`:${ref}`,
		];
		await git(mirror.context(signal), ["push", ...args]);
	}
}

/**
 * Removes the fences that lost workers have left in a repository for tasks that are over. Those that are not named are
 * left alone: they belong to tasks that run, or to another fleet.
 */
export async function removeFences(
	context: GitContext,
	repo: string,
	taskIds: readonly string[],
): Promise<void> {
	const listed = await git(context, ["ls-remote", "--", repo, fenceRef("*")]);
	const wanted = new Set(taskIds.map(fenceRef));
	const found = readRefs(listed).filter(([name]) => wanted.has(name));
	if (found.length === 0) return;
	const leases = found.map(([name, mark]) => `--force-with-lease=${name}:${mark}`);
	const deletions = found.map(([name]) => `:${name}`);
	// Git pushes only from a repository, and the user may be in none.
	const directory = temporaryDirectory("fences");
	try {
		const inside = { ...context, cwd: directory, bare: directory };
		await git({ ...context, cwd: directory }, ["init", "--quiet", "--bare", directory]);
		await git(inside, ["push", "--quiet", "--no-verify", ...leases, "--", repo, ...deletions]);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

function fenceRef(taskId: string): string {
	return `refs/tau/fence/${taskId}`;
}

async function remoteRefs({ mirror, taskId, signal }: FenceParts): Promise<Map<string, string>> {
	const patterns = [fenceRef(taskId), `refs/heads/tau/${taskId}-*`] as const;
	const listed = await git(mirror.context(signal), ["ls-remote", "--", mirror.repo, ...patterns]);
	return new Map(readRefs(listed));
}
