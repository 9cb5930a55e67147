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
	if (match === undefined) return [{ kind, path: resolve(path) }];
	return /^https?$/i.test(match) ? [{ kind: "fetch", url: path }] : [];
}

/** A file whose content is changed is read and written. */
export function editTouch(path: string | undefined, context: TouchContext): Touch[] {
	return [...fileTouch("read", path, context), ...fileTouch("write", path, context)];
}

/** A search looks at a path and everything below it. */
export function treeTouch(path: string | undefined, { resolve }: TouchContext): Touch[] {
	return [{ kind: "read", path: resolve(path ?? "."), tree: true }];
}
