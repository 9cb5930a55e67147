/** What a review is about: uncommitted changes, a branch, a commit or a pull request, with its diff. */
import { inheritedGitEnvironment, runProgram } from "@tau/sys";
import { cutUnits, hostProgram } from "@tau/utils";

import { UserError } from "../run/user-error.ts";
import { readChanges } from "./changes.ts";
import { limits } from "./limits.ts";
import { CommitRepository, type RepositoryParts } from "./repository.ts";

export interface ReviewedChange {
	/** For people: `uncommitted changes`, `commit 1a2b3c4`. */
	readonly title: string;
	readonly diff: string;
	/** Whether the diff is longer than what a reviewer is given. */
	readonly isCut: boolean;
	readonly files: number;
}

/** `what` is empty for uncommitted changes, otherwise a branch, a commit, or `#7`. Throws a `UserError`. */
export async function changeToReview(parts: RepositoryParts, what: string): Promise<ReviewedChange> {
	const repository = new CommitRepository(parts);
	const pull = pullRequestIn(what);
	if (what === "") {
		const { hunks, files } = await readChanges(
			repository,
			"all",
			"There are no uncommitted changes to review.",
		);
		return change("uncommitted changes", hunks.map(({ text }) => text).join("\n"), files.length);
	}
	if (pull !== undefined) return change(`pull request #${pull}`, await pullDiff(parts, pull));
	const commit = await resolved(repository, what);
	if (isCommit(what))
		return change(
			`commit ${commit.slice(0, 10)}`,
			await repository.git(["show", "--format=%h %s%n%n%b", "--patch", commit]),
		);
	return change(`HEAD since ${what}`, await repository.git(["diff", "--patch", `${commit}...HEAD`]));
}

/** How a reviewer sees the change with git of its own; undefined for a pull request, which needs the user's login. */
export function changeByGit(what: string): { title: string; commands: string } | undefined {
	if (pullRequestIn(what) !== undefined) return undefined;
	if (what === "") return { title: "uncommitted changes", commands: "`git status --short`, `git diff HEAD`" };
	if (!/^[\w@][\w./@{}~^-]*$/.test(what)) throw new UserError(`There is no branch or commit ${what}.`);
	return isCommit(what)
		? { title: `commit ${what}`, commands: `\`git show ${what}\`` }
		: { title: `HEAD since ${what}`, commands: `\`git diff ${what}...HEAD\`` };
}

function pullRequestIn(what: string): string | undefined {
	return /^(?:pr\s*)?#?(\d{1,9})$/i.exec(what)?.[1];
}

function isCommit(what: string): boolean {
	return /^[0-9a-f]{7,40}$/.test(what) || /^HEAD(?:[~^]\d*)*$/.test(what);
}

/** A name that begins with a dash is no option of git. */
async function resolved(repository: CommitRepository, name: string): Promise<string> {
	const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`] as const;
	const outcome = await repository.attempt(args);
	if (outcome.ok) return outcome.output.trim();
	if (outcome.reason !== "failed") throw new UserError(outcome.message);
	throw new UserError(`There is no branch or commit ${name}.`);
}

function change(
	title: string,
	diff: string,
	files: number = diff.match(/^diff --git /gm)?.length ?? 0,
): ReviewedChange {
	if (diff.trim() === "") throw new UserError(`There is nothing to review in ${title}.`);
	const isCut = diff.length > limits.reviewChars;
	return { title, diff: cutUnits(diff, limits.reviewChars), isCut, files };
}

/** By the command line of GitHub, with the user's login. */
async function pullDiff({ cwd, env, isTrusted, signal }: RepositoryParts, number: string): Promise<string> {
	if (!isTrusted)
		throw new UserError("A pull request is read by gh, which runs git: this project is not trusted.");
	const gh = hostProgram("gh", env.PATH ?? "");
	if (gh === undefined)
		throw new UserError("Pull requests need the GitHub command line. Install gh, and run gh auth login.");
	let [output, complaint] = ["", ""];
	const decoder = new TextDecoder();
	const { exitCode } = await runProgram({
		command: [gh, "pr", "diff", number],
		cwd,
		env: { ...inheritedGitEnvironment(env), GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
		input: "",
		timeoutMs: limits.gitMs,
		signal,
		onOutput: (chunk) =>
			void (output.length < limits.gitBytes && (output += decoder.decode(chunk, { stream: true }))),
		onError: (chunk) =>
			void (complaint.length < limits.messageChars && (complaint += new TextDecoder().decode(chunk))),
	});
	signal.throwIfAborted();
	if (exitCode !== 0)
		throw new UserError(`gh pr diff ${number}: ${complaint.trim() || `exit code ${exitCode}`}`);
	return output;
}
