/** The tools of a run: the command line's choice, or the settings when it has none. */
import { nearest, UsageError } from "@tau/utils";
import type { SessionParts } from "@tau/extensions/assembly";
import type { Settings } from "@tau/config/settings";
import { builtinTools, reportUnknownTools, unknownTool } from "@tau/integrations/builtin";
import { selectionBySettings, type ToolSelection } from "@tau/tools/registry";
import type { BuiltinTool } from "@tau/tools/tool";

import type { Args } from "../args.ts";

export interface ToolsRequest {
	args: Pick<Args, "flags">;
	settings: Pick<Settings, "get">;
	onNotice(message: string): void;
	/** The tools that extensions have registered so far; absent when there are no extensions. */
	own?: readonly string[] | undefined;
	/** Tools besides the built-in ones. */
	custom?: readonly BuiltinTool[] | undefined;
}

type ChosenTools = Required<Pick<SessionParts, "tools">> & { toolSelection: ToolSelection };

export function chosenTools(request: ToolsRequest): ChosenTools {
	const { tools, toolSelection } = chosenBuiltin(request);
	return { tools: [...tools, ...(request.custom ?? [])], toolSelection };
}

function chosenBuiltin(request: ToolsRequest): ChosenTools {
	const { flags } = request.args;
	if (flags.has("no-tools")) return { tools: builtinTools, toolSelection: { hides: () => true } };
	const patterns = listIn(flags.get("tools") ?? "");
	const signed = patterns.filter((word) => /^[+-]/.test(word));
	if (signed.length > 0 && signed.length < patterns.length)
		throw new UsageError(
			`--tools mixes names and changes in one list. Use either ${patterns.filter((word) => !signed.includes(word)).join(",")} or ${signed.join(",")}.`,
		);
	const chosen = patterns.length > signed.length ? exactly(patterns, request) : changed(signed, request);
	const excluded = listIn(flags.get("exclude-tools") ?? "");
	rejectUnknown(excluded, request);
	return without(excluded, chosen);
}

/** The tools of the settings, with additions and removals. */
function changed(signed: readonly string[], request: ToolsRequest): ChosenTools {
	const { args, settings, onNotice, own = [], custom = [] } = request;
	const named = (sign: string): string[] =>
		signed.filter((word) => word.startsWith(sign)).map((word) => word.slice(1));
	const [more, less] = [named("+"), named("-")];
	rejectUnknown([...more, ...less], request);
	const onlyOwn = args.flags.has("no-builtin-tools");
	if (!onlyOwn) reportUnknownTools([...namesOf([...builtinTools, ...custom]), ...own], settings, onNotice);
	const usual = selectionBySettings(settings);
	const toolSelection: ToolSelection = {
		hides: (name) => !more.includes(name) && usual.hides(name),
		names: (name) => more.includes(name) || (usual.names?.(name) ?? false),
	};
	const tools = onlyOwn ? builtinTools.filter(({ name }) => more.includes(name)) : builtinTools;
	return without(less, { tools, toolSelection });
}

/** The named tools, each by its name or by a pattern. */
function exactly(patterns: readonly string[], request: ToolsRequest): ChosenTools {
	rejectUnknown(patterns, request);
	const isNamed = matching(patterns);
	return { tools: builtinTools, toolSelection: { hides: (name) => !isNamed(name), names: isNamed } };
}

function without(patterns: readonly string[], { tools, toolSelection: usual }: ChosenTools): ChosenTools {
	const isLeftOut = matching(patterns);
	return { tools, toolSelection: { ...usual, hides: (name) => isLeftOut(name) || usual.hides(name) } };
}

/** An extension may still register the tool: then a notice is printed, and the name applies once it is registered. */
function rejectUnknown(patterns: readonly string[], { own, custom = [], onNotice }: ToolsRequest): void {
	const known = [...namesOf([...builtinTools, ...custom]), ...(own ?? [])];
	for (const word of patterns.filter((one) => !one.includes("*") && !known.includes(one))) {
		if (own) {
			const [near] = nearest(word, known);
			onNotice(`Unknown tool "${word}"${near ? `; did you mean ${near}?` : "."}`);
			continue;
		}
		const problem = unknownTool(known, [word]);
		if (problem !== undefined) throw new UsageError(problem);
	}
}

function namesOf(tools: readonly { name: string }[]): string[] {
	return tools.map(({ name }) => name);
}

function matching(names: readonly string[]): (name: string) => boolean {
	const patterns = names.map((word) => new RegExp(`^${word.split("*").map(RegExp.escape).join(".*")}$`, "s"));
	return (name) => patterns.some((pattern) => pattern.test(name));
}

function listIn(text: string): string[] {
	return text
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "");
}
