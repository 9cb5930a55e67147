/** The tools of a session: which it has from the start, which are searched for, and which options and settings hide. */
import { mainAgent } from "@tau/session/host";
import type { Behavior } from "@tau/session";
import type { SessionTool } from "@tau/session/run";
import type { Settings } from "@tau/config/settings";
import { builtinTools } from "@tau/integrations/builtin";
import {
	type ToolSelection,
	followSelection,
	foundTools,
	searchNotes,
	selectionBySettings,
	ToolRegistry,
} from "@tau/tools/registry";
import type { BuiltinTool, ToolEnv } from "@tau/tools/tool";

/** It works in the session that its extension is bound to, for which it does no more than that one may. */
export interface ParentTool {
	readonly tool: SessionTool;
	readonly source: `extension:${string}`;
}

interface SessionToolsParts {
	tools: readonly BuiltinTool[];
	toolSelection?: ToolSelection | undefined;
	ownTools?: readonly SessionTool[] | undefined;
	/** Tools of extensions that the session which opened this one lets it use. */
	parentTools?: readonly ParentTool[] | undefined;
	settings: Pick<Settings, "get" | "onChange">;
}

/** The registry of a new session, and the behaviors that hide tools by options and settings, and reveal them. */
export function sessionTools(
	{ tools, toolSelection, ownTools = [], parentTools = [], settings }: SessionToolsParts,
	env: ToolEnv,
): { tools: ToolRegistry; behaviors: Behavior[] } {
	const registry = new ToolRegistry();
	const isOurs = (tool: BuiltinTool): boolean => builtinTools.includes(tool);
	const bound = (all: readonly BuiltinTool[]) => all.map((tool) => tool.bind(env));
	const ours = tools.filter(isOurs);
	const chosen = toolSelection ?? selectionBySettings(settings);
	const searched = ours.filter((tool) => tool.searchHint !== undefined && !chosen.names?.(tool.name));
	// Agents have them from the start; the session itself, when it has agents that it does not wait for.
	const forAgents = ours.filter((tool) => tool.isForAgents && env.sessions?.self === mainAgent);
	const deferred = [...forAgents, ...searched];
	registry.register("builtin", bound(ours.filter((tool) => !deferred.includes(tool))));
	registry.register("builtin", bound(deferred), { deferred: true });
	registry.addSearchSource({
		names: () => {
			const deferredNames = new Set(registry.deferred.map(({ name }) => name));
			return searched.flatMap(({ name, searchHint }) =>
				deferredNames.has(name) ? [searchHint ? `${name} (${searchHint})` : name] : [],
			);
		},
	});
	registry.register("custom", bound(tools.filter((tool) => !isOurs(tool))));
	for (const { tool, source } of parentTools) registry.register(source, [tool]);
	const isOwn = (name: string): boolean => ownTools.some((tool) => tool.name === name);
	registry.register("builtin", ownTools);
	const selection = followSelection(
		registry,
		{ ...chosen, hides: (name) => !isOwn(name) && chosen.hides(name) },
		settings,
	);
	const reveal: Behavior = {
		name: "tools-for-agents",
		attach: (session) =>
			session.onAfter(["child_started"], (event) => {
				if (event.background) registry.reveal(forAgents.map(({ name }) => name));
			}),
	};
	return { tools: registry, behaviors: [selection, reveal, foundTools(registry), searchNotes(registry)] };
}
