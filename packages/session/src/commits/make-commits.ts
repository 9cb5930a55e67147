/** Makes commits of the changes that were shown: each has some of the hunks, and the last one is exactly the shown tree. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { TemporaryDirectory } from "../artifacts/index.ts";
import { UserError } from "../run/user-error.ts";
import { copyIndex, type ChangedFile, type CommitChanges, type Version } from "./changes.ts";
import type { CommitRepository } from "./repository.ts";

export interface PlannedCommit {
	readonly message: string;
	/** The numbers of its hunks. */
	readonly hunks: readonly number[];
}

export interface MadeCommit {
	readonly oid: string;
	readonly message: string;
}

/**
 * HEAD moves once, when all commits exist. Throws a `UserError` if a hook refuses, if HEAD or the staged changes are not
 * those that were shown, or if git cannot commit; nothing is changed then.
 */
export async function makeCommits(
	repository: CommitRepository,
	changes: CommitChanges,
	planned: readonly PlannedCommit[],
): Promise<MadeCommit[]> {
	using directory = new TemporaryDirectory();
	const gitDir = await repository.line(["rev-parse", "--absolute-git-dir"]);
	if (changes.scope === "staged" && (await repository.line(["write-tree"])) !== changes.tree)
		throw new UserError("The staged changes are not those that were shown any more. Try again.");
	const steps = await buildTrees(repository, changes, planned, directory.path);
	const made: MadeCommit[] = [];
	for (const { tree, message } of steps) {
		const text = await checked(repository, { tree, message, gitDir, directory: directory.path });
		const parent = made.at(-1)?.oid ?? changes.head;
		const sign = await signs(repository);
		const args = ["commit-tree", ...(sign ? ["-S"] : []), ...(parent ? ["-p", parent] : []), tree] as const;
		made.push({ oid: await repository.line(args, { input: text }), message: text });
	}
	const last = made.at(-1);
	if (!last || steps.at(-1)?.tree !== changes.tree)
		throw new UserError("The commits would not be what was shown.");
	const reason = `commit: ${last.message.split("\n")[0]}`;
	const before = changes.head ?? "0".repeat(last.oid.length);
	await repository.git(["update-ref", "-m", reason, "HEAD", last.oid, before], { hooks: true });
	if (changes.scope === "all") {
		await repository.git(["read-tree", changes.tree], { hooks: true });
		await repository.attempt(["update-index", "-q", "--refresh"]);
	}
	await repository.attempt(["hook", "run", "--ignore-missing", "post-commit"], { hooks: true });
	return made;
}

/** Every tree before the last one has some of the hunks; the last one is the shown tree itself. */
async function buildTrees(
	repository: CommitRepository,
	changes: CommitChanges,
	planned: readonly PlannedCommit[],
	directory: string,
): Promise<{ tree: string; message: string }[]> {
	const done = new Set<number>();
	const steps: { tree: string; message: string }[] = [];
	for (const [at, { message, hunks }] of planned.entries()) {
		for (const number of hunks) done.add(number);
		const isLast = at === planned.length - 1;
		const tree = isLast ? changes.tree : await treeWith(repository, changes, done, directory);
		if (tree !== (steps.at(-1)?.tree ?? changes.headTree)) steps.push({ tree, message });
	}
	return steps;
}

/** The tree of HEAD with these hunks. */
async function treeWith(
	repository: CommitRepository,
	changes: CommitChanges,
	done: ReadonlySet<number>,
	directory: string,
): Promise<string> {
	const indexFile = join(directory, "partial-index");
	await repository.git(["read-tree", changes.headTree], { indexFile });
	const rows: string[] = [];
	for (const file of changes.files) {
		const { mode, oid } = await versionWith(repository, changes, file, done, directory);
		rows.push(`${mode} ${oid}\t${file.path}\0`);
	}
	const input = Buffer.from(rows.join(""), "latin1");
	await repository.git(["update-index", "-z", "--index-info"], { indexFile, input });
	return await repository.line(["write-tree"], { indexFile });
}

async function versionWith(
	repository: CommitRepository,
	{ hunks, linesBefore }: CommitChanges,
	file: ChangedFile,
	done: ReadonlySet<number>,
	directory: string,
): Promise<Version> {
	const chosen = file.hunks.filter((number) => done.has(number));
	if (chosen.length === file.hunks.length) return file.after;
	if (chosen.length === 0) return file.before;
	const out = [...(linesBefore.get(file.path) ?? [])];
	// From the end, so that the positions before stay valid.
	for (const number of chosen.toReversed()) {
		const edit = hunks[number - 1]?.edit;
		if (edit) out.splice(edit.before[0], edit.before[1] - edit.before[0], ...edit.lines);
	}
	const path = join(directory, "content");
	writeFileSync(path, Buffer.from(out.join(""), "latin1"));
	// The content is the repository's own already: nothing converts it again.
	return { mode: file.before.mode, oid: await repository.line(["hash-object", "-w", "--no-filters", path]) };
}

/** The repository's hooks see the commit as git would show it to them. A hook that changes it ends everything. */
async function checked(
	repository: CommitRepository,
	{ tree, message, gitDir, directory }: { tree: string; message: string; gitDir: string; directory: string },
): Promise<string> {
	const indexFile = join(directory, "hook-index");
	copyIndex(join(gitDir, "index"), indexFile);
	await repository.git(["read-tree", tree], { indexFile });
	// Where git writes it: some hooks look there, whatever they are given.
	const messageFile = join(gitDir, "COMMIT_EDITMSG");
	writeFileSync(messageFile, `${message.trim()}\n`);
	const withMessage = ["--", messageFile];
	const hooks = [
		["pre-commit"],
		["prepare-commit-msg", ...withMessage, "message"],
		["commit-msg", ...withMessage],
	];
	for (const hook of hooks) {
		const [name = "", ...args] = hook;
		const ran = await repository.attempt(["hook", "run", "--ignore-missing", name, ...args], {
			hooks: true,
			indexFile,
		});
		if (!ran.ok) throw new UserError(`The ${name} hook refused the commit: ${ran.message}`);
	}
	if ((await repository.line(["write-tree"], { indexFile })) !== tree)
		throw new UserError(
			"The pre-commit hook changed what would be committed. Look at the changes and try again.",
		);
	const text = await repository.git(["stripspace"], { input: await Bun.file(messageFile).text() });
	if (text === "") throw new UserError("The repository's hooks left the commit without a message.");
	return text;
}

async function signs(repository: CommitRepository): Promise<boolean> {
	const outcome = await repository.attempt(["config", "--type=bool", "--get", "commit.gpgsign"]);
	return outcome.ok && outcome.output.trim() === "true";
}
