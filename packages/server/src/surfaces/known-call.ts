/** What a session knows of a call of a tool, and of a message of an extension, by what clients call them. */
import type { AgentMessage } from "@tau/agent";
import type { SessionHost } from "@tau/session/host";
import { messageOf } from "@tau/log";
import { frameLimits } from "@tau/wire";

import { entryMessage, type CustomMessage, type KnownCall } from "@tau/interactive/surfaces";

/** A call as the conversation has it. */
export function knownCall(host: SessionHost, id: string): KnownCall | undefined {
	const running = host.clients.live?.calls.find(({ toolCallId }) => toolCallId === id);
	const { messages } = host.session.state;
	const call = messages.findLast((each) => callIn(each, id) !== undefined);
	const part = call && callIn(call, id);
	if (!part && !running) return undefined;
	const result = messages.findLast((each) => each.role === "toolResult" && each.toolCallId === id);
	const end = result?.role === "toolResult" ? result : undefined;
	const last = messages.findLast(({ role }) => role === "assistant");
	return {
		name: running?.toolName ?? part?.name ?? "",
		args: { ...(end?.rewritten?.arguments ?? running?.args ?? part?.arguments) },
		isRunning: running !== undefined,
		result: end ?? (running?.partialResult as KnownCall["result"]),
		isOver: end !== undefined || (!running && call !== last),
		isError: end?.isError ?? false,
	};
}

function callIn(
	message: AgentMessage,
	id: string,
): { name: string; arguments: Record<string, unknown> } | undefined {
	if (message.role !== "assistant") return undefined;
	for (const part of message.content) if (part.type === "toolCall" && part.id === id) return part;
	return undefined;
}

/** A message that an extension has put into the conversation, or an entry of the log that it draws. */
export function knownMessage(
	{ session, log }: SessionHost,
	customType: string,
	timestamp: number,
): CustomMessage | undefined {
	const is = (message: AgentMessage): message is CustomMessage =>
		message.role === "custom" && message.customType === customType && message.timestamp === timestamp;
	const message = session.state.messages.findLast(is);
	if (message) return message;
	// One that was read from the log has the time of its entry.
	for (const { id, type } of log.getBranchHeads().slice(-frameLimits.tailEntries).toReversed()) {
		const entry = type === "custom_message" || type === "custom" ? log.getEntry(id) : undefined;
		const read = entry?.type === "custom" ? [entryMessage(entry)] : entry ? messageOf(entry) : [];
		const found = read.find(is);
		if (found) return found;
	}
	return undefined;
}
