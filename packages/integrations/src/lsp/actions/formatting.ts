/** How a server would format a file, or some of its lines. */
import type { Range, TextEdit } from "vscode-languageserver-protocol";

import type { RequestOptions } from "../client/connection.ts";
import type { LanguageServer } from "../client/language-server.ts";
import type { Target } from "./target.ts";

export function formats(server: LanguageServer): boolean {
	return server.offers("documentFormattingProvider", "textDocument/formatting");
}

/** Lines count from 1; without them the whole file is formatted. */
export async function formattingEdits(
	{ server, document }: Target,
	request: RequestOptions,
	{ line, endLine }: { line?: number | undefined; endLine?: number | undefined } = {},
): Promise<TextEdit[]> {
	const { text } = document.text;
	const width = indentOf(text);
	const options = {
		tabSize: width ?? 4,
		insertSpaces: width !== undefined,
		insertFinalNewline: text.endsWith("\n"),
	};
	const params = { textDocument: { uri: document.uri }, options };
	const isRange =
		line !== undefined && server.offers("documentRangeFormattingProvider", "textDocument/rangeFormatting");
	const edits = isRange
		? await server.request<TextEdit[] | null>(
				"textDocument/rangeFormatting",
				{ ...params, range: lines(line, endLine) },
				request,
			)
		: await server.request<TextEdit[] | null>("textDocument/formatting", params, request);
	return edits ?? [];
}

/** Undefined where lines are indented by tabs. */
function indentOf(text: string): number | undefined {
	const indents = text.match(/^[ \t]+(?=\S)/gm) ?? [];
	if (indents.filter((indent) => indent.startsWith("\t")).length * 2 > indents.length) return undefined;
	return indents.length === 0
		? 4
		: Math.min(
				...indents.filter((indent) => !indent.startsWith("\t")).map(({ length }) => Math.max(2, length)),
			);
}

function lines(line: number, endLine: number | undefined): Range {
	return { start: { line: line - 1, character: 0 }, end: { line: endLine ?? line, character: 0 } };
}
