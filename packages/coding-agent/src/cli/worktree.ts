/** `--worktree`: starts in a git worktree of its own, and removes it at the end if nothing is in it. */
import { isTrusted } from "@tau/extensions/trust";
import { openWorktree, removeIfEmpty, type Worktree } from "@tau/session-commands/work/worktree";
import { UserError } from "@tau/session/run";
import { dirs, shortenHome, UsageError } from "@tau/utils";

import type { Args } from "./args.ts";
import { requireGitTrust } from "./git-trust.ts";
import { printError } from "./print-error.ts";

/** Enters the worktree; call the result when the session is over. */
export async function enterWorktree(args: Args, name: string): Promise<() => Promise<void>> {
	const { signal } = new AbortController();
	const cwd = process.cwd();
	try {
		await requireGitTrust(args, "--worktree", signal);
		const { worktree, directory } = await openWorktree(name || undefined, {
			cwd,
			env: process.env,
			agentDir: dirs().agent,
			isProjectTrusted: isTrusted(cwd, dirs().agent),
		});
		process.chdir(directory);
		// Programs that Tau starts read it.
		process.env.PWD = directory;
		return () => leave(worktree);
	} catch (error) {
		if (error instanceof UserError) throw new UsageError(error.message);
		throw error;
	}
}

async function leave(worktree: Worktree): Promise<void> {
	const { name, main, path, branch } = worktree;
	process.chdir(main);
	try {
		if (await removeIfEmpty(worktree, process.env)) return;
		process.stderr.write(
			`tau: your work is on the branch ${branch}, in ${shortenHome(path)}. tau --worktree ${name} continues it, git merge ${branch} brings it here.\n`,
		);
	} catch (error) {
		printError(
			`the worktree ${shortenHome(path)} was left: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}
