/** Repositories of other version control systems than git: what their settings may say that a command has written. */
import { basename, dirname, join, resolve } from "node:path";

import { readWritten } from "@tau/sys";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { linkTarget, removed, setAside } from "./disarm.ts";
import { realPath } from "./git-directories.ts";
import { isPrivate } from "./private-directory.ts";
import { repositorySettings } from "./runs-later.ts";

/** Where Mercurial and others keep a repository, beside its files. */
export const otherSystems: readonly string[] = [".hg", ".sl", ".jj", ".pijul", "_darcs"];

interface Searched {
	isWritable(path: string): boolean;
	/** Directories in which repositories are looked for. */
	readonly roots: readonly string[];
}

/** Settings that say where the others are name no program. */
export function disarmedOther(path: string, searched: Searched): Denial[] {
	if (linkTarget(path) !== undefined) return removed(path, "it leads to another repository");
	const names = repositorySettings.filter((name) => name.startsWith(`${basename(path)}/`));
	const isPaths = (file: string): boolean => {
		const lines = readWritten(file)?.toString("utf8").split(/\r?\n/);
		return (
			lines?.every((line) => {
				const value = /^[\w.-]+ *=(.*)$/.exec(line)?.[1]?.trim();
				if (value === undefined) return /^(?:\[paths\]|[#;].*|)$/.test(line);
				return value === "" || !leadsAway(value, dirname(path), searched);
			}) === true
		);
	};
	return names
		.map((name) => join(dirname(path), name))
		.filter((file) => !(/\/(?:\.hg\/hgrc|\.sl\/config)$/.test(file) && isPaths(file)))
		.flatMap((file) => setAside(file, "its settings may name programs"));
}

/**
 * Whether a path in settings of Mercurial leads to what is not looked at: it reads the settings of the repository there. Hosts and
 * what only the user can write are the user's to choose.
 */
function leadsAway(value: string, directory: string, { isWritable, roots }: Searched): boolean {
	if (/^(?:https?:\/\/|ssh:\/\/(?!-))[^\s]+$/.test(value)) return false;
	if (!/^[\w./@+~-]+$/.test(value)) return true;
	const real = realPath(resolve(directory, value));
	// What is not there yet is looked at again after each command.
	if (real === undefined) return false;
	if (isPrivate(real)) return true;
	return isWritable(real) && !roots.some((root) => real === root || isBelow(real, root));
}
