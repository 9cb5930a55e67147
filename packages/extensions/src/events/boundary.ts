/** At the end of a turn or run, collects the entries that extensions add to the session, and whether to continue. */
import type { AgentMessage } from "@tau/agent";
import { convertToLlm } from "@tau/session/run";

import { customMessage } from "../api/actions.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { BoundaryEntry, BoundaryResult, BoundaryState, EventOf } from "../api/event-types.ts";

export interface Proposal {
	entries: BoundaryEntry[];
	wantsMore: boolean;
}

type Boundary = "turn_end" | "agent_before_settle";

/** All proposals are validated before any is applied: one invalid entry rejects the whole proposal. */
export async function proposals<K extends Boundary>(
	runner: ExtensionRunner,
	name: K,
	eventOf: (state: BoundaryState) => EventOf<K>,
	outcome: BoundaryState["outcome"],
): Promise<Proposal> {
	let entries: BoundaryEntry[] = [];
	let wantsMore = false;
	await runner.events.ask(
		name,
		() => eventOf(stateOf(runner, entries, wantsMore, outcome)),
		// Both boundaries are answered with the same.
		(answer: BoundaryResult) => {
			if (Array.isArray(answer.entries)) entries = answer.entries;
			if (typeof answer.continue === "boolean") wantsMore = answer.continue;
			return undefined;
		},
	);
	const problem = entries.map((entry) => problemOf(runner, entry)).find((rejected) => rejected !== undefined);
	if (problem === undefined) return { entries, wantsMore };
	await runner.notify(`An extension's request at the end of the run failed: ${problem}`);
	return { entries: [], wantsMore: false };
}

/** Gives those that models see; the rest is in the log then. Between runs alone: a run has its own conversation. */
export function appendEntries(
	{ bound: { log, handle } }: ExtensionRunner,
	entries: readonly BoundaryEntry[],
): AgentMessage[] {
	const messages: AgentMessage[] = [];
	let isEdited = false;
	for (const entry of entries) {
		if (entry.type === "custom") log.appendCustomEntry(entry.customType, entry.data);
		else if (entry.type === "custom_message") messages.push(customMessage(entry));
		else {
			log.appendContextEdit(entry.targetId, entry.replacement);
			isEdited = true;
		}
	}
	if (isEdited) handle.replaceMessages(log.buildSessionContext().messages);
	return messages;
}

/** Untyped extensions may propose anything. */
function problemOf({ bound: { log } }: ExtensionRunner, entry: BoundaryEntry): string | undefined {
	const { type }: { type: string } = entry;
	switch (entry.type) {
		case "custom":
		case "custom_message":
			return typeof entry.customType === "string" ? undefined : `an entry of type ${type} has no customType.`;
		case "context_edit":
			return log.getEntry(entry.targetId) ? undefined : `entry ${String(entry.targetId)} not found.`;
		default:
			return `entries of type ${String(type)} cannot be added there.`;
	}
}

function stateOf(
	{ bound: { log, session } }: ExtensionRunner,
	entries: BoundaryEntry[],
	wantsMore: boolean,
	outcome: BoundaryState["outcome"],
): BoundaryState {
	return {
		entries,
		continue: wantsMore,
		outcome,
		// Most handlers do not look, and it costs the length of the conversation.
		get context() {
			const proposed = entries.flatMap((entry) =>
				entry.type === "custom_message" ? [customMessage(entry)] : [],
			);
			const contextMessages = [...session.state.messages, ...proposed];
			const last = contextMessages.at(-1);
			return {
				contextEntries: log.buildSessionProjection().entries,
				contextMessages,
				llmMessages: convertToLlm(contextMessages),
				pendingMessages: [...session.state.steering, ...session.state.followUps],
				canContinue: last !== undefined && last.role !== "assistant",
			};
		},
	};
}
