/** `/commit`: commits staged or all changes, after a preview. */
import type { PlannedCommit } from "@tau/session/commits";
import { isAbort } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { mayRunGit } from "../work/git-trust.ts";
import type { PreparedCommit } from "../work/prepare-commit.ts";

const options: readonly string[] = ["all", "split", "dry-run"];

export const commit: SessionCommand = {
	name: "commit",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[all] [split] [dry-run] [what it is about]",
	words: options,
	optionsAnywhere: true,
	description: "Commit with a message written from the diff",
	details:
		"Commits what is staged; without staged changes, or with `all`, everything. `split` makes atomic commits, `dry-run` only shows them. `--all` and the like mean the same. You see messages and files first, and nothing else is committed.",
	right: "control",
	complete: (prefix) =>
		options.filter((word) => word.startsWith(prefix)).map((value) => ({ value, label: value })),
	async run(args, target) {
		const words = args.split(/\s+/).filter(Boolean);
		const end = words.findIndex((word) => !options.includes(word));
		const flags = new Set(words.slice(0, end === -1 ? words.length : end));
		if (!(await mayRunGit(target, "/commit"))) return nothing;
		const { previewLines } = await import("../work/prepare-commit.ts");
		const prepared = await prepare(target, flags, words.slice(flags.size).join(" ") || undefined);
		if (!prepared) return nothing;
		const preview = (commits: readonly PlannedCommit[]): string =>
			previewLines(prepared.changes, commits).join("\n");
		const data = (commits: readonly PlannedCommit[], oids: readonly string[] = []) => ({
			commits: commits.map(({ message, hunks }, at) => ({
				message,
				hunks,
				...(oids[at] === undefined ? {} : { oid: oids[at] }),
			})),
		});
		if (flags.has("dry-run")) return { ...reply(preview(prepared.commits)), data: data(prepared.commits) };
		const commits = await agreed(target, prepared.commits, preview);
		if (!commits) return nothing;
		const made = await prepared.make(commits);
		const lines = made.map(({ oid, message }) => `${oid.slice(0, 10)} ${message.split("\n")[0]}`);
		return {
			...reply(`Committed:\n${lines.join("\n")}`, "success"),
			data: data(
				commits,
				made.map(({ oid }) => oid),
			),
		};
	},
};

const nothing: CommandReply = { ...reply("Nothing was committed."), data: { commits: [] } };

/** Undefined if the user stopped it. */
async function prepare(
	target: CommandTarget,
	flags: ReadonlySet<string>,
	hint: string | undefined,
): Promise<PreparedCommit | undefined> {
	const { prepareCommit } = await import("../work/prepare-commit.ts");
	const { signal } = target;
	target.progress("Writing the commit message");
	try {
		const prepared = await prepareCommit({
			cwd: target.cwd,
			env: process.env,
			isTrusted: true,
			registry: target.registry,
			credentials: target.credentials,
			model: target.host.session.model,
			scope: flags.has("all") ? "all" : "auto",
			split: flags.has("split"),
			hint,
			onAnswer: (answer) => target.host.session.usage.add("commit", answer),
			onNotice: (message) => target.notice(message, "warning"),
			signal,
		});
		return signal.aborted ? undefined : prepared;
	} catch (error) {
		if (signal.aborted || isAbort(error)) return undefined;
		throw error;
	} finally {
		target.progress(undefined);
	}
}

/** Undefined if the user does not want them. */
async function agreed(
	target: CommandTarget,
	planned: readonly PlannedCommit[],
	preview: (commits: readonly PlannedCommit[]) => string,
): Promise<readonly PlannedCommit[] | undefined> {
	let commits = planned;
	for (;;) {
		await target.notice(preview(commits));
		const title = commits.length === 1 ? "Commit this?" : "Make these commits?";
		const choice = await target.ask.select(title, [
			{ value: "yes", label: "Commit" },
			{ value: "edit", label: "Edit the message" },
			{ value: "no", label: "Cancel" },
		]);
		if (choice === "yes") return commits;
		if (choice !== "edit") return undefined;
		commits = await edited(target, commits);
	}
}

async function edited(target: CommandTarget, commits: readonly PlannedCommit[]): Promise<PlannedCommit[]> {
	const changed: PlannedCommit[] = [];
	for (const one of commits) {
		const message = await target.ask.editor("Commit message", { initial: one.message });
		changed.push({ ...one, message: message?.trim() || one.message });
	}
	return changed;
}
