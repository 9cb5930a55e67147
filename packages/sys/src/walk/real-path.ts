/** Resolves links, except in paths that go through an open directory: those are resolved already. */
import { realpathSync, statSync } from "node:fs";

/**
 * The root of a tree that only other namespaces have mounted, opened by this process. The system would resolve such a
 * path to the one that other programs see there, where this process sees another directory.
 */
const opened = /^\/proc\/\d+\/(?:fd\/\d+|root)(?:\/|$)/;

/** Throws the system's error if nothing has this name. */
export function realPath(path: string): string {
	if (!isOpenedPath(path)) return realpathSync(path);
	statSync(path);
	return path;
}

/** Programs cannot work in such a directory: the system has no name for it. */
export function isOpenedPath(path: string): boolean {
	return opened.test(path);
}
