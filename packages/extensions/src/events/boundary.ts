/** Asks extensions where a turn or a run ends what they put into the session, and whether the model is to go on. */
import type { AgentMessage } from "@tau/agent";
import { convertToLlm } from "@tau/session/run";

import { customMessage } from "../api/actions.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { BoundaryDraft, BoundaryResult, BoundaryState, EventOf } from "../api/event-types.ts";

export interface Proposal {
	entries: BoundaryDraft[];
	wantsMore: boolean;
}

type Boundary = "turn_end" | "agent_before_settle";

/** Everything is looked at before anything is kept: where something is wrong, nothing of it is wanted. */
export async function proposals<K extends Boundary>(
	runner: ExtensionRunner,
	name: K,
	eventOf: (state: BoundaryState) => EventOf<K>,
	outcome: BoundaryState["outcome"],
): Promise<Proposal> {
	let entries: BoundaryDraft[] = [];
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
	const problem = entries.map((draft) => problemOf(runner, draft)).find((found) => found !== undefined);
	if (problem === undefined) return { entries, wantsMore };
	await runner.say(`An extension's request at the end of the run failed: ${problem}`);
	return { entries: [], wantsMore: false };
}

/** Gives those that models see; the rest is in the log then. Between runs alone: a run has its own conversation. */
export function keepDrafts(
	{ side: { log, handle } }: ExtensionRunner,
	entries: readonly BoundaryDraft[],
): AgentMessage[] {
	const messages: AgentMessage[] = [];
	let isEdited = false;
	for (const draft of entries) {
		if (draft.type === "custom") log.appendCustomEntry(draft.customType, draft.data);
		else if (draft.type === "custom_message") messages.push(customMessage(draft));
		else {
			log.appendContextEdit(draft.targetId, draft.replacement);
			isEdited = true;
		}
	}
	if (isEdited) handle.replaceMessages(log.buildSessionContext().messages);
	return messages;
}

/** Whoever is not typed may propose anything. */
function problemOf({ side: { log } }: ExtensionRunner, draft: BoundaryDraft): string | undefined {
	const { type }: { type: string } = draft;
	switch (draft.type) {
		case "custom":
		case "custom_message":
			return typeof draft.customType === "string" ? undefined : `an entry of type ${type} has no customType.`;
		case "context_edit":
			return log.getEntry(draft.targetId) ? undefined : `entry ${String(draft.targetId)} not found.`;
		default:
			return `entries of type ${String(type)} cannot be added there.`;
	}
}

function stateOf(
	{ side: { log, session } }: ExtensionRunner,
	entries: BoundaryDraft[],
	wantsMore: boolean,
	outcome: BoundaryState["outcome"],
): BoundaryState {
	return {
		entries,
		continue: wantsMore,
		outcome,
		// Most handlers do not look, and it costs the length of the conversation.
		get context() {
			const proposed = entries.flatMap((draft) =>
				draft.type === "custom_message" ? [customMessage(draft)] : [],
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
