/** Builds what a call touches from a path as the model wrote it. */

import type { Touch } from "@tau/agent";

import type { TouchContext } from "./define-tool.ts";

/** The scheme of an address; the same for what is judged and what is opened. */
export function schemeOf(path: string): string | undefined {
	return /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1]?.toLowerCase();
}

/** Only what is read may have a scheme: a web page, a resource of an MCP server, a file, or something of Tau's own, which touches nothing. */
export function fileTouch(
	kind: "read" | "write" | "delete",
	path: string | undefined,
	{ resolve }: TouchContext,
): Touch[] {
	if (path === undefined || path === "") return [];
	const named = (text: string): Touch[] => namesIn(text).map((name) => ({ kind, path: resolve(name) }));
	const scheme = kind === "read" ? schemeOf(path) : undefined;
	if (scheme === undefined) return named(path);
	if (scheme === "http" || scheme === "https" || scheme === "mcp") return [{ kind: "fetch", url: path }];
	const file = scheme === "file" ? filePathOf(path) : undefined;
	return file === undefined ? [] : named(file);
}

/** The path of a `file://` address; undefined if it names no file. */
export function filePathOf(url: string): string | undefined {
	try {
		return Bun.fileURLToPath(url);
	} catch {
		return undefined;
	}
}

/**
 * A range, an entry of an archive or a table may follow a file's name: `a.zip:inner`, `a.db:table`. Which part is the
 * file is known only when it is opened, so that everything that may be is listed. The whole comes first.
 */
function namesIn(path: string): string[] {
	const ends = [...path.matchAll(/:|\?q=/g)].map(({ index }) => index).filter((at) => at > 0);
	return [path, ...ends.map((at) => path.slice(0, at))];
}

/** A file whose content is changed is read and written. */
export function editTouch(path: string | undefined, context: TouchContext): Touch[] {
	return [...fileTouch("read", path, context), ...fileTouch("write", path, context)];
}

/** A search looks at a path and everything below it. */
export function treeTouch(path: string | undefined, { resolve }: TouchContext): Touch[] {
	return [{ kind: "read", path: resolve(path ?? "."), tree: true }];
}
