/** Logs the git branch that a session works on when it is opened and whenever it changes, for the list of sessions. */
import { findRepository, readHead } from "@tau/sys";
import { abortable, log as logger, withTimeout } from "@tau/utils";

import { gitBranchType, type SessionManager } from "@tau/log";
import type { Behavior } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";

export function gitBranch(log: SessionManager, cwd: string): Behavior {
	return {
		name: "git-branch",
		attach(session) {
			using owned = new DisposableStack();
			const ended = new AbortController();
			owned.defer(() => ended.abort());
			// Not read from the log: that would cost one pass over the entries of a long session.
			let last: string | undefined;
			const record = async (): Promise<void> => {
				const id = log.getSessionId();
				const branch = await currentBranch(cwd);
				// The user may have switched to another session meanwhile.
				if (branch === undefined || branch === last || ended.signal.aborted || log.getSessionId() !== id)
					return;
				last = branch;
				log.appendCustomEntry(gitBranchType, { branch });
			};
			owned.use(
				session.onAfter(["agent_start", "agent_end"], async () => {
					// Awaited, because a program may end right after the run; a slow disk must not delay it.
					using deadline = withTimeout(ended.signal, limits.branchMs, "reading the branch took too long");
					await abortable(record(), deadline.signal).catch((error: unknown) =>
						logger.debug("no branch was logged", { reason: String(error) }),
					);
				}),
			);
			return owned.move();
		},
	};
}

async function currentBranch(cwd: string): Promise<string | undefined> {
	const repository = await findRepository(cwd);
	const head = repository && (await readHead(repository));
	return head?.isDetached ? "detached" : head?.branch;
}
