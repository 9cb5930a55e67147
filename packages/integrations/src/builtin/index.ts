/** The built-in tools. */
import {
	ask,
	astEdit,
	astGrep,
	bash,
	edit,
	find,
	grep,
	irc,
	job,
	ls,
	notebook,
	submitPlan,
	read,
	resolve,
	task,
	todo,
	write,
} from "@tau/tools/basic";
import { browser } from "../browser/tool.ts";
import { debug } from "../debug/tool.ts";
import type { BuiltinTool } from "@tau/tools/tool";
import { evalTool } from "../eval/tool.ts";
import { generateImage } from "../generate_image/tool.ts";
import { lsp } from "../lsp/tool.ts";
import { ssh } from "../ssh/tool.ts";
import { webSearch } from "../web_search/tool.ts";

export const builtinTools: readonly BuiltinTool[] = [
	read,
	write,
	edit,
	bash,
	job,
	grep,
	find,
	ls,
	astGrep,
	astEdit,
	lsp,
	resolve,
	notebook,
	evalTool,
	debug,
	webSearch,
	generateImage,
	browser,
	ssh,
	todo,
	task,
	irc,
	ask,
	submitPlan,
];
/** The built-in tool of this name; nothing else has to list tools by name. */
export function builtinTool(name: string): BuiltinTool | undefined {
	return builtinTools.find((tool) => tool.name === name);
}

/** The built-in tool that a call means, which may use another of its names. */
export function calledTool(name: string): BuiltinTool | undefined {
	return builtinTool(name) ?? builtinTools.find(({ aliases }) => aliases?.includes(name));
}

export { privateTargets, type RequestPrivate } from "../browser/private-targets.ts";
export { sshHosts } from "../ssh/tool.ts";
export { reportUnknownTools, unknownTool } from "./choose-tools.ts";
