/** Fills the directory of a tree: as a git worktree with the uncommitted state of the project, or as a copy. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import { runGit, type GitOutcome, commandEnvironment, findOwn, runProgram } from "@tau/sys";
import { filesBelow } from "./changes.ts";
import { TreeRules } from "./ignored.ts";
import { limits } from "./limits.ts";

export interface FillOptions {
	readonly root: string;
	/** Where the tree will be; it does not exist yet. */
	readonly tree: string;
	readonly include: readonly string[];
	readonly link: readonly string[];
	readonly signal: AbortSignal;
}

/** Rejects with the reason if it cannot be made. */
export async function fillWorktree({ root, tree, include, link, signal }: FillOptions): Promise<void> {
	const git = gitIn(root, signal);
	await git("worktree", "add", "--detach", tree, "HEAD");
	// A file: what git prints need not be text.
	const patch = `${tree}.patch`;
	await git("diff", "--binary", "--full-index", "--no-renames", `--output=${patch}`, "HEAD");
	if (statSync(patch).size > 0) await gitIn(tree, signal)("apply", "--whitespace=nowarn", patch);
	for (const path of await list(git, "ls-files", "-z", "--others", "--exclude-standard"))
		copyEntry(root, tree, path);
	for (const path of submodules(await list(git, "ls-files", "-z", "--stage")))
		for await (const file of filesBelow(root, await rulesAt(root, path), path)) copyEntry(root, tree, file);
	for (const path of named(include)) copyEntry(root, tree, path);
	for (const path of named(link)) linkEntry(root, tree, path);
}

/** Git forgets the tree; its files are deleted with it. */
export async function forgetWorktree(root: string, tree: string): Promise<void> {
	await gitIn(root, new AbortController().signal)("worktree", "remove", "--force", tree).catch(() => {});
}

/** Shares the blocks of files where the file system can. */
export async function fillCopy({ root, tree, link, signal }: FillOptions): Promise<void> {
	if (`${tree}/`.startsWith(`${root}/`)) throw new Error("the directory for trees is inside of the project");
	if (countFiles(root, limits.copiedFiles) >= limits.copiedFiles)
		throw new Error(`the project has more than ${limits.copiedFiles} files`);
	mkdirSync(tree);
	const cp = findOwn("cp");
	if (!cp) throw new Error("cp is missing");
	let complaint = "";
	const how = process.platform === "linux" ? ["-a", "--reflink=auto"] : ["-pPRc"];
	const { exitCode } = await runProgram({
		command: [cp, ...how, "--", `${root}/.`, tree],
		cwd: "/",
		env: commandEnvironment(process.env),
		input: "",
		timeoutMs: limits.gitMs,
		signal,
		onOutput() {},
		onError: (chunk) =>
			(complaint = complaint || new TextDecoder().decode(chunk.subarray(0, limits.complaintBytes))),
	});
	signal.throwIfAborted();
	if (exitCode !== 0) throw new Error(complaint.trim().split("\n")[0] || "the project could not be copied");
	for (const path of named(link)) linkEntry(root, tree, path);
}

type Git = (...args: [command: string, ...rest: string[]]) => Promise<string>;

function gitIn(cwd: string, signal: AbortSignal): Git {
	return async (...args) => {
		const outcome: GitOutcome = await runGit({
			where: { kind: "project", isTrusted: true },
			args,
			cwd,
			env: process.env,
			timeoutMs: limits.gitMs,
			maxBytes: limits.gitBytes,
			signal,
		});
		if (!outcome.ok) throw new Error(outcome.message);
		return outcome.output;
	};
}

async function list(git: Git, ...args: [command: string, ...rest: string[]]): Promise<string[]> {
	return (await git(...args)).split("\0").filter(Boolean);
}

function submodules(staged: readonly string[]): string[] {
	return staged.flatMap((line) => (line.startsWith("160000 ") ? line.slice(line.indexOf("\t") + 1) : []));
}

async function rulesAt(root: string, path: string): Promise<TreeRules> {
	let rules = await TreeRules.open(root);
	for (const name of path.split("/")) rules = await rules.enter(name);
	return rules;
}

/** Of settings: relative, and inside of the project. */
function named(paths: readonly string[]): string[] {
	return paths
		.map((path) => normalize(path).replace(/\/$/, ""))
		.filter((path) => !/^(?:\.\.?(?:\/|$)|\/)/.test(path));
}

function copyEntry(root: string, tree: string, path: string): void {
	const [from, to] = [join(root, path), join(tree, path)];
	if (!existsSync(from) && !lstatSync(from, { throwIfNoEntry: false })) return;
	mkdirSync(dirname(to), { recursive: true });
	cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function linkEntry(root: string, tree: string, path: string): void {
	const [from, to] = [join(root, path), join(tree, path)];
	if (!existsSync(from) || lstatSync(to, { throwIfNoEntry: false })) return;
	mkdirSync(dirname(to), { recursive: true });
	symlinkSync(from, to);
}

function countFiles(path: string, most: number): number {
	let count = 0;
	for (const entry of readdirSync(path, { withFileTypes: true })) {
		if (count >= most) break;
		count += entry.isDirectory() ? countFiles(join(path, entry.name), most - count) : 1;
	}
	return count;
}
