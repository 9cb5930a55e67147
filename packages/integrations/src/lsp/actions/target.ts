/** Where a request points: a file, and a symbol in it that is named by its text, so that nobody counts columns. */
import type { Position } from "vscode-languageserver-protocol";
import { nearest } from "@tau/utils";

import type { ToolContext } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import type { OpenDocument } from "../client/documents.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { serversOf } from "../language-servers.ts";

export interface Target {
	readonly server: LanguageServer;
	readonly document: OpenDocument;
}

export interface PositionArguments {
	line?: number | undefined;
	symbol?: string | undefined;
}

/** The servers of a file, started if need be, with the file open; the main one first. Rejects with an `LspError`. */
export async function openIn(path: string, context: ToolContext): Promise<Target[]> {
	const servers = serversOf(context);
	if (!servers.isEnabled) throw new LspError("refused", "Language servers are switched off (lsp.enabled).");
	const file = await context.machine.files.readText(path, context.resolve(path));
	if (!file.ok) throw new LspError("refused", file.reason);
	if (file.text === undefined) throw new LspError("refused", `There is no file ${path}.`);
	const chosen = await servers.chosen(file.target);
	if (chosen.length === 0) throw new LspError("refused", await whyNone(path, file.target, context));
	const targets: Target[] = [];
	for (const candidate of chosen) {
		const server = await servers.server(candidate, context.signal).catch((error: unknown) => {
			// A linter that does not start does not stop the main server from answering.
			if (targets.length > 0 && error instanceof LspError && error.kind === "gone") return undefined;
			throw error;
		});
		if (!server) continue;
		await server.syncAll();
		targets.push({ server, document: await server.sync(file.target) });
	}
	return targets;
}

/** The server that answers questions about code. */
export async function mainServer(path: string, context: ToolContext): Promise<Target> {
	const [first] = await openIn(path, context);
	if (!first || first.server.row.isLinter) {
		throw new LspError("refused", await whyNone(path, context.resolve(path), context));
	}
	return first;
}

async function whyNone(path: string, target: string, context: ToolContext): Promise<string> {
	const candidates = await serversOf(context).candidates(target);
	const missing = candidates.filter(({ command, row }) => !command && !row.isLinter);
	const [first] = missing;
	if (!first) return `No language server is known for ${path}. lsp.servers in the settings can name one.`;
	const names = missing.map(({ row }) => row.name).join(", ");
	return `No language server for ${path} is installed (${names}). The user can install one: ${first.row.install}`;
}

/** `name` on a line, the second one by `name#2`; without a line, its first occurrence in the file. */
export function positionOf({ text, path }: OpenDocument, { line, symbol }: PositionArguments): Position {
	if (line !== undefined && (line < 1 || line > text.lines)) {
		throw new LspError("refused", `${path} has ${text.lines} lines; there is no line ${line}.`);
	}
	if (symbol === undefined) {
		if (line === undefined) throw new LspError("refused", "Name a symbol, or a line.");
		const indent = /^\s*/.exec(text.line(line - 1))?.[0].length ?? 0;
		return text.positionAt(text.offsetAt({ line: line - 1, character: 0 }) + indent);
	}
	const [, name = symbol, nth = "1"] = /^(.+)#(\d+)$/s.exec(symbol) ?? [];
	const within = line === undefined ? text.text : text.line(line - 1);
	const start = line === undefined ? 0 : text.offsetAt({ line: line - 1, character: 0 });
	const found = occurrences(within, name)[Number(nth) - 1];
	if (found === undefined) throw new LspError("refused", notFound(within, name, Number(nth), line, path));
	return text.positionAt(start + found);
}

/** Whole words first: `a` does not mean the letter in `data`. */
function occurrences(text: string, name: string): number[] {
	const found: number[] = [];
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + Math.max(1, name.length)))
		found.push(at);
	const isWord = (at: number): boolean =>
		!/[\p{L}\p{N}_$]/u.test(text[at - 1] ?? "") && !/[\p{L}\p{N}_$]/u.test(text[at + name.length] ?? "");
	const words = found.filter(isWord);
	return words.length > 0 ? words : found;
}

function notFound(text: string, name: string, nth: number, line: number | undefined, path: string): string {
	const where = line === undefined ? path : `line ${line} of ${path}`;
	const count = occurrences(text, name).length;
	if (count > 0)
		return `"${name}" occurs ${count === 1 ? "once" : `${count} times`} in ${where}, not ${nth} times.`;
	const words = [...new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])];
	const near = nearest(name, words).slice(0, 3);
	return `"${name}" is not in ${where}.${near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""}`;
}
