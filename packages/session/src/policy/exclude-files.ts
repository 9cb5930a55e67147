/**
 * Where `rg` looks for the `info/exclude` of a `.git`. Unlike git, it takes what a `.git` file and a `commondir` name as
 * relative to the directory in which it was started; as newer versions may do otherwise, the other places count, too.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { limits } from "./limits.ts";
import { passesProcess } from "./real-path.ts";

/** Not normalized: behind a link, only the system knows where `..` leads. Undefined where only `rg` knows the places. */
export function excludeFiles(directory: string, starts: readonly string[] | undefined): string[] | undefined {
	const dotGit = join(directory, ".git");
	const pointer = firstLine(dotGit);
	if (pointer === undefined) return [`${dotGit}/info/exclude`];
	if (isUnclear(pointer)) return undefined;
	if (!pointer.startsWith("gitdir: ")) return [];
	const target = pointer.slice("gitdir: ".length);
	const gitDirectories = placesOf(target, starts && [...starts, directory]);
	if (!gitDirectories) return undefined;
	const common = gitDirectories.map((at) => {
		const shared = firstLine(`${at}/commondir`) ?? "";
		return isUnclear(shared) ? undefined : placesOf(shared, starts && [...starts, at]);
	});
	if (common.includes(undefined)) return undefined;
	return [...gitDirectories, ...common.flatMap((each) => each ?? [])].map((at) => `${at}/info/exclude`);
}

function placesOf(path: string, starts: readonly string[] | undefined): string[] | undefined {
	const found = path.startsWith("/") ? [path] : starts?.map((start) => `${start}/${path}`);
	return found?.some(passesProcess) ? undefined : found;
}

const unclear = "\0";

function isUnclear(line: string): boolean {
	return /[\0-\x1f\x7f\ufffd]/.test(line);
}

/** Undefined if there is no such file, as for a directory. */
function firstLine(path: string): string | undefined {
	try {
		const info = statSync(path, { throwIfNoEntry: false });
		if (info?.isFile() !== true) return undefined;
		return info.size > limits.pointerBytes ? unclear : readFileSync(path, "utf8").split("\n", 1)[0];
	} catch {
		// Commands of this user cannot read it either.
		return undefined;
	}
}
