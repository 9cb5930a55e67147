/** The tools that a person has switched off in a session: they stay off when the session takes another way. */
import type { AgentTool } from "@tau/agent";
import type { AgentSession } from "@tau/session";

/** All tools of a session, also those that were switched off. */
const all = new WeakMap<AgentSession, readonly AgentTool[]>();

export function toolsOf(session: AgentSession): { tool: AgentTool; isOn: boolean }[] {
	const now = session.state.tools;
	// Tools may have come since, from an extension.
	const known = [...(all.get(session) ?? []), ...now];
	const byName = new Map(known.map((tool) => [tool.name, tool]));
	all.set(session, [...byName.values()]);
	return [...byName.values()].map((tool) => ({ tool, isOn: now.some(({ name }) => name === tool.name) }));
}

/** Takes effect with the next request. */
export function switchTool(session: AgentSession, name: string, isOn: boolean): void {
	const tools = toolsOf(session).filter((each) => (each.tool.name === name ? isOn : each.isOn));
	session.setTools(tools.map(({ tool }) => tool));
}

/** Remembers what is off, for the session that goes on. */
export function keepTools(session: AgentSession): (next: AgentSession) => void {
	const off = toolsOf(session).flatMap(({ tool, isOn }) => (isOn ? [] : [tool.name]));
	return (next) => {
		for (const name of off) switchTool(next, name, false);
	};
}
