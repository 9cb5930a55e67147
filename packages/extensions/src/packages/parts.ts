/** The single resources of a package, each by its path there, and the lookup of one by the user's word. */
import { basename, dirname, relative, sep } from "node:path";

import { nearest } from "@tau/utils";

import { contentsOf, contentsOfFile } from "./contents.ts";
import { infoOf } from "@tau/resources/discovery";
import { readManifest, resourceKinds, type ResourceKind } from "./manifest.ts";
import type { Outcome } from "./problem.ts";

export interface Part {
	kind: ResourceKind;
	/** Below the root of the package, with slashes. */
	path: string;
	/** The name that users type: `extensions/greet`, `skills/pdf`. */
	name: string;
}

/** All its parts, including disabled ones. */
export function partsOf(root: string): Outcome<Part[]> {
	const isFile = infoOf(root)?.isFile() === true;
	const read = isFile ? undefined : readManifest(root);
	if (read && !read.ok) return read;
	const { resources } = read
		? contentsOf(root, read.manifest, { features: [...read.manifest.features.keys()] })
		: contentsOfFile(root);
	const base = isFile ? dirname(root) : root;
	const parts = resourceKinds.flatMap((kind) =>
		resources[kind].map(({ path }) => {
			const way = relative(base, path).split(sep).join("/");
			return { kind, path: way, name: `${kind}/${calledBy(way)}` };
		}),
	);
	return { ok: true, value: parts };
}

/** Of a SKILL.md and an index.ts the directory is the name. */
function calledBy(path: string): string {
	const name = basename(path).replace(/\.\w+$/, "");
	const above = basename(dirname(path));
	return /^(?:skill|index)$/i.test(name) && above !== "." && above !== "" ? above : name;
}

/** Those that the word means: a path, a path without its ending, a directory, or the name of one. */
export function partsMeant(word: string, parts: readonly Part[]): Outcome<Part[]> {
	const way = word.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/$/, "");
	const meant = parts.filter(
		({ path, name }) =>
			way === name || way === path || way === path.replace(/\.\w+$/, "") || path.startsWith(`${way}/`),
	);
	if (meant.length > 0) return { ok: true, value: meant };
	const names = parts.map(({ name }) => name);
	const [near] = nearest(way, names, 1);
	const hint = names.length === 0 ? "It has no parts." : `Available: ${names.join(", ")}.`;
	return { ok: false, reason: `It has no ${word}. ${near === undefined ? hint : `Did you mean ${near}?`}` };
}
