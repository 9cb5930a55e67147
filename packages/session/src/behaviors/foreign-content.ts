/**
 * Continues a conversation that holds content which the provider has encrypted for another account: it rejects every
 * request with it. Thinking is left out, and a summary of the log takes the place of what the provider compacted.
 */
import type { AgentMessage } from "@tau/agent";

import type { Compactor } from "../compaction/compactor.ts";
import type { Behavior } from "../run/behavior.ts";

export function foreignContent(compactor: Compactor): Behavior {
	return {
		name: "foreign-content",
		attach(session) {
			using owned = new DisposableStack();
			/** Answers up to this time belong to the other account. */
			let foreignUntil = 0;
			owned.use(
				session.hooks.contexts.add(async (messages) =>
					foreignUntil === 0
						? messages
						: messages.map((message) => (message.timestamp > foreignUntil ? message : plain(message))),
				),
			);
			owned.use(
				session.onAfter(["agent_end"], async (event) => {
					if (session.isAborted) return;
					const answer = event.messages.findLast(({ role }) => role === "assistant");
					if (answer?.role !== "assistant" || answer.failure?.kind !== "foreign_content") return;
					const { messages } = session.state;
					const isForeign = (message: AgentMessage): boolean =>
						message.timestamp > foreignUntil && isSealed(message);
					// The provider objects to something else: another try would fail, too.
					if (!messages.some(isForeign)) return;
					const [first] = messages;
					const isCompacted = first?.role === "compactionSummary" && first.items !== undefined;
					foreignUntil = Date.now();
					session.notice("warning", noticeOf(session.model.provider, isCompacted));
					if (isCompacted) await compactor.run({ reason: "threshold", asText: true });
					session.expectBreak("changed messages");
					await session.retryAfter(0);
				}),
			);
			return owned.move();
		},
	};
}

function noticeOf(provider: string, isCompacted: boolean): string {
	const problem = `${provider} cannot read content of this conversation that it encrypted for another account`;
	const summary = isCompacted ? ", and with a summary of the compacted part" : "";
	return `${problem}. Continuing without the earlier thinking${summary}.`;
}

/** Thinking is sent back as the provider encrypted it. */
function isSealed(message: AgentMessage): boolean {
	if (message.role === "compactionSummary") return message.items !== undefined;
	return message.role === "assistant" && message.content.some(({ type }) => type === "thinking");
}

/** An answer of another account is like one of another model: what only its own model can read is left out. */
function plain(message: AgentMessage): AgentMessage {
	if (message.role === "assistant") return { ...message, model: `${message.model} of another account` };
	if (message.role !== "compactionSummary") return message;
	const { items: _, ...rest } = message;
	return rest;
}
