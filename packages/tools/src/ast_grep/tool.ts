/** Finds code by its structure. */
import type { AgentToolResult } from "@tau/agent";
import { cutUnits, stripControls } from "@tau/utils";
import { z } from "zod";

import {
	aboutStopped,
	searchStructure,
	type FileMatches,
	type AstFileMatches,
	type Match,
} from "../ast/index.ts";
import { defineTool } from "../tool/define-tool.ts";
import { treeTouch } from "../tool/touch.ts";
import { errorResult, textResult } from "../tool/result.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

/** The bounds of what one structural search shows. */
const limits = {
	matches: 100,
	matchesMax: 1000,
	/** Rows of one match; a whole class is better read. */
	matchRows: 6,
	rowChars: 300,
	/** Characters of a match and of each name that leave the parser: more than its rows show. */
	matchChars: 4000,
	outputBytes: 40 * 1024,
} as const;

export const astGrep = defineTool({
	name: "ast_grep",
	label: "Find structure",
	prompt,
	concurrency: "shared",
	approval: "read",
	kind: "search",
	schema,
	parameters: () =>
		z.object({
			pattern: z.string().min(1),
			path: z.string().optional(),
			glob: z.string().optional(),
			lang: z.string().optional(),
			limit: z.number().int().positive().max(limits.matchesMax).optional(),
		}),
	touches: ({ path }, context) => treeTouch(path, context),
	async execute({ pattern, path = ".", glob, lang, limit = limits.matches }, context) {
		const { cwd, machine, signal } = context;
		const absolute = context.resolve(path);
		const result = await searchStructure(
			{ machine, pattern, path, absolute, cwd, glob, lang, signal },
			limit,
			{ outermost: false, chars: limits.matchChars },
		);
		if (!result.ok) return errorResult(result.reason);
		return report(result.value, limit);
	},
	view: { call: ({ pattern, path }) => `ast_grep ${pattern ?? "…"}${path ? ` in ${path}` : ""}` },
});

function report(astFileMatches: AstFileMatches, limit: number): AgentToolResult {
	const { files, searched, passedOver, stopped, isCut } = astFileMatches;
	const matches = files.reduce((sum, file) => sum + file.matches.length, 0);
	const details = { matches, files: files.length, searched, passedOver, truncated: isCut };
	const unreadable = passedOver === 0 ? "" : ` ${passedOver} were too large or unreadable.`;
	const over = stopped.length === 0 ? unreadable : `${unreadable}\n\n${aboutStopped(stopped)}`;
	if (matches === 0 && stopped.length > 0) return { ...errorResult(aboutStopped(stopped)), details };
	if (matches === 0) {
		return { ...textResult(`No matches in ${searched} files.${over}`, details), useless: true };
	}
	const blocks: string[] = [];
	let bytes = 0;
	let shown = 0;
	for (const file of files) {
		const block = fileBlock(file, limit - shown);
		bytes += Buffer.byteLength(block);
		if (bytes > limits.outputBytes) break;
		blocks.push(block);
		shown += Math.min(file.matches.length, limit - shown);
		if (shown >= limit) break;
	}
	const rest =
		shown < matches || isCut ? `\n\n[${shown} shown; narrow by path, glob or pattern to see the others]` : "";
	return textResult(`${blocks.join("\n\n")}${rest}${over}`, { ...details, shown });
}

function fileBlock({ shown, matches }: FileMatches, most: number): string {
	return [shown, ...matches.slice(0, most).map(matchRows)].join("\n");
}

function matchRows({ line, endLine, text, names }: Match): string {
	const rows = stripControls(text).split("\n");
	const cut = rows
		.slice(0, limits.matchRows)
		.map((row, at) => `${line + at}: ${cutUnits(row, limits.rowChars)}`);
	const left = endLine - line + 1 - cut.length;
	if (left > 0) cut.push(`… ${left} more lines`);
	const held = Object.entries(names).filter(([, value]) => value !== "" && !value.includes("\n"));
	const shown = held.map(([name, value]) => `$${name}=${cutUnits(stripControls(value), limits.rowChars)}`);
	return shown.length === 0 ? cut.join("\n") : `${cut.join("\n")}  (${shown.join(", ")})`;
}
