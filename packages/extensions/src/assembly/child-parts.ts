/** What a child session has of its parent: models, settings, prompt, rules and skills, and at most the parent's tools. */
import type { ChildRequest } from "@tau/session/host";
import type { ToolEntry } from "@tau/session/run";
import { selectionBySettings, type ToolSelection } from "@tau/tools/registry";
import type { BuiltinTool } from "@tau/tools/tool";

import { meansServerTool } from "@tau/resources/mcp/definitions";
import type { SessionParts } from "./open-session.ts";
import type { ParentTool } from "./session-tools.ts";

type Spec = ChildRequest["spec"];

/** Its calls pass the parent's gates, so that hooks and extensions of the parent see them; it loads no extensions itself. */
export function childParts(parts: SessionParts, { spec, parentTools, maySpawn }: ChildRequest): SessionParts {
	const { extensions, hooks: _, title: __, onEnv: ___, ...inherited } = parts;
	const opens = maySpawn && (spec.spawns ?? "*").length > 0;
	const usable = parentTools().filter(isUsable);
	const has = new Set(usable.map(({ tool }) => tool.name));
	const isFor = (tool: BuiltinTool): boolean => {
		if (isToolNamed(tool, spec.withoutTools ?? [])) return false;
		if (tool.isForAgents) return true;
		if (!has.has(tool.name) || tool.isForMainOnly) return false;
		// A type that may open agents needs no mention of the tool for it.
		if (tool.opensAgents) return opens;
		return !spec.tools || isToolNamed(tool, spec.tools);
	};
	const cwd = spec.cwd ?? spec.tree?.cwd;
	const tree = spec.tree ?? parts.tree;
	return {
		...inherited,
		stream: parts.stream ?? extensions?.stream,
		staysOpen: false,
		tools: parts.tools.filter(isFor),
		toolSelection: selectionFor(parts, spec, parentTools),
		mcp: usesServers(has, spec) ? parts.mcp : undefined,
		ownTools: spec.ownTools,
		ownBehaviors: spec.behaviors,
		// They work in the files of the parent, which an isolated agent must not change.
		parentTools: tree ? [] : usable.filter(isOfExtension).filter(({ tool }) => isInherited(tool.name, spec)),
		machine: spec.machine ?? parts.machine,
		tree,
		...(cwd === undefined ? {} : { cwd }),
		prompt: promptFor(parts.prompt, spec),
	};
}

function isUsable({ hiddenBy }: ToolEntry): boolean {
	return hiddenBy.length === 0;
}

function isOfExtension(entry: ToolEntry): entry is ToolEntry & ParentTool {
	return entry.source.startsWith("extension:");
}

function isInherited(name: string, { tools, withoutTools = [] }: Spec): boolean {
	const isIn = (names: readonly string[]): boolean =>
		names.some((each) => each.toLowerCase() === name.toLowerCase());
	return !isIn(withoutTools) && (!tools || isIn(tools));
}

function promptFor(prompt: SessionParts["prompt"], spec: Spec): SessionParts["prompt"] {
	const { systemPrompt: replace, isWholePrompt } = spec;
	if (replace === undefined) return prompt;
	return isWholePrompt ? { replace } : { ...prompt, replace };
}

/** An agent with a list of tools has those of MCP servers if the list names them. */
function usesServers(parentTools: ReadonlySet<string>, { tools, withoutTools = [] }: Spec): boolean {
	const isOfServers = (name: string): boolean => name === searchTool || /^mcp_/i.test(name);
	if (!parentTools.values().some(isOfServers)) return false;
	return (tools === undefined || tools.some(isOfServers)) && !withoutTools.includes(searchTool);
}

/** Tools of servers come and go while the child works: which of them it may use is decided for each. */
function selectionFor(
	parts: SessionParts,
	{ tools, withoutTools = [] }: Spec,
	parentTools: ChildRequest["parentTools"],
): ToolSelection {
	const chosen = parts.toolSelection ?? selectionBySettings(parts.settings);
	const isIn = (names: readonly string[], name: string): boolean =>
		names.some((each) => meansServerTool(each, name));
	const isHiddenHere = (name: string): boolean =>
		isIn(withoutTools, name) ||
		(tools !== undefined && !tools.includes(searchTool) && !isIn(tools, name)) ||
		parentTools().some((entry) => entry.tool.name === name && !isUsable(entry));
	return {
		...chosen,
		hides: (name) => chosen.hides(name) || (name.startsWith("mcp_") && isHiddenHere(name)),
	};
}

/** The tool that searches the tools of servers represents all of them. */
const searchTool = "search_tools";

/** Users' agents name tools as Tau or as Claude Code does. */
export function isToolNamed({ name, claude }: BuiltinTool, names: readonly string[]): boolean {
	if (names.length === 0) return false;
	const own = new Set([name, claude?.name, ...(claude?.aliases ?? [])].map((each) => each?.toLowerCase()));
	return names.some((each) => own.has(each.toLowerCase()));
}
