/** Shows the lines of a text, all or a part, with a note on how to continue. */
import type { AgentToolResult } from "@tau/agent";

import { hiddenNote } from "../files/hidden-characters.ts";
import { unify } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { Page, type PageStyle } from "./page.ts";
import type { Range } from "./range.ts";

/** The requested lines; the arguments take precedence over a range in the path. */
export interface Lines {
	first: number;
	limit: number;
}

export interface TextFacts {
	/** The model's name for the text, also in its next call. */
	shown: string;
	style: PageStyle;
	/** The text is what a command wrote: its colors and such are left out. */
	isOutput?: boolean;
	/** The header above the lines. */
	header?: string;
	/** The notes below the lines, one per line. */
	notes?: readonly string[];
	/** Additional notes of the result. */
	details?: Record<string, unknown>;
}

export function linesOf(
	{ offset, limit }: { offset?: number | undefined; limit?: number | undefined },
	range?: Range,
): Lines {
	const { first = 1, last = Number.POSITIVE_INFINITY } = range ?? {};
	return { first: offset ?? Math.max(first, 1), limit: limit ?? last - Math.max(first, 1) + 1 };
}

export function showText(text: string, { first, limit }: Lines, facts: TextFacts): AgentToolResult {
	if (text === "") return empty(facts);
	// The lines are counted as `edit` counts them.
	const lines = new LineText(unify(text).text);
	const page = new Page(facts.style, first, limit, facts.isOutput);
	for (let line = first; line <= lines.count; line++) if (!page.add(lines.line(line))) break;
	const isEnd = facts.style === "raw" && page.last === lines.count && text.endsWith("\n");
	return showPage(page, { total: lines.count, ...(isEnd ? { end: "\n" } : {}) }, facts);
}

export function empty({ shown, details }: TextFacts): AgentToolResult {
	return textResult(`${shown} is empty.`, { ...details, totalLines: 0 });
}

/** Describes the length of the text: its lines and what ends them, or its size when the lines were not counted. */
export type Extent = { total: number; end?: string } | { size: string };

export function showPage(page: Page, extent: Extent, facts: TextFacts): AgentToolResult {
	const { shown } = facts;
	const total = "total" in extent ? extent.total : undefined;
	if (page.count === 0) {
		const lines = total === 1 ? "1 line" : `${total} lines`;
		return errorResult(`${shown} has ${lines}; offset ${page.first} is past its end.`);
	}
	const isCut = total === undefined || page.last < total;
	const notes = [
		...(isCut ? [goOn(page, extent)] : []),
		...(page.cutLines > 0 ? [aboutCutLines(page, facts)] : []),
		...(page.hasHidden ? [hiddenNote] : []),
		...(facts.notes ?? []),
	];
	const end = "end" in extent && notes.length === 0 ? extent.end : "";
	const text = [
		...(facts.header === undefined ? [] : [facts.header]),
		page.text,
		...notes.map((note) => `[${note}]`),
	].join("\n");
	return textResult(text + end, {
		...facts.details,
		...(total === undefined ? {} : { totalLines: total }),
		firstLine: page.first,
		lastLine: page.last,
		truncated: isCut || page.cutLines > 0 || facts.details?.truncated === true,
	});
}

function goOn({ first, last }: Page, extent: Extent): string {
	const all = "total" in extent ? ` of ${extent.total}` : ` of a file of ${extent.size}`;
	return `lines ${first}-${last}${all}; continue with offset ${last + 1}`;
}

function aboutCutLines(page: Page, { shown, style }: TextFacts): string {
	if (!page.isSingle) return "long lines are truncated: read one with offset and limit 1 to see more of it";
	if (style === "plain" || style === "raw") return "the line is truncated";
	return `the line is truncated: see the rest with bash: sed -n ${page.first}p ${shown} | cut -c…`;
}
