/** Writes every finished message to the session log before other listeners receive it. */
import type { AgentMessage } from "@tau/agent";
import { log as logger } from "@tau/utils";

import type { Behavior, SessionHandle } from "../run/behavior.ts";
import { describeProblem, type LogProblem, type SessionManager } from "@tau/log";

export function persistence(manager: SessionManager): Behavior {
	return {
		name: "persistence",
		attach(session) {
			using owned = new DisposableStack();
			const reported = new Set<string>();
			for (const problem of manager.getProblems()) report(session, manager, problem, reported);
			// Every problem from now on is reported as it occurs: the log itself counts outages, not entries.
			owned.use(manager.onProblem((problem) => report(session, manager, problem)));
			owned.use(
				session.onBefore(["message_end"], (event) => {
					event.entryId = write(manager, event.message, event.interrupted?.discarded ?? false);
				}),
			);
			owned.use(session.onBefore(["agent_end"], () => manager.syncSoon()));
			return owned.move();
		},
	};
}

/** Messages removed from the conversation stay in the tree, on a branch that ends with them. */
function write(manager: SessionManager, message: AgentMessage, discarded: boolean): string {
	const before = manager.getLeafId();
	const id = append(manager, message);
	if (!discarded) return id;
	manager.branch(before);
	return id;
}

function append(manager: SessionManager, message: AgentMessage): string {
	if (message.role !== "custom") return manager.appendMessage(message);
	const { role: _, timestamp: __, ...fields } = message;
	return manager.append({ type: "custom_message", ...fields });
}

/** A file with a hundred damaged lines is reported once. */
function report(
	session: SessionHandle,
	manager: SessionManager,
	problem: LogProblem,
	reported = new Set<string>(),
): void {
	const path = manager.getSessionFile() ?? "";
	logger.warn("session log", { path, ...problem });
	const text = describeProblem(problem, path);
	if (text === undefined || reported.has(text)) return;
	reported.add(text);
	session.notice(problem.kind === "saved" ? "info" : "warning", text);
}
