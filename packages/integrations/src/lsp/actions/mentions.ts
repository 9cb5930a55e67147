/** Files that contain a symbol's name: opened for servers that search only open files, and compared with what a rename changes. */
import type { Position } from "vscode-languageserver-protocol";

import type { ToolContext } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import type { OpenDocument } from "../client/documents.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { shownFile } from "../diagnostics/report.ts";
import { limits } from "../limits.ts";
import type { Target } from "./target.ts";

/** The name at a position; "" if there is none. */
export function nameAt({ text: { text }, text: positions }: OpenDocument, position: Position): string {
	const offset = positions.offsetAt(position);
	const before =
		/[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, offset - limits.rowChars), offset))?.[0] ?? "";
	const after = /^[\p{L}\p{N}_$]*/u.exec(text.slice(offset, offset + limits.rowChars))?.[0] ?? "";
	return before + after;
}

/** Files of the server's project and languages with this word, as many as the limit allows. */
export async function filesWith(
	name: string,
	server: LanguageServer,
	{ machine, signal }: Pick<ToolContext, "machine" | "signal">,
): Promise<string[]> {
	if (name === "") return [];
	const found = new Set<string>();
	const endings = Object.keys(server.row.files).filter((ending) => ending.startsWith("."));
	const quoted = name.replaceAll(/[^\p{L}\p{N}_]/gu, (character) => `\\${character}`);
	const options = {
		pattern: `(^|[^\\w$])${quoted}($|[^\\w$])`,
		paths: [server.root],
		cwd: server.root,
		globs: [`*{${endings.join(",")}}`],
		nodeModules: false,
		maxPerFile: 1,
		maxMatches: limits.mentions,
		timeoutMs: limits.mentionsMs,
		signal,
	};
	await machine.files.search(options, (event) => {
		if (event.type === "match") found.add(event.path);
	});
	return [...found].filter((path) => server.knows(path));
}

/** For a server that finds uses only in files that it has open. Returns those that it has not read, by their shown names. */
export async function openUses({ server }: Target, name: string, context: ToolContext): Promise<string[]> {
	if (!server.row.searchesOpenFiles) return [];
	const paths = await filesWith(name, server, context);
	const until = performance.now() + limits.mentionsMs;
	const read = await Promise.all(
		paths.map(async (path, at) => {
			if (at >= limits.openedMentions) return false;
			const document = await server.sync(path).catch(() => undefined);
			// It publishes what it found in a file as soon as it has read it.
			const timeoutMs = Math.max(1, until - performance.now());
			return document ? await isRead(server, document, { signal: context.signal, timeoutMs }) : false;
		}),
	);
	return paths.filter((_, at) => !read[at]).map((path) => shownFile(context.cwd, path));
}

async function isRead(
	{ diagnostics }: LanguageServer,
	document: OpenDocument,
	options: { signal: AbortSignal; timeoutMs: number },
): Promise<boolean> {
	try {
		return (await diagnostics.of(document, options)) !== undefined;
	} catch (error) {
		if (error instanceof LspError && error.kind === "timeout") return false;
		throw error;
	}
}

/** `a.c, b.c and 3 more`. */
export function listed(names: readonly string[]): string {
	const shown = names.slice(0, limits.listedMentions).join(", ");
	const more = names.length - limits.listedMentions;
	return more > 0 ? `${shown} and ${more} more` : shown;
}
