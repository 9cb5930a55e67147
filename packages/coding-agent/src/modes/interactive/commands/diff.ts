/** `/diff`: what this session changed on disk. */
import { realpath } from "node:fs/promises";
import { DiffView, truncateToWidth } from "@tau/tui";
import { stripControls } from "@tau/utils";
import type { InteractiveHost } from "../host.ts";
import { changedFiles, withGit, withJournal, type ChangedFile } from "../selectors/diff/changed-files.ts";
import { gitChanges, gitDiff, type GitProject } from "../selectors/diff/git.ts";
import { diffSelector } from "../selectors/diff/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const diff: SlashCommand = {
	name: "diff",
	group: "Tools",
	argumentHint: "[file]",
	description: "Show changed files",
	async run(args, host) {
		const git = await gitChanges(projectOf(host));
		if (git.problem !== undefined) host.notify(git.problem, "warning");
		const reported = changedFiles(host.log.getBranch());
		// Real paths are compared: the session may have been opened through a link.
		const own = await withJournal(reported, host.env.journal.entries, await realpath(host.cwd));
		const files = withGit(own, git.paths);
		if (files.length === 0) return host.notify("No changes in this session.");
		const named = files.find(({ path }) => path === args);
		if (named) return show(host, named);
		if (args !== "") throw new Error(`No changes in "${args}". Run /diff to list changed files.`);
		openSelector(host, (screen, close) => ({
			component: diffSelector(screen, { files, show: (file) => show(host, file), close }),
		}));
	},
};

function projectOf({ cwd, isTrusted }: InteractiveHost): GitProject {
	return { cwd, isTrusted, env: process.env };
}

async function show(host: InteractiveHost, { path, diffs }: ChangedFile): Promise<void> {
	const text = stripControls(diffs.length > 0 ? diffs.join("\n") : await gitDiff(projectOf(host), path));
	if (text.trim() === "")
		return host.notify(`${path} has changed. It is not text, or new to git: there is no diff.`);
	host.print(
		report(host.theme, (width, theme) => {
			const rows = new DiffView(text, theme).render(width);
			const left = rows.length - limits.diffRows;
			const head = theme.bold(truncateToWidth(path, width));
			const more = left > 0 ? [theme.fg("dim", `… ${left} more rows`)] : [];
			return [head, ...rows.slice(0, limits.diffRows), ...more];
		}),
	);
}
