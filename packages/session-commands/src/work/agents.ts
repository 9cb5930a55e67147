/** What clients do with the agents of a session: read their conversations, and send them messages. */
import type { AgentMessage } from "@tau/agent";
import { SessionManager } from "@tau/log";
import { agentFacts, type AgentInfo, type AgentOutcome, type SessionHost } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import type { ChildInfo } from "@tau/wire";

/**
 * A message to an agent that works is queued. One that has ended is opened again; then the result has its outcome, and it
 * ends with the session. The input handlers and hooks of the session see the message like any other of the user, and may
 * change, deny or handle it. Rejects with the reason if it is denied, or if there is no such agent.
 */
export async function messageAgent(
	host: SessionHost,
	id: string,
	written: string,
	as: "steer" | "followUp",
): Promise<{ outcome: Promise<AgentOutcome> } | undefined> {
	const { children } = host;
	const { tree } = children;
	if (!children.find(id) && !tree.find(id) && !tree.stored.includes(id))
		throw new UserError(`There is no conversation of an agent ${id} to continue.`);
	const admitted = await host.session.input({ text: written, streamingBehavior: as });
	if (!admitted) return undefined;
	const { text } = admitted;
	if (children.find(id)) {
		const outcome = await children.message(id, text, as);
		if (!outcome.ok) throw new UserError(outcome.reason);
		return undefined;
	}
	const opened = Promise.withResolvers<void>();
	const { signal } = new AbortController();
	const run = host.work.askAgent(id, { question: text, signal, onStart: () => opened.resolve() });
	await Promise.race([opened.promise, run]);
	return { outcome: run };
}

/** The conversation of an agent, also of one of an earlier process. Throws if there is none. */
export function agentMessages(host: SessionHost, id: string): AgentMessage[] {
	const { children } = host;
	const child = children.find(id);
	if (child) return [...child.host.session.state.messages];
	using log = agentLog(host, id);
	return log.buildSessionContext().messages;
}

/** To be read; the caller disposes of it. Throws if the agent has no log. */
function agentLog({ children: { tree } }: SessionHost, id: string): SessionManager {
	const file = tree.find(id)?.sessionFile ?? tree.logFile(id);
	const isKnown = tree.find(id) !== undefined || tree.stored.includes(id);
	const opened = isKnown && file !== undefined ? SessionManager.tryOpen(file, { access: "read" }) : undefined;
	if (!opened?.ok) throw new UserError(`There is no agent ${id}.`);
	return opened.session;
}

/** An agent as RPC lists it, with its age. */
export function publicAgent(info: AgentInfo): ChildInfo {
	const { startedAt, endedAt, ...agent } = agentFacts(info);
	return { ...agent, elapsedMs: (endedAt ?? Date.now()) - startedAt };
}
