/** `/diff` and `/review`: what the session changed on disk, and what an agent thinks about changes. */
import { realpath } from "node:fs/promises";

import { UserError } from "@tau/session/run";
import { isAbort, plural, stripControls } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import reviewDetails from "./review.md" with { type: "text" };
import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { changedFiles, withGit, withJournal, type ChangedFile } from "../work/changed-files.ts";
import { mayRunGit, mayUseGit } from "../work/git-trust.ts";
import { gitChanges, gitDiff, type GitProject } from "../work/git-changes.ts";
import type { Review } from "../work/review.ts";

/** What a reply of /diff has about a file. */
export type ListedFile = Pick<ChangedFile, "path" | "added" | "removed" | "isRecorded"> & {
	/** The session has a diff of it; otherwise git does. */
	hasDiff: boolean;
	inGit: boolean | null;
};

export type DiffData = { files: readonly ListedFile[] } | { path: string; diff: string };

export const diff: SessionCommand = {
	name: "diff",
	group: "Tools",
	argumentHint: "[file]",
	description: "Show changed files",
	right: "view",
	async run(args, target) {
		const project = await projectOf(target);
		const git = await gitChanges(project);
		if (git.problem !== undefined && args === "") await target.notice(git.problem, "warning");
		const reported = changedFiles(target.host.log.getBranch());
		// Real paths are compared: the session may have been opened through a link.
		const own = await withJournal(reported, target.env().journal.entries, await realpath(target.cwd));
		const files = withGit(own, git.paths);
		if (args === "") return fileList(files);
		const named = files.find(({ path }) => path === args);
		if (!named && files.length === 0) return fileList(files);
		if (!named) throw new UserError(`No changes in "${args}". Run /diff to list changed files.`);
		const text = await diffOf(project, named);
		const data: DiffData = { path: named.path, diff: text };
		return { ...reply(text), data };
	},
};

async function projectOf(target: CommandTarget): Promise<GitProject> {
	return { cwd: target.cwd, isTrusted: await mayUseGit(target, "/diff"), env: process.env };
}

function fileList(files: readonly ChangedFile[]): CommandReply {
	const listed = files.map(({ path, added, removed, diffs, isRecorded, inGit }): ListedFile => ({
		path,
		added,
		removed,
		hasDiff: diffs.length > 0,
		...(isRecorded ? { isRecorded } : {}),
		inGit: inGit ?? null,
	}));
	const lines = listed.map(({ path, added, removed, hasDiff }) =>
		hasDiff ? `${plain(path)}  +${added} -${removed}` : plain(path),
	);
	const data: DiffData = { files: listed };
	return { ...reply(lines.length === 0 ? "No changes in this session." : lines.join("\n")), data };
}

async function diffOf(project: GitProject, { path, diffs }: ChangedFile): Promise<string> {
	const text = stripControls(diffs.length > 0 ? diffs.join("\n") : await gitDiff(project, path));
	if (text.trim() === "")
		throw new UserError(`${path} has changed. It is not text, or new to git: there is no diff.`);
	return text;
}

export const review: SessionCommand = {
	name: "review",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[branch | commit | #pr | stop]",
	words: ["stop"],
	description: "Let an agent review your changes",
	details: reviewDetails.trim(),
	right: "control",
	async run(args, target) {
		const { needsTrust, reviewLines } = await import("../work/review.ts");
		const what = args.trim();
		if (what === "stop") return stopReview(target);
		if (running.has(target.host)) throw new UserError("A review runs already. /review stop ends it.");
		const { policy } = target.host;
		await policy?.settle();
		const needsGit = !target.isTrusted && needsTrust(policy?.boundary, what);
		if (needsGit && !(await mayRunGit(target, "/review"))) return reply("Nothing was reviewed.");
		const found = await reviewed(target, what, target.isTrusted || needsGit);
		if (!found) return reply("The review was stopped.");
		return {
			...reply(reviewLines(found).join("\n"), found.verdict === "approve" ? "success" : "info"),
			data: found,
		};
	},
};

/** One for each session: the reviews that run while the user continues. */
const running = new WeakMap<object, AbortController>();

function stopReview({ host }: CommandTarget): CommandReply {
	const current = running.get(host);
	current?.abort();
	// The review itself says that it was stopped.
	return current ? {} : reply("No review runs.", "warning");
}

/** Undefined if it was stopped. */
async function reviewed(
	target: CommandTarget,
	what: string,
	isTrusted: boolean,
): Promise<Review | undefined> {
	const { review: run } = await import("../work/review.ts");
	const stop = new AbortController();
	const signal = AbortSignal.any([target.signal, stop.signal]);
	running.set(target.host, stop);
	target.progress("Reviewing", "background");
	try {
		const found = await run({
			env: target.env(),
			gitEnv: process.env,
			isTrusted,
			what,
			onChange: (files) => target.progress(`Reviewing ${plural(files, "file")}`, "background"),
			signal,
		});
		return signal.aborted ? undefined : found;
	} catch (error) {
		if (signal.aborted || isAbort(error)) return undefined;
		throw error;
	} finally {
		running.delete(target.host);
		target.progress(undefined);
	}
}
