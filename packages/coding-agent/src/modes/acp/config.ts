/** What a client may choose in a session, as modes and options of the protocol. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { modeChoice, sessionChoices, type SessionChoice } from "@tau/server/adapters";
import type { SessionClient } from "@tau/wire";

const categories: Record<SessionChoice["id"], acp.SessionConfigOptionCategory> = {
	mode: "mode",
	model: "model",
	thinking: "thought_level",
};

/** Undefined where a session has no approvals. */
export function modesOf(client: SessionClient): acp.SessionModeState | undefined {
	const mode = modeChoice(client);
	const availableModes = mode?.options.map(({ value: id, ...words }) => ({ id, ...words })) ?? [];
	return mode && { currentModeId: mode.current, availableModes };
}

export async function configOptions(client: SessionClient): Promise<acp.SessionConfigOption[]> {
	return (await sessionChoices(client)).map(({ id, name, current, options }) => ({
		type: "select",
		id,
		name,
		category: categories[id],
		currentValue: current,
		options: [...options],
	}));
}
