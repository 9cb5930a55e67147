/** `/diff`: what this session changed on disk. */
import { realpath } from "node:fs/promises";
import { stripControls } from "@tau/utils";
import type { InteractiveHost } from "../host.ts";
import {
	changedFiles,
	withGit,
	withJournal,
	type ChangedFile,
} from "../../../session-commands/work/changed-files.ts";
import { gitChanges, gitDiff, type GitProject } from "../../../session-commands/work/git-changes.ts";
import { diffPane } from "../selectors/diff/diff-pane.ts";
import { diffSelector } from "../selectors/diff/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { mayUseGit } from "./git-trust.ts";

export const diff: SlashCommand = {
	name: "diff",
	group: "Tools",
	argumentHint: "[file]",
	description: "Show changed files",
	async run(args, host) {
		const project = { cwd: host.cwd, isTrusted: await mayUseGit(host, "/diff"), env: process.env };
		const git = await gitChanges(project);
		if (git.problem !== undefined) host.notify(git.problem, "warning");
		const reported = changedFiles(host.log.getBranch());
		// Real paths are compared: the session may have been opened through a link.
		const own = await withJournal(reported, host.env.journal.entries, await realpath(host.cwd));
		const files = withGit(own, git.paths);
		if (files.length === 0) return host.notify("No changes in this session.");
		const named = files.find(({ path }) => path === args);
		if (named) return await showOne(host, project, named);
		if (args !== "") throw new Error(`No changes in "${args}". Run /diff to list changed files.`);
		openSelector(host, (screen, close) => ({
			component: diffSelector(screen, { files, diffOf: (file) => diffOf(project, file), close }),
		}));
	},
};

async function showOne(host: InteractiveHost, project: GitProject, file: ChangedFile): Promise<void> {
	const text = await diffOf(project, file);
	openSelector(host, (screen, close) => ({
		component: diffPane(screen, { path: file.path, diff: text, back: close }),
	}));
}

async function diffOf(project: GitProject, { path, diffs }: ChangedFile): Promise<string> {
	const text = stripControls(diffs.length > 0 ? diffs.join("\n") : await gitDiff(project, path));
	if (text.trim() === "")
		throw new Error(`${path} has changed. It is not text, or new to git: there is no diff.`);
	return text;
}
