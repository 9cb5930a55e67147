/** What git's index names: git takes it as it is, also paths that lead out of the working tree, and opens them. */
import { statSync } from "node:fs";
import { join } from "node:path";

import { GitIndex } from "@tau/sys";

import { limits } from "./limits.ts";

interface Known {
	/** When it was changed last, which no program can set. */
	readonly stamp: string;
	readonly links: readonly string[] | undefined;
}

const known = new Map<string, Known>();

/**
 * The repositories inside that git looks into because the index names them; undefined if it is of a kind that is not read here, or
 * git may find other entries in it.
 */
export function submodulesOf(gitDir: string): readonly string[] | undefined {
	const stamp = stampOf(join(gitDir, "index"));
	if (stamp === undefined) return [];
	const before = known.get(gitDir);
	if (before?.stamp === stamp) return before.links;
	const links = linksIn(gitDir);
	if (known.size >= limits.knownIndexes) known.clear();
	known.set(gitDir, { stamp, links });
	return links;
}

function linksIn(gitDir: string): readonly string[] | undefined {
	const index = GitIndex.read(gitDir);
	const links = index?.submodules();
	if (!index?.isOrdinary() || links === undefined || links.length > limits.submodules) return undefined;
	const bytes = links.map((path) => Buffer.from(path, "latin1"));
	// What is no text cannot be looked up.
	return bytes.every((path) => Buffer.from(path.toString()).equals(path)) ? bytes.map(String) : undefined;
}

/** Undefined if there is none. */
function stampOf(path: string): string | undefined {
	const info = statSync(path, { bigint: true, throwIfNoEntry: false });
	return info && `${info.dev}:${info.ino}:${info.size}:${info.ctimeNs}`;
}
