/** Properties that can be derived from a session. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { AgentMessage } from "@tau/agent";
import type { SessionHost } from "@tau/session/host";
import { sessionStats as stats } from "@tau/session/run";
import type { SessionManager } from "@tau/log";

export type SessionStats = ReturnType<typeof stats>;

export function sessionStats({ session, log }: SessionHost): SessionStats {
	return stats({ session, log });
}

export function textOf(message: AgentMessage): string {
	if (message.role !== "user") return "";
	if (typeof message.content === "string") return message.content;
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function lastText(messages: readonly AgentMessage[]): string | undefined {
	const answer = messages.findLast((message) => message.role === "assistant");
	if (answer?.role !== "assistant") return undefined;
	return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

export function userTextAt(log: SessionManager, entryId: string): string | undefined {
	const entry = log.getEntry(entryId);
	return entry?.type === "message" && entry.message.role === "user" ? textOf(entry.message) : undefined;
}

export function userMessages(log: SessionManager): { entryId: string; text: string }[] {
	return log.getBranch().flatMap(({ id }) => {
		const text = userTextAt(log, id);
		return text ? [{ entryId: id, text }] : [];
	});
}

/** All entries as in a session file; an existing file of the name stays. */
export function copyLines(
	log: SessionManager,
	outputPath: string = `session-${log.getSessionId()}.jsonl`,
): string {
	const path = resolve(log.getCwd(), outputPath);
	const lines = [log.getHeader(), ...log.getEntries()].map((line) => JSON.stringify(line));
	writeFileSync(path, `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 });
	return path;
}
