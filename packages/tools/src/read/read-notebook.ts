/** Shows a notebook by its cells, with the numbers that the notebook tool takes. */
import type { AgentToolResult } from "@tau/agent";
import { cutUnits } from "@tau/utils";

import { recordRead } from "../files/snapshots.ts";
import { parseNotebook, type Notebook } from "../notebook/notebook.ts";
import type { ToolEnv } from "../tool/env.ts";
import { errorResult } from "../tool/result.ts";
import { rangeOf, type ReadRequest } from "./read-request.ts";
import { decodeText } from "./decode.ts";
import { limits } from "./limits.ts";
import type { Range } from "./range.ts";
import { readText } from "./read-text.ts";
import { linesOf, showText } from "./show-text.ts";
import type { Source } from "./source.ts";

type Fields = Record<string, unknown>;

export function isNotebook(name: string): boolean {
	return /\.ipynb$/i.test(name);
}

/** The path's range counts cells, the arguments count lines of their text. An invalid notebook is read as text. */
export async function readNotebook(
	source: Source,
	request: ReadRequest,
	env: ToolEnv,
): Promise<AgentToolResult> {
	const bytes = await source.bytes(limits.mediaBytes);
	const text = bytes && decodeText(bytes).text;
	const parsed = text === undefined ? undefined : parseNotebook(text);
	if (text === undefined || !parsed?.ok) return readText(source, request, env);
	const { shown, editable } = source;
	if (editable !== undefined) await recordRead(env, editable, text);
	const asRange = rangeOf(shown, request, "cells");
	if (!asRange.ok) return errorResult(asRange.reason);
	const { cells } = parsed.value;
	const { first = 0, last = cells.length - 1 }: Partial<Range> = asRange.range ?? {};
	const wanted = cells.slice(first, last + 1);
	if (wanted.length === 0 && cells.length > 0) {
		return errorResult(`${shown} has cells 0 to ${cells.length - 1}; there is no cell ${first}.`);
	}
	const cellTexts = wanted.map((cell, index) => cellText(cell, first + index));
	return showText(cellTexts.join("\n\n"), linesOf(request), {
		shown,
		style: "plain",
		header: `[${shown}: ${cells.length} cells${languageOf(parsed.value)}]`,
		details: { cells: cells.length },
	});
}

function languageOf({ metadata }: Notebook): string {
	const language =
		field(field(metadata, "kernelspec"), "language") ?? field(field(metadata, "language_info"), "name");
	return typeof language === "string" ? `, ${language}` : "";
}

function cellText(cell: Fields, index: number): string {
	const count = typeof cell.execution_count === "number" ? ` [${cell.execution_count}]` : "";
	const outputs = Array.isArray(cell.outputs) ? cell.outputs.map(outputText) : [];
	return [`--- cell ${index}: ${String(cell.cell_type)}${count} ---`, joined(cell.source), ...outputs].join(
		"\n",
	);
}

/** Text unchanged, images by their type. */
function outputText(output: unknown): string {
	if (field(output, "output_type") === "error") {
		return short(`${joined(field(output, "ename"))}: ${joined(field(output, "evalue"))}`);
	}
	const data = field(output, "data");
	const text = joined(field(output, "text") ?? field(data, "text/plain"));
	const kinds = Object.keys(isFields(data) ? data : {}).filter((kind) => !kind.startsWith("text/"));
	return [...(text === "" ? [] : [short(text)]), ...kinds.map((kind) => `--- output: ${kind} ---`)].join(
		"\n",
	);
}

function short(text: string): string {
	const lines = text.trimEnd().split("\n");
	const kept = cutUnits(lines.slice(0, limits.outputLines).join("\n"), limits.outputChars);
	const rest = kept.length < text.trimEnd().length ? "\n… output truncated" : "";
	return `--- output ---\n${kept}${rest}`;
}

/** Notebooks write texts as lists of lines or as one. */
function joined(text: unknown): string {
	return Array.isArray(text) ? text.join("") : typeof text === "string" ? text : "";
}

function field(value: unknown, name: string): unknown {
	return isFields(value) ? value[name] : undefined;
}

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
