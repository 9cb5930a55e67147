/** Builds what a call touches from a path as the model wrote it. */
import type { Touch } from "@tau/agent";

import type { TouchContext } from "./define-tool.ts";

const scheme = /^(\w[\w+.-]*):\/\//;

/** Returns nothing for a path that names no file: one with a scheme is Tau's own, unless it is a web page. */
export function fileTouch(
	kind: "read" | "write" | "delete",
	path: string | undefined,
	{ resolve }: TouchContext,
): Touch[] {
	if (path === undefined || path === "" || path.includes("\n")) return [];
	const [, match] = scheme.exec(path) ?? [];
	if (match === undefined) return namesIn(path).map((name) => ({ kind, path: resolve(name) }));
	return /^https?$/i.test(match) ? [{ kind: "fetch", url: path }] : [];
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
