/** What requests declare of the active tools: one that orchestrates others may describe them anew, or leave them out. */
import type { AgentTool } from "@tau/agent";
import { isRecord, log } from "@tau/utils";

import type { ToolLoadout } from "../api/tool-reach.ts";
import type { ToolDefinition } from "../api/types.ts";

export interface LoadoutChanges {
	readonly descriptions: ReadonlyMap<string, string>;
	readonly hidden: ReadonlySet<string>;
}

/** The changes of all active tools; later ones win. One that fails changes nothing. */
export function loadoutChanges(
	active: readonly (ToolDefinition | undefined)[],
	loadout: () => ToolLoadout,
): LoadoutChanges {
	const descriptions = new Map<string, string>();
	const hidden = new Set<string>();
	for (const definition of active) {
		if (!definition?.prepareLoadout) continue;
		try {
			// Extensions are not always typed.
			const changes: unknown = definition.prepareLoadout(loadout());
			if (!isRecord(changes)) continue;
			if (isRecord(changes.descriptions))
				for (const [name, text] of Object.entries(changes.descriptions))
					if (typeof text === "string") descriptions.set(name, text);
			if (Array.isArray(changes.hiddenDeclarations))
				for (const name of changes.hiddenDeclarations) hidden.add(String(name));
		} catch (error) {
			log.warn("prepareLoadout failed", { tool: definition.name, error: String(error) });
		}
	}
	return { descriptions, hidden };
}

export function declaredTools<T extends Pick<AgentTool, "name" | "description">>(
	tools: readonly T[],
	{ descriptions, hidden }: LoadoutChanges,
): T[] {
	return tools
		.filter(({ name }) => !hidden.has(name))
		.map((tool) => {
			const description = descriptions.get(tool.name);
			return description === undefined ? tool : { ...tool, description };
		});
}
