/** The built-in tools. */
import { ask } from "../ask/tool.ts";
import { astEdit } from "../ast_edit/tool.ts";
import { astGrep } from "../ast_grep/tool.ts";
import { bash } from "../bash/tool.ts";
import { browser } from "../browser/tool.ts";
import { debug } from "../debug/tool.ts";
import type { BuiltinTool } from "../tool/define-tool.ts";
import { edit } from "../edit/tool.ts";
import { evalTool } from "../eval/tool.ts";
import { find } from "../find/tool.ts";
import { generateImage } from "../generate_image/tool.ts";
import { grep } from "../grep/tool.ts";
import { irc } from "../irc/tool.ts";
import { job } from "../job/tool.ts";
import { ls } from "../ls/tool.ts";
import { lsp } from "../lsp/tool.ts";
import { notebook } from "../notebook/tool.ts";
import { submitPlan } from "../submit_plan/tool.ts";
import { read } from "../read/tool.ts";
import { resolve } from "../resolve/tool.ts";
import { ssh } from "../ssh/tool.ts";
import { task } from "../task/tool.ts";
import { todo } from "../todo/tool.ts";
import { webSearch } from "../web_search/tool.ts";
import { write } from "../write/tool.ts";

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

export { reportUnknownTools, unknownTool } from "./choose-tools.ts";
