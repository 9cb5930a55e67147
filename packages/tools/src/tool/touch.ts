/** Builds what a call touches from a path as the model wrote it. */
import type { Touch } from "@tau/agent";

import type { TouchPlace } from "./define-tool.ts";

const scheme = /^(\w[\w+.-]*):\/\//;

/** Nothing for a path that names no file: one with a scheme belongs to Tau itself, unless it is a web page. */
export function fileTouch(
	kind: "read" | "write" | "delete",
	path: string | undefined,
	{ resolve }: TouchPlace,
): Touch[] {
	if (path === undefined || path === "" || path.includes("\n")) return [];
	const [, found] = scheme.exec(path) ?? [];
	if (found === undefined) return [{ kind, path: resolve(path) }];
	return /^https?$/i.test(found) ? [{ kind: "fetch", url: path }] : [];
}

/** A file whose content is changed is read and written. */
export function editTouch(path: string | undefined, place: TouchPlace): Touch[] {
	return [...fileTouch("read", path, place), ...fileTouch("write", path, place)];
}

/** A search looks at a path and everything below it. */
export function treeTouch(path: string | undefined, { resolve }: TouchPlace): Touch[] {
	return [{ kind: "read", path: resolve(path ?? "."), tree: true }];
}
