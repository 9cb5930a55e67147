/** What a session knows of a call of a tool. */
import type { AgentMessage } from "@tau/agent";
import type { SessionHost } from "@tau/session/host";

import type { KnownCall } from "@tau/interactive/surfaces";

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
