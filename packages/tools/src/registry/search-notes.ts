/**
 * Tells the model at the end of the conversation which servers were added or removed since the first request. The
 * declaration of the search keeps its words, because a change there makes the provider read the whole conversation again.
 */
import type { AgentMessage } from "@tau/agent";
import type { Behavior } from "@tau/session/run";
import { isRecord } from "@tau/utils";

import note from "./search-notes.md" with { type: "text" };
import type { ToolRegistry } from "./tool-registry.ts";

const customType = "tool-search";

export function searchNotes(registry: ToolRegistry): Behavior {
	return {
		name: "search-notes",
		attach: (session) =>
			session.hooks.preparers.add(async () => {
				registry.search.freeze();
				const message = noteFor(session.state.messages, registry);
				return message && { messages: [message] };
			}),
	};
}

/** Read from the conversation, so that a note that a compaction or a step in the tree has removed is repeated. */
function noteFor(messages: readonly AgentMessage[], { search }: ToolRegistry): AgentMessage | undefined {
	const { added, removed } = search.changes();
	const last = messages.findLast((message) => message.role === "custom" && message.customType === customType);
	const details = last?.role === "custom" ? last.details : undefined;
	const known = isRecord(details) && typeof details.state === "string" ? details.state : "";
	const state = added.length + removed.length === 0 ? "" : JSON.stringify([added, removed]);
	if (state === known) return undefined;
	const content = note
		.trim()
		.replace("{{added}}", () => listed(" New: ", added))
		.replace("{{removed}}", () => listed(" No longer there: ", removed));
	return { role: "custom", customType, content, display: false, details: { state }, timestamp: Date.now() };
}

function listed(title: string, names: readonly string[]): string {
	return names.length === 0 ? "" : `${title}${names.join("; ")}.`;
}
