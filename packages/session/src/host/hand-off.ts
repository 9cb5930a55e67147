/** Continues the work in a new session, with a document about this one and everything that waits to be sent. */
import type { AgentMessage } from "@tau/agent";

import { handoffType } from "@tau/log";
import { fill } from "@tau/utils";
import handoff from "../prompts/handoff.md" with { type: "text" };
import type { Admissions } from "./admissions.ts";
import type { CreatedRun } from "./create-run.ts";
import type { MoveOutcome } from "./moves.ts";
import type { SessionHost } from "./session-host.ts";

/** `threshold`: by itself, because the context is full. */
export type HandoffReason = "manual" | "threshold";

interface HandoffParts {
	instructions: string | undefined;
	reason: HandoffReason;
	run: CreatedRun;
	admissions: Admissions;
}

/** Rejects with the reason if no document can be written; then the conversation continues where it is. */
export async function handOff(
	host: SessionHost,
	{ instructions, reason, run, admissions }: HandoffParts,
): Promise<MoveOutcome> {
	const { session, log } = host;
	using held = admissions.hold();
	let moved = false;
	let queued: readonly AgentMessage[] = [];
	let errorMessage: string | undefined;
	await host.emit({ type: "handoff_start", reason });
	try {
		session.abort();
		const { document, details } = await run.writeHandoff(instructions, session.waitForIdle());
		const content = fill(handoff, { document });
		const outcome = await host.move({
			to: "new",
			parentSession: log.getSessionFile(),
			setup: (fresh) => void fresh.appendCustomMessageEntry(handoffType, content, true, details),
		});
		moved = outcome.kind === "moved";
		if (moved) queued = session.queues.clearQueues();
		return outcome;
	} catch (error) {
		errorMessage = error instanceof Error ? error.message : String(error);
		throw error;
	} finally {
		const sessionFile = log.getSessionFile();
		await host.emit({
			type: "handoff_end",
			reason,
			moved,
			sessionId: log.getSessionId(),
			...(sessionFile === undefined ? {} : { sessionFile }),
			pending: queued.length + held.count,
			...(errorMessage === undefined ? {} : { errorMessage }),
		});
		// An extension may have started a run in the new session: they are sent after it.
		if (host.session.isAnswering) {
			for (const message of queued) host.session.queues.followUp(message);
		} else {
			void host
				.run(queued)
				.catch((error: unknown) => host.notice(`Queued messages were not sent: ${String(error)}`));
		}
	}
}
