/** `/worktree`: what the worktree of this session has that the repository has not, and merging it back. */
import { oneLine, plural, shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { mayRunGit } from "../work/git-trust.ts";
import { limits } from "../limits.ts";
import type { Worktree } from "../work/worktree.ts";

export const worktree: SessionCommand = {
	name: "worktree",
	aliases: ["wt"],
	group: "Session",
	argumentHint: "[merge]",
	words: ["merge"],
	description: "Show the worktree of this session, or merge it into the repository",
	details:
		"`tau --worktree [name]` starts a session in one, on a branch `tau/<name>`. `merge` merges its commits into what is checked out in the repository. One without changes is removed at the end.",
	right: "control",
	complete: (prefix) =>
		["merge"].filter((word) => word.startsWith(prefix)).map((value) => ({ value, label: value })),
	async run(args, target) {
		const { stateOf, worktreeAt } = await import("../work/worktree.ts");
		const found = await worktreeAt(target.cwd);
		if (!found)
			return reply(
				"This session does not work in a worktree of Tau's. Start one with tau --worktree [name].",
				"warning",
			);
		if (!(await mayRunGit(target, "/worktree"))) return reply("Git was not run.", "warning");
		if (args.trim() === "merge") return await merge(found, target);
		const { changedFiles, commits } = await stateOf(found, process.env);
		const lines = [
			`${found.branch} in ${shortenHome(found.path)}`,
			`of ${shortenHome(found.main)}`,
			`${changedFiles} changed files, ${commits} commits that the repository does not have.`,
			commits > 0 ? "/worktree merge brings them there." : "/commit, then /worktree merge brings them there.",
		];
		return { ...reply(lines.join("\n")), data: { ...found, changedFiles, commits } };
	},
};

async function merge(found: Worktree, { ask }: CommandTarget): Promise<CommandReply> {
	const { mergeWorktree, plannedMerge } = await import("../work/worktree.ts");
	const planned = await plannedMerge(found, process.env);
	const { isProtected } = planned;
	if (isProtected.length > 0) {
		const shown = isProtected.slice(0, limits.listed).map((each) => oneLine(each, limits.lineChars));
		const rest = isProtected.length - shown.length;
		const title = `The merge changes ${plural(isProtected.length, "protected file")}. Merge?`;
		const list = [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
		if ((await ask.confirm(title, list, { selected: "no" })) !== true)
			return reply(`Nothing was merged: the merge changes protected files.\n${list}`, "warning");
	}
	return reply(await mergeWorktree(found, planned, process.env), "success");
}
