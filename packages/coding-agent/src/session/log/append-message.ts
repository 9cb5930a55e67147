/** Writes any message to the log, in the kind of entry that is for it. */
import type { AgentMessage } from "@tau/agent";

import type { SessionManager } from "./session-manager.ts";

/** Messages of extensions have an entry of their own, which pi and omp know. Gives the id of the entry. */
export function appendMessageTo(manager: Pick<SessionManager, "append" | "appendMessage">, message: AgentMessage): string {
	if (message.role !== "custom") return manager.appendMessage(message);
	const { role: _, timestamp: __, ...fields } = message;
	return manager.append({ type: "custom_message", ...fields });
}
