/** Which tools a run has: what the command line says, and where it says nothing, the settings. */
import { nearest, UsageError } from "@tau/utils";
import type { SessionParts } from "@tau/extensions/assembly";
import type { Settings } from "@tau/session/settings";
import { builtinTools, tellUnknownTools, unknownTool } from "@tau/tools/builtin";
import { selectionBySettings, type ToolSelection } from "@tau/tools/registry";

import type { Args } from "../args.ts";

export interface ToolsAsked {
	args: Pick<Args, "flags">;
	settings: Pick<Settings, "get">;
	onNotice(message: string): void;
	/** The tools that extensions have brought by now; absent where there are no extensions. */
	own?: readonly string[] | undefined;
}

type ChosenTools = Required<Pick<SessionParts, "tools">> & { toolSelection: ToolSelection };

export function chosenTools(asked: ToolsAsked): ChosenTools {
	const { flags } = asked.args;
	if (flags.has("no-tools")) return { tools: builtinTools, toolSelection: { hides: () => true } };
	const words = listIn(flags.get("tools") ?? "");
	const signed = words.filter((word) => /^[+-]/.test(word));
	if (signed.length > 0 && signed.length < words.length)
		throw new UsageError(
			`--tools mixes names and changes in one list. Use either ${words.filter((word) => !signed.includes(word)).join(",")} or ${signed.join(",")}.`,
		);
	const chosen = words.length > signed.length ? exactly(words, asked) : changed(signed, asked);
	return without(listIn(flags.get("exclude-tools") ?? ""), chosen);
}

/** What the settings leave, with some more and some less. */
function changed(signed: readonly string[], asked: ToolsAsked): ChosenTools {
	const { args, settings, onNotice, own = [] } = asked;
	const named = (sign: string): string[] =>
		signed.filter((word) => word.startsWith(sign)).map((word) => word.slice(1));
	const [more, less] = [named("+"), named("-")];
	rejectUnknown([...more, ...less], asked);
	const onlyOwn = args.flags.has("no-builtin-tools");
	if (!onlyOwn) tellUnknownTools([...namesOf(builtinTools), ...own], settings, onNotice);
	const usual = selectionBySettings(settings);
	const toolSelection: ToolSelection = {
		hides: (name) => !more.includes(name) && usual.hides(name),
		names: (name) => more.includes(name) || (usual.names?.(name) ?? false),
	};
	const tools = onlyOwn ? builtinTools.filter(({ name }) => more.includes(name)) : builtinTools;
	return without(less, { tools, toolSelection });
}

/** Those that are named, each by itself or by a pattern. */
function exactly(words: readonly string[], asked: ToolsAsked): ChosenTools {
	rejectUnknown(words, asked);
	const isNamed = matching(words);
	return { tools: builtinTools, toolSelection: { hides: (name) => !isNamed(name), names: isNamed } };
}

function without(words: readonly string[], { tools, toolSelection: usual }: ChosenTools): ChosenTools {
	const isLeftOut = matching(words);
	return { tools, toolSelection: { ...usual, hides: (name) => isLeftOut(name) || usual.hides(name) } };
}

/** Where there are extensions, one of them may still bring it: then it is said, and counts when it comes. */
function rejectUnknown(words: readonly string[], { own, onNotice }: ToolsAsked): void {
	const known = [...namesOf(builtinTools), ...(own ?? [])];
	for (const word of words.filter((one) => !one.includes("*") && !known.includes(one))) {
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

function matching(words: readonly string[]): (name: string) => boolean {
	const patterns = words.map((word) => new RegExp(`^${word.split("*").map(RegExp.escape).join(".*")}$`, "s"));
	return (name) => patterns.some((pattern) => pattern.test(name));
}

function listIn(text: string): string[] {
	return text
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "");
}
