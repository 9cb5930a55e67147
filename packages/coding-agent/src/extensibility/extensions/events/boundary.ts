/** Asks extensions at the last boundary of a run what they put into the session, and whether the model is to go on. */
import type { AgentMessage } from "@tau/agent";

import { convertToLlm } from "../../../session/convert-to-llm.ts";
import { customMessage } from "../actions.ts";
import type { ExtensionRunner } from "../runner.ts";
import type { AgentBeforeSettleEvent, BoundaryDraft } from "./types.ts";

export interface AtBoundary {
	/** Those that models see; the rest is in the log already. */
	messages: AgentMessage[];
	wantsMore: boolean;
}

/** Everything is looked at before anything is kept. */
export async function proposeAtBoundary(runner: ExtensionRunner): Promise<AtBoundary> {
	let entries: BoundaryDraft[] = [];
	let wantsMore = false;
	await runner.events.ask(
		"agent_before_settle",
		() => settleEvent(runner, entries, wantsMore),
		(answer) => {
			if (Array.isArray(answer.entries)) entries = answer.entries;
			if (typeof answer.continue === "boolean") wantsMore = answer.continue;
			return undefined;
		},
	);
	const problem = entries.map((draft) => problemOf(runner, draft)).find((found) => found !== undefined);
	if (problem !== undefined) {
		await runner.say(`What an extension wanted at the end of the answer was not done: ${problem}`);
		return { messages: [], wantsMore: false };
	}
	const messages = keep(runner, entries);
	if (wantsMore && messages.length === 0)
		await runner.say("An extension wants the model to go on, and has said nothing that it could answer.");
	return { messages, wantsMore };
}

function keep({ side: { log, handle } }: ExtensionRunner, entries: readonly BoundaryDraft[]): AgentMessage[] {
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
			return log.getEntry(draft.targetId) ? undefined : `there is no entry ${String(draft.targetId)}.`;
		default:
			return `entries of type ${String(type)} cannot be put there.`;
	}
}

function settleEvent(
	{ side: { log, session } }: ExtensionRunner,
	entries: BoundaryDraft[],
	wantsMore: boolean,
): AgentBeforeSettleEvent {
	const proposed = entries.flatMap((draft) =>
		draft.type === "custom_message" ? [customMessage(draft)] : [],
	);
	const contextMessages = [...session.state.messages, ...proposed];
	const last = contextMessages.at(-1);
	return {
		type: "agent_before_settle",
		entries,
		continue: wantsMore,
		outcome: last?.role === "assistant" && last.stopReason === "error" ? "error" : "completed",
		context: {
			contextEntries: log.buildSessionProjection().entries,
			contextMessages,
			llmMessages: convertToLlm(contextMessages),
			pendingMessages: [],
			canContinue: last !== undefined && last.role !== "assistant",
		},
	};
}
