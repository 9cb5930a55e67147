/** Reads the code of a tree as modules: each file, its package, and the targets of its imports. */
import { posix } from "node:path";
import { findImports } from "./imports.ts";
import { isCode } from "./paths.ts";
import { listFiles, readFiles, repository } from "./tree.ts";
import type { Import } from "./imports.ts";

/** `target` is the file of this tree that a relative import resolves to, if it exists. */
type Link = Import & { relative: boolean; target?: string };

/** `home` is the folder under packages/, or undefined for files elsewhere. */
export type Module = { path: string; text: string; home?: string; links: Link[] };

const endings = ["", ".ts", ".tsx", "/index.ts"];

/** Of this repository, which does not change while it is checked. */
let own: Promise<Module[]> | undefined;

export async function readModules(root: string): Promise<Module[]> {
	return root === repository ? await (own ??= parseModules(root)) : await parseModules(root);
}

async function parseModules(root: string): Promise<Module[]> {
	const [files, sources] = await Promise.all([listFiles(root), readFiles(root, isCode)]);
	const known = new Set(files);
	return sources.map(({ path, text }) => {
		const home = homeOf(path);
		const links = findImports(text).map((found) => follow(found, path, known));
		return { path, text, links, ...(home === undefined ? {} : { home }) };
	});
}

export function homeOf(path: string): string | undefined {
	return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** Where a relative specifier points, whether or not the file exists. */
export function resolveFrom(path: string, specifier: string): string {
	return posix.join(posix.dirname(path), specifier);
}

function follow(found: Import, path: string, known: Set<string>): Link {
	if (!found.specifier.startsWith(".")) return { ...found, relative: false };
	const place = resolveFrom(path, found.specifier);
	const ending = endings.find((end) => known.has(place + end));
	return { ...found, relative: true, ...(ending === undefined ? {} : { target: place + ending }) };
}
